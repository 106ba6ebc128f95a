// Why an operation does not run at a position. The findings and their words are those of `why`: the
// nearest reason first, the root last.

const mostReasons = 24;
const mostNames = 4;

/** Names in a sentence, as the shell lists them. */
function namesOf(operations, count = operations.length) {
  const parts = operations.slice(0, mostNames).map((one) => "'" + visible(one.name, 60) + "'");
  if (count > parts.length) parts.push(count - parts.length + " more");
  const last = parts.pop() || "nothing";
  return parts.length === 0 ? last : parts.join(", ") + " and " + last;
}

class Why {
  constructor(model) {
    this.model = model;
  }

  /** The reasons: `{code, text, depth, operations, cure}`. */
  of(operation, position) {
    this.position = position;
    this.time = app.position === position ? app.time : this.model.timeOf(position);
    this.reasons = [];
    this.seen = new Set();
    this.search(operation, 0);
    return this.reasons;
  }

  /** One sentence above the reasons. */
  headline(operation, position, reasons) {
    const state = operation.stateAt(position);
    const cancelled = operation.cancelled < position;
    if (state === "finished") return "It has finished: " + operation.outcome + ".";
    if (reasons.length === 0) {
      if (state !== "executing") return "It is about to start; nothing keeps it.";
      return cancelled
        ? "It is executing and cancelled; it ends when its work does."
        : "It is executing; nothing keeps it.";
    }
    if (state === "executing") return "It is executing and waits because";
    return cancelled ? "It is cancelled; it cannot finish yet because"
      : "It is " + state + " and does not run because";
  }

  add(code, text, depth, operations = [], cure = null) {
    if (this.reasons.length >= mostReasons) return;
    if (this.reasons.some((reason) => reason.text === text)) return;
    this.reasons.push({ code, text, depth, operations, cure });
  }

  name(operation) {
    return "'" + visible(operation.name, 60) + "'";
  }

  state(operation) {
    return operation.stateAt(this.position);
  }

  search(operation, depth) {
    if (this.seen.has(operation) || this.reasons.length >= mostReasons) return;
    this.seen.add(operation);
    switch (this.state(operation)) {
      case "created":
        return this.add("not-on-queue",
          this.name(operation) + " is on no queue, so nothing will start it", depth, [operation],
          "start " + operation.name);
      case "pending":
      case "ready":
        this.searchDependencies(operation, depth);
        return this.searchWaiting(operation, depth);
      case "executing":
        return this.searchExecuting(operation, depth);
    }
  }

  searchDependencies(operation, depth) {
    if (operation.cancelled < this.position) return;
    const unmet = operation.edgesAt(this.position).map((edge) => this.model.operation(edge.id))
      .filter((other) => this.state(other) !== "finished");
    for (const other of unmet) {
      const cancelled = other.cancelled < this.position ? ", cancelled" : "";
      this.add("dependency", "waits for " + this.name(other) + ", which is " + this.state(other) + cancelled,
        depth, [other]);
      this.search(other, depth + 1);
    }
  }

  searchExecuting(operation, depth) {
    const waiting = operation.waiting.at(this.position);
    if (waiting && waiting.cause === "awaits-finish") {
      return this.add("awaits-finish",
        this.name(operation) + " has done its work, and nothing has called finish", depth, [operation],
        "finish " + operation.name);
    }
    if (waiting) {
      const told = /before (attempt \d+ of \d+): ([^,]+)/.exec(waiting.reason);
      const what = told ? ": " + visible(told[2], 80) + ", " + told[1] : ", the next attempt";
      const left = waiting.until === null ? ""
        : what + " follows in " + duration(Math.max(0, waiting.until - this.time));
      const asker = waiting.culprit && waiting.culprit !== operation ? waiting.culprit : null;
      return this.add("pause", this.name(operation) + " pauses" +
        left + (asker ? "; the answer to " + this.name(asker) + " asked for it" : ""), depth,
      asker ? [operation, asker] : [operation]);
    }
    if (!operation.isGroup) return;
    const members = this.model.membersOf(operation).filter((other) => this.state(other) !== "finished");
    if (members.length === 0) return;
    this.add("dependency",
      "group " + this.name(operation) + " waits for " + namesOf(members) + " in it", depth,
      members.slice(0, mostNames));
    for (const member of members.slice(0, mostNames)) this.search(member, depth + 1);
  }

