// Values over positions. A position is a number of events: at position 0 nothing has happened yet,
// at position n the first n events have. Everything that the page shows of a moment is read from
// these indexes, so that a jump to any moment costs the same few searches.

/** How many numbers of a sorted array are below a limit. */
function below(sorted, limit) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many numbers of a sorted array are at most a limit. */
function upTo(sorted, limit) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A value that events change. */
class Track {
  constructor(first) {
    this.first = first;
    this.events = [];
    this.values = [];
  }

  set(event, value) {
    this.events.push(event);
    this.values.push(value);
  }

  at(position) {
    const count = below(this.events, position);
    return count > 0 ? this.values[count - 1] : this.first;
  }

  /** The event of the last change before a position; -1 for none. */
  since(position) {
    return this.events[below(this.events, position) - 1] ?? -1;
  }

  get last() {
    return this.values.length > 0 ? this.values[this.values.length - 1] : this.first;
  }
}

/** Stays of operations in a state, in the order in which they began. */
class Stays {
  constructor() {
    this.operations = [];
    this.from = [];
    this.to = [];
    this.ends = [];
    // The rank of each; not a number where it changes meanwhile.
    this.ranks = [];
    // The last end of each block, so that a search skips what is long over.
    this.blocks = [];
  }

  begin(operation, event) {
    const index = this.from.length;
    this.operations.push(operation);
    this.from.push(event);
    this.to.push(Infinity);
    this.blocks[index >> 7] = Infinity;
    return index;
  }

  end(index, event) {
    if (this.to[index] !== Infinity) return;
    this.to[index] = event;
    this.ends.push(event);
    const block = index >> 7;
    const limit = Math.min(this.to.length, (block + 1) << 7);
    let last = 0;
    for (let other = block << 7; other < limit; other += 1) last = Math.max(last, this.to[other]);
    this.blocks[block] = last;
  }

  count(position) {
    return below(this.from, position) - below(this.ends, position);
  }

  /** The first operations that are in the state at a position. */
  list(position, most) {
    return this.indexes(position, most).map((index) => this.operations[index]);
  }

  indexes(position, most) {
    const found = [];
    const limit = below(this.from, position);
    for (let block = 0; block << 7 < limit && found.length < most; block += 1) {
      if (this.blocks[block] < position) continue;
      const end = Math.min(limit, (block + 1) << 7);
      for (let index = block << 7; index < end && found.length < most; index += 1) {
        if (this.to[index] >= position) found.push(index);
      }
    }
    return found;
  }

  /** Notes the rank of one, which may be another one than before. */
  setRank(index, rank) {
    this.ranks[index] = index in this.ranks && this.ranks[index] !== rank ? NaN : rank;
  }

  /** The first operations by rank that are in the state at a position. */
  line(position, most) {
    const first = [];
    for (const index of this.indexes(position, Infinity)) {
      const known = this.ranks[index];
      const rank = known >= 0 ? known : this.operations[index].rank.at(position);
      if (first.length === most && !(rank < first[most - 1]?.rank)) continue;
      let place = first.length;
      while (place > 0 && rank < first[place - 1].rank) place -= 1;
      first.splice(place, 0, { index, rank });
      if (first.length > most) first.pop();
    }
    return first.map(({ index }) => this.operations[index]);
  }
}

/** What happened one after the other, such as the ends of operations. */
class Sequence {
  constructor() {
    this.events = [];
    this.values = [];
  }

  add(event, value) {
    this.events.push(event);
    this.values.push(value);
  }

  count(position) {
    return below(this.events, position);
  }

  /** The last values before a position, the latest first. */
  latest(position, most) {
    const end = below(this.events, position);
    return this.values.slice(Math.max(0, end - most), end).reverse();
  }
}

/** The slots of a queue: which operation had each of them, and when. */
class Slots {
  constructor() {
    this.slots = [];
    this.taken = [];
    this.firstFree = 0;
  }

  /** Takes a slot, the asked one if it is free. */
  take(asked, operation, event) {
    let slot = asked;
    if (slot === null || this.taken[slot]) {
      slot = this.firstFree;
      while (this.taken[slot]) slot += 1;
    }
    if (slot === this.firstFree) this.firstFree += 1;
    while (this.slots.length <= slot) this.slots.push({ from: [], to: [], operations: [] });
    const one = this.slots[slot];
    one.from.push(event);
    one.to.push(Infinity);
    one.operations.push(operation);
    this.taken[slot] = true;
    return slot;
  }

  free(slot, event) {
    const one = this.slots[slot];
    one.to[one.to.length - 1] = event;
    this.taken[slot] = false;
    this.firstFree = Math.min(this.firstFree, slot);
  }

  /** The operation that has a slot at a position; null for a free one. */
  at(slot, position) {
    const one = this.slots[slot];
    if (!one) return null;
    const index = below(one.from, position) - 1;
    return index >= 0 && one.to[index] >= position ? one.operations[index] : null;
  }
}
