// The scale of time. It begins with the first operation, and long times in which nothing executed are
// shortened, as 'timeline --fold' does: a session of an hour with two minutes of work shows the work.

/** A shorter time is never shortened. */
const shortestFold = 2;
/** How long a time must be to be shortened, in lengths of all that is not. */
const leastFold = 0.5;
/** The same if something waited in it: a paused queue is worth seeing. */
const leastFoldOfWaiting = 5;
/** What a shortened time takes of the scale, and what all of them take together. */
const foldShare = 0.08;
const allFoldsShare = 0.4;

class TimeScale {
  constructor(model) {
    this.model = model;
    this.isFolding = true;
    this.clear();
  }

  clear() {
    this.start = 0;
    this.folds = [];
    this.domain = 0;
    this.foldSize = 0;
    this.version = 0;
    this.key = "";
    this.signature = null;
    this.canFold = false;
  }

  /** The times that are to be shortened, in order. */
  choose(end) {
    const gaps = this.model.idleTimes(end).filter((gap) => gap.end - gap.start >= shortestFold);
    let rest = end - this.start - gaps.reduce((sum, gap) => sum + gap.end - gap.start, 0);
    const order = gaps.slice().sort((one, other) => (one.end - one.start) - (other.end - other.start));
    const chosen = new Set(gaps);
    for (const gap of order) {
      const length = gap.end - gap.start;
      const least = gap.waited > length / 2 ? leastFoldOfWaiting : leastFold;
      if (length > least * rest) continue;
      chosen.delete(gap);
      rest += length;
    }
    return gaps.filter((gap) => chosen.has(gap));
  }

  /** Follows the model, up to the end of the recording or the present. */
  update(end, grows) {
    const key = [this.isFolding, this.model.version, end].join("|");
    if (this.key === key) return;
    this.key = key;
    this.start = Math.min(this.model.firstTime ?? 0, end);
    const all = this.choose(end);
    this.canFold = all.length > 0;
    const folds = this.isFolding ? all : [];
    const signature = this.start + "|" + folds.map((fold) => fold.start).join("|");
    const shortened = folds.reduce((sum, fold) => sum + fold.end - fold.start, 0);
    const rest = Math.max(1e-6, end - this.start - shortened);
    const length = rest + folds.length * this.foldSize;
    if (!grows || this.signature !== signature || length > this.domain || length < this.domain / 2) {
      // A scale that grows in steps, so that rows are not drawn anew in each frame.
      const share = Math.min(foldShare, allFoldsShare / Math.max(1, folds.length));
      const whole = rest / (1 - folds.length * share);
      this.signature = signature;
      this.domain = grows ? Math.max(0.5, whole * 1.3) : whole;
      this.foldSize = share * (grows ? this.domain / 1.3 : whole);
      this.version += 1;
    }
    let before = 0;
    this.folds = folds.map((fold, index) => {
      const at = fold.start - this.start - before + index * this.foldSize;
      before += fold.end - fold.start;
      return { start: fold.start, end: fold.end, at, size: this.foldSize };
    });
    this.length = this.at(end);
  }

  /** The place of a time, in seconds of which the shortened ones are few. */
  at(time) {
    let [low, high] = [0, this.folds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.folds[middle].start < time) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return Math.max(0, time - this.start);
    const fold = this.folds[low - 1];
    return time <= fold.end ? fold.at + fold.size * (time - fold.start) / (fold.end - fold.start)
      : fold.at + fold.size + time - fold.end;
  }

  /** The time of a place. */
  timeAt(place) {
    let [low, high] = [0, this.folds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.folds[middle].at < place) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return this.start + Math.max(0, place);
    const fold = this.folds[low - 1];
    const inside = place - fold.at;
    return inside <= fold.size ? fold.start + (fold.end - fold.start) * inside / fold.size
      : fold.end + inside - fold.size;
  }

  /** The stretches between the shortened times, within two places: their times and places. */
  stretches(from, to) {
    const found = [];
    let [time, at] = [this.start, 0];
    for (const fold of [...this.folds, null]) {
      const end = fold ? fold.at : Infinity;
      if (end > from && at < to) {
        const [first, last] = [Math.max(at, from), Math.min(end, to)];
        found.push({ start: time + first - at, end: time + last - at, at: first });
      }
      if (fold) [time, at] = [fold.end, fold.at + fold.size];
    }
    return found;
  }

  get shortened() {
    return this.folds.reduce((sum, fold) => sum + fold.end - fold.start, 0);
  }
}
