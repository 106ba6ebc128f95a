// What the time of an operation went to: the rules are those of `blame` and `timeline`.

/** The causes, in the order of the legend, and what they are called. */
const causes = {
  dependency: "dependency not finished",
  delay: "delay",
  group: "group not begun",
  "queue-paused": "queue paused",
  "width-zero": "queue of width 0",
  "queue-full": "queue full",
  barrier: "barrier",
  exclusive: "exclusive name taken",
  pace: "pace of the queue",
  starting: "about to start",
  backoff: "pause before another attempt",
  "host-pause": "server asked to wait",
  "awaits-finish": "nothing called finish",
  members: "members of the group",
  "request-queued": "others under way",
  lookup: "lookup of the host",
  connect: "connecting",
  tls: "TLS handshake",
  sending: "sending the body",
  "first-byte": "waiting for the first byte",
  body: "receiving the body",
  work: "work",
};

/** The same in a word or two, for the legend. */
const shortCauses = {
  dependency: "dependency", group: "group", "width-zero": "width 0", exclusive: "exclusive name",
  pace: "pace", starting: "starting", backoff: "backoff", "host-pause": "host pause",
  "awaits-finish": "awaits finish", members: "members", lookup: "lookup", connect: "connect",
  tls: "TLS", sending: "sending", "first-byte": "first byte", body: "body",
};

/** What is shorter is the time between two steps of the engine. */
const shortestPhase = 1e-6;

/** The steps of a transfer, and the names of the times at which they end. */
const transferSteps = [
  ["lookup", "lookup"], ["connect", "connect"], ["tls", "tls"], ["sending", "sent"], ["first-byte", "first byte"],
  ["body", "total"],
];

class PhaseList {
  constructor(start) {
    this.position = start;
    this.phases = [];
  }

  /** Adds what lasts from the end of the last one to a time; nothing if that is not later. */
  add(cause, until, culprit = null) {
    if (!(until > this.position)) return;
    const last = this.phases[this.phases.length - 1];
    if (last && last.cause === cause && last.culprit === culprit) {
      last.end = until;
    } else {
      this.phases.push({ cause, start: this.position, end: until, culprit });
    }
    this.position = until;
  }
}

class Phases {
  constructor(model) {
    this.model = model;
    this.kept = new Map();
    /** The present, of the operation that is read. */
    this.now = 0;
  }

  clear() {
    this.kept.clear();
  }

  /** The phases of an operation from the time it was added up to its end or a present. */
  of(operation, now) {
    const isOver = operation.times.finished !== undefined;
    const known = this.kept.get(operation);
    if (known && known.version === operation.version && isOver) return known.phases;
    const phases = this.read(operation, now);
    if (isOver) {
      if (this.kept.size > 2000) this.kept.clear();
      this.kept.set(operation, { version: operation.version, phases });
    }
    return phases;
  }

  read(operation, now) {
    this.now = now;
    const times = operation.times;
    const added = times.pending ?? times.ready ?? times.executing;
    if (added === undefined) return [];
    const end = Math.max(added, times.finished ?? now);
    const list = new PhaseList(added);
    this.addPending(operation, times.ready ?? times.executing ?? end, list);
    if (times.ready !== undefined) this.addReady(operation, times.executing ?? end, list);
    if (times.executing !== undefined) this.addExecuting(operation, end, list);
    return this.withTransfers(operation, list.phases);
  }

  /**
   * The times in which dependencies kept an operation. Of several at once, the time is owed to the
   * one that was met last; after its cancellation none of them counts.
   */
  dependencies(operation, start, end) {
    let limit = Math.min(end, operation.cancelTime);
    const found = [];
    while (limit > start) {
      let last = null;
      for (const edge of operation.edges) {
        if (edge.addedAt >= limit) continue;
        const other = this.model.operations.get(edge.id);
        const met = Math.min(
          other?.times.finished ?? limit,
          edge.to === Infinity ? limit : this.model.times[edge.to], limit);
        const from = Math.max(edge.addedAt, start);
        if (met > from && (!last || met > last.end)) last = { culprit: other, start: from, end: met };
      }
      if (!last) break;
      found.push(last);
      limit = last.start;
    }
    return found.reverse();
  }

  addPending(operation, end, list) {
    const other = operation.delay.values.length > 0 ? "delay" : "starting";
    for (const wait of this.dependencies(operation, list.position, end)) {
      list.add(other, wait.start);
      list.add("dependency", wait.end, wait.culprit);
    }
    list.add(other, end);
  }

