// Why an operation does not run at a position, in the words of `why`: the nearest reason first, the
// root last.

const mostReasons = 24;

class Why {
  constructor(model) {
    this.model = model;
  }

  /** The reasons: `{code, text, depth, operations, cure}`. */
  of(operation, position) {
    this.position = position;
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

  add(code, text, depth, operations, cure) {
    if (this.reasons.length >= mostReasons) return;
    if (this.reasons.some((reason) => reason.text === text)) return;
    this.reasons.push({ code, text, depth, operations: operations || [], cure: cure || null });
  }

  name(operation) {
    return "'" + visible(operation.name, 60) + "'";
  }

  search(operation, depth) {
    if (this.seen.has(operation) || this.reasons.length >= mostReasons) return;
    this.seen.add(operation);
    switch (operation.stateAt(this.position)) {
      case "created":
        return this.add("not-on-queue", this.name(operation) + " is on no queue", depth, [operation],
          "start " + operation.name);
      case "pending":
        this.searchDependencies(operation, depth);
        if (operation.delay.at(this.position) > 0) {
          this.add("delay", "its delay of " + duration(operation.delay.at(this.position)) +
            " is not over", depth);
        }
        return;
      case "ready":
        this.searchDependencies(operation, depth);
        return this.searchQueue(operation, depth);
      case "executing":
        return this.searchExecuting(operation, depth);
    }
  }

  searchDependencies(operation, depth) {
    if (operation.cancelled < this.position) return;
    const unmet = operation.edgesAt(this.position).map((edge) => this.model.operation(edge.id))
      .filter((other) => other.stateAt(this.position) !== "finished");
    for (const other of unmet.slice(0, 4)) {
      if (this.seen.has(other)) {
        if (other === operation || depth > 0) {
          this.add("dependency", "waits for " + this.name(other) + ", named above", depth, [other]);
        }
        continue;
      }
      this.add("dependency",
        "waits for " + this.name(other) + ", which is " + other.stateAt(this.position), depth, [other]);
      this.search(other, depth + 1);
    }
    if (unmet.length > 4) {
      this.add("dependency", "and waits for " + counted(unmet.length - 4, "more operation"), depth);
    }
  }

  searchExecuting(operation, depth) {
    const waiting = operation.waiting.at(this.position);
    if (waiting) {
      const until = waiting.until ? " until " + clockText(waiting.until, this.model.end) : "";
      if (waiting.cause === "awaits-finish") {
        return this.add("awaits-finish", "the work of " + this.name(operation) +
          " is done, but nothing has finished it", depth, [operation], "finish " + operation.name);
      }
      return this.add("pause", waiting.cause === "host-pause"
        ? this.name(operation) + " pauses" + until + ": the answer to " +
          this.name(waiting.culprit) + " asked for it"
        : this.name(operation) + " pauses" + until + " before another attempt",
      depth, waiting.culprit ? [waiting.culprit] : [operation]);
    }
    if (!operation.isGroup) return;
    const members = this.model.membersOf(operation)
      .filter((other) => other.stateAt(this.position) !== "finished");
    if (members.length === 0) return;
    const names = members.slice(0, 4).map((other) => visible(other.name, 40));
    if (members.length > names.length) names.length = 3;
    const text = listed(names, 4) +
      (members.length > 4 ? " and " + counted(members.length - 3, "more member") : "");
    this.add("members", "waits for its members " + text, depth, members.slice(0, 4));
    for (const member of members.slice(0, 4)) this.search(member, depth + 1);
  }

  searchQueue(operation, depth) {
    const queue = operation.queue;
    if (!queue) return;
    const name = "'" + visible(queue.name, 60) + "'";
    const width = queue.width.at(this.position);
    const executing = queue.executing.count(this.position);
    const count = this.reasons.length;
    if (queue.group && queue.group.stateAt(this.position) !== "executing") {
      this.add("group", "the group " + this.name(queue.group) + " has not begun", depth, [queue.group]);
      this.search(queue.group, depth + 1);
    }
    const barrier = this.barrierBefore(operation, queue);
    if (barrier) {
      this.add("barrier", operation.isBarrier
        ? "is a barrier, and " + this.name(barrier) + " was added before it"
        : this.name(barrier) + " is a barrier that was added before", depth, [barrier]);
      this.search(barrier, depth + 1);
    }
    const holder = this.holderOf(operation);
    if (holder) {
      this.add("exclusive", this.name(holder.operation) + " has the name '" +
        visible(holder.name, 60) + "', which it needs for itself", depth, [holder.operation]);
    }
    if (queue.paused.at(this.position)) {
      this.add("queue-paused", "queue " + name + " is paused", depth, [], "queue resume " + queue.name);
    }
    if (width === 0) {
      this.add("width-zero", "queue " + name + " has no slots: its width is 0", depth, [],
        "queue width " + queue.name + " 2");
    } else if (width > 0 && executing >= width) {
      const holders = queue.executing.list(this.position, 4);
      const names = listed(holders.map((other) => visible(other.name, 40)), 3);
      this.add("queue-full", "queue " + name + " is full: " + names + " " +
        (holders.length === 1 ? "holds" : "hold") + " its " + counted(width, "slot"), depth, holders,
      "queue width " + queue.name + " unlimited");
    }
    const pace = queue.pace.at(this.position);
    if (pace > 0 && this.reasons.length === count) {
      this.add("pace", "the pace of queue " + name + " allows one start in " + duration(pace), depth);
    }
  }

  barrierBefore(operation, queue) {
    const others = operation.isBarrier
      ? queue.conditions.members.slice(Math.max(0, operation.turn - 2000), operation.turn)
      : queue.conditions.barriers;
    return others.find((other) => other.turn < operation.turn &&
      !["created", "finished"].includes(other.stateAt(this.position))) || null;
  }

  holderOf(operation) {
    for (const name of operation.exclusive.at(this.position)) {
      const holder = (this.model.holders.get(name) || [])
        .find((other) => other !== operation && other.stateAt(this.position) === "executing");
      if (holder) return { name, operation: holder };
    }
    return null;
  }
}