  /** What keeps it, other than its dependencies. */
  searchWaiting(operation, depth) {
    const count = this.reasons.length;
    const delay = operation.delay.at(this.position);
    if (delay > 0 && this.state(operation) === "pending") {
      const left = Math.max(0, operation.times.pending + delay - this.time);
      this.add("delay", this.name(operation) + " may become ready in " + duration(left), depth,
        [operation], "wait " + operation.name);
    }
    if (!operation.queue) return;
    this.searchBarrier(operation, depth);
    const holder = this.holderOf(operation);
    const isReady = this.state(operation) === "ready";
    if (holder && isReady) this.addHolder(holder, depth);
    this.searchQueue(operation, depth, this.reasons.length > count);
    if (holder && !isReady) this.addHolder(holder, depth);
  }

  addHolder({ name, operation }, depth) {
    this.add("exclusive", "'" + visible(name, 60) + "' is held by " + this.name(operation), depth,
      [operation], "cancel " + operation.name);
    this.search(operation, depth + 1);
  }

  searchBarrier(operation, depth) {
    const { members, barriers } = operation.queue.conditions;
    const isOpen = (other) => other.turn < operation.turn &&
      !["created", "finished"].includes(this.state(other));
    const barrier = barriers.find(isOpen);
    if (barrier) {
      this.add("barrier", "comes after barrier " + this.name(barrier), depth, [barrier],
        this.state(barrier) === "executing" ? "cancel " + barrier.name : "why " + barrier.name);
      return this.search(barrier, depth + 1);
    }
    if (!operation.isBarrier) return;
    const before = members.slice(0, operation.turn).filter(isOpen);
    if (before.length === 0) return;
    this.add("barrier",
      "barrier " + this.name(operation) + " waits for " + namesOf(before) + ", added before it", depth,
      before.slice(0, mostNames),
      before.length <= 3 ? "cancel " + before.map((other) => other.name).join(" ")
        : "queue show " + operation.queue.name);
    for (const other of before.slice(0, mostNames)) this.search(other, depth + 1);
  }

  searchQueue(operation, depth, isBlocked) {
    const queue = operation.queue;
    const name = "'" + visible(queue.name, 60) + "'";
    const width = queue.width.at(this.position);
    const paused = queue.paused.at(this.position);
    const competes = !isBlocked && this.state(operation) === "ready" && width !== 0;
    const isFull = competes && width > 0 && queue.executing.count(this.position) >= width;
    if (competes && !paused) {
      if (isFull) this.addFull(queue, name, width, depth);
      this.searchPace(queue, name, depth);
    }
    if (width === 0) {
      this.add("width-zero", "queue " + name + " has width 0 and starts nothing", depth, [],
        "queue width " + queue.name + " 1");
    }
    if (paused) {
      this.add("queue-paused", "queue " + name + " is paused", depth, [], "queue resume " + queue.name);
      if (isFull) this.addFull(queue, name, width, depth);
    }
    if (queue.group && this.state(queue.group) !== "executing") {
      this.add("group", "group " + this.name(queue.group) + " has not begun", depth, [queue.group],
        "why " + queue.group.name);
      this.search(queue.group, depth + 1);
    }
  }

  addFull(queue, name, width, depth) {
    const count = queue.executing.count(this.position);
    const holders = [];
    for (let slot = 0; slot < queue.slots.slots.length && holders.length < mostNames; slot += 1) {
      const holder = queue.slots.at(slot, this.position);
      if (holder) holders.push(holder);
    }
    this.add("queue-full", "queue " + name + " is full: " + namesOf(holders, count) +
      (count === 1 ? " holds its " : " hold its ") + (width === 1 ? "slot" : width + " slots"), depth,
    holders, "queue width " + queue.name + " unlimited");
    // A holder that waits itself is the root.
    for (const holder of holders) if (holder.waiting.at(this.position)) this.search(holder, depth + 1);
  }

  searchPace(queue, name, depth) {
    const pace = queue.pace.at(this.position);
    const starts = queue.executing.from;
    const last = starts[below(starts, this.position) - 1];
    if (!(pace > 0) || last === undefined) return;
    const left = this.model.times[last] + pace - this.time;
    if (left <= 0) return;
    this.add("pace", "queue " + name + " starts the next one in " + duration(left), depth, [],
      "queue pace " + queue.name + " off");
  }

  holderOf(operation) {
    if (operation.cancelled < this.position) return null;
    for (const name of operation.exclusive.at(this.position)) {
      const holder = (this.model.holders.get(name) || [])
        .find((other) => other !== operation && this.state(other) === "executing");
      if (holder) return { name, operation: holder };
    }
    return null;
  }
}