  addReady(operation, end, list) {
    const queue = operation.queue;
    if (!queue) return list.add("starting", end);
    for (const wait of this.dependencies(operation, operation.times.ready, end)) {
      this.addOnQueue(operation, queue, wait.start, list);
      list.add("dependency", wait.end, wait.culprit);
    }
    this.addOnQueue(operation, queue, end, list);
  }

  addOnQueue(operation, queue, end, list) {
    if (list.position >= end) return;
    const conditions = queue.conditions;
    const barrier = this.barrierBefore(operation, conditions, end);
    if (barrier) list.add("barrier", Math.min(barrier.end, end), barrier.operation);
    for (const part of conditions.parts(list.position, end)) {
      switch (part.condition) {
        case "queue-full":
          this.addFull(operation, conditions, part, list);
          break;
        case "group":
          list.add("group", part.end, queue.group);
          break;
        case "queue-paused":
        case "width-zero":
          list.add(part.condition, part.end);
          break;
        default:
          this.addFree(operation, part.condition === "pace" ? "pace" : "starting", part.end, list);
      }
    }
  }

  /** Owed to the operation that made room at its end, or, while none has, to one that still has its slot. */
  addFull(operation, conditions, part, list) {
    const { executing: started, finished } = operation.times;
    const lasts = part.end >= this.now && started === undefined && finished === undefined;
    const ending = lasts ? null : conditions.lastEnd(part.end, operation);
    if (ending && ending.time >= part.start) return list.add("queue-full", part.end, ending.operation);
    // It became ready while the slot that it got was handed over.
    if (ending && part.end === started && part.end - ending.time < longestHandover) {
      return list.add("starting", part.end);
    }
    const holders = [...conditions.executing].filter((other) => other.times.executing < part.end);
    list.add("queue-full", part.end, holders[0] || null);
  }

  addFree(operation, other, end, list) {
    for (const holder of this.holdersBefore(operation, end)) {
      if (holder.end <= list.position) continue;
      list.add(other, holder.start);
      list.add("exclusive", Math.min(holder.end, end), holder.operation);
    }
    list.add(other, end);
  }

  barrierBefore(operation, conditions, now) {
    let found = null;
    const others = operation.isBarrier
      ? conditions.members.slice(0, operation.turn) : conditions.barriers;
    for (const other of others) {
      if (other.turn >= operation.turn) continue;
      const end = other.times.finished ?? now;
      if (!found || end > found.end) found = { operation: other, end };
    }
    return found;
  }

  holdersBefore(operation, end) {
    const found = [];
    for (const name of operation.exclusive.last) {
      const holders = this.model.holders.get(name) || [];
      const place = holders.indexOf(operation);
      const before = place < 0 ? holders : holders.slice(0, place);
      for (const other of before.slice(-64)) {
        const start = other.times.executing;
        if (start === undefined || start >= end) continue;
        found.push({ operation: other, start, end: Math.min(other.times.finished ?? end, end) });
      }
    }
    return found.sort((one, other) => one.end - other.end);
  }

  addExecuting(operation, end, list) {
    let lastMember = null;
    for (const member of this.model.membersOf(operation)) {
      const time = member.times.finished ?? Infinity;
      if (!lastMember || time > (lastMember.times.finished ?? Infinity)) lastMember = member;
    }
    const work = operation.isGroup ? "members" : "work";
    let cause = work;
    let culprit = lastMember;
    for (const change of operation.changes) {
      list.add(cause, Math.min(change.time, end), culprit);
      cause = change.cause === "work" ? work : change.cause;
      culprit = change.cause === "work" ? lastMember : change.culprit;
    }
    list.add(cause, end, culprit);
  }

  /** Tells the phases of each transfer of a request apart, and the work between them. */
  withTransfers(operation, phases) {
    const transfers = operation.info?.request?.transfers;
    if (!Array.isArray(transfers) || transfers.length === 0) return phases;
    return phases.flatMap((phase) =>
      (phase.cause === "work" ? this.transfersIn(phase, transfers) : [phase]));
  }

  transfersIn(work, transfers) {
    const list = new PhaseList(work.start);
    const add = (cause, until) => list.add(cause, Math.min(work.end, until));
    transfers.forEach((transfer, index) => {
      const next = transfers[index + 1];
      if (transfer.start >= work.end || (next ? next.start : work.end) <= work.start) return;
      add("work", transfer.start);
      const start = transfer.start + (transfer.waited ?? 0);
      add("request-queued", start);
      for (const [cause, name] of transferSteps) {
        // Without a first byte it was waited for until the end.
        const time = transfer[name] ?? (name === "first byte" ? transfer.total : null);
        if (typeof time === "number") add(cause, start + time);
      }
    });
    add("work", work.end);
    return list.phases;
  }
}
