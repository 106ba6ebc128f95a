// What operations wait for at a moment, by the rules of the engine: who is ready, whose turn it is,
// who holds an exclusive name, and which events must happen before others.

/** What holds of operations and queues at a position and its time. */
class Moment {
  constructor(model, position, time) {
    this.model = model;
    this.position = position;
    this.time = time;
  }

  state(operation) {
    return operation.stateAt(this.position);
  }

  isCancelled(operation) {
    return operation.cancelled < this.position;
  }

  /** The dependencies that have not finished, in the order of adding. */
  unmet(operation) {
    if (operation.edges.length === 0) return [];
    return operation.edgesAt(this.position).map((edge) => this.model.operation(edge.id))
      .filter((other) => this.state(other) !== "finished");
  }

  /** Whether dependencies are among what keeps it. */
  isKeptByDependencies(operation) {
    return ["created", "pending", "ready"].includes(this.state(operation)) &&
      !this.isCancelled(operation);
  }

  isReady(operation) {
    return this.state(operation) === "ready" &&
      (this.isCancelled(operation) || this.unmet(operation).length === 0);
  }

  // Queues

  width(queue) {
    return queue.width.at(this.position);
  }

  isPaused(queue) {
    return queue.paused.at(this.position);
  }

  hasRoom(queue) {
    const width = this.width(queue);
    return width < 0 || queue.executing.count(this.position) < width;
  }

  /** When the pace lets the next operation start. */
  nextStart(queue) {
    const pace = queue.pace.at(this.position);
    const last = queue.pacedStart.at(this.position);
    return pace > 0 && last !== null ? last + pace : 0;
  }

  /** The operations that hold a slot, in the order of the slots. */
  holders(queue, most = Infinity) {
    const holders = [];
    for (let slot = 0; slot < queue.slots.slots.length && holders.length < most; slot += 1) {
      const holder = queue.slots.at(slot, this.position);
      if (holder) holders.push(holder);
    }
    return holders;
  }

  /** Those of a queue that have not finished, in the order of adding. */
  unfinished(queue) {
    return [...queue.pending.list(this.position, Infinity), ...this.ready(queue),
      ...queue.executing.list(this.position, Infinity)].sort((one, other) => one.turn - other.turn);
  }

  ready(queue) {
    return queue.readyList(this.position, Infinity);
  }

  /** The barriers of a queue that have not finished. */
  openBarriers(queue) {
    return queue.conditions.barriers.filter((barrier) =>
      barrier.isBarrier && !["created", "finished"].includes(this.state(barrier)));
  }

  /** The barrier that an operation waits behind; the last one of several. */
  barrierBefore(operation) {
    return this.openBarriers(operation.queue)
      .filter((barrier) => barrier.turn < operation.turn).pop() || null;
  }

  /** What a barrier waits for: all that was added before it. */
  membersBefore(barrier) {
    return this.unfinished(barrier.queue).filter((other) => other.turn < barrier.turn);
  }

  // The order of starting

  /** Compares the places of two operations of a queue. */
  compare(one, other) {
    const [first, second] = [this.rank(one), this.rank(other)];
    const index = first.findIndex((value, place) => value !== second[place]);
    return index < 0 ? 0 : first[index] - second[index];
  }

  rank(operation) {
    const { position } = this;
    const barriers = operation.queue.conditions.barriers.length === 0 ? 0
      : this.openBarriers(operation.queue).filter((barrier) => barrier.turn < operation.turn).length;
    return [barriers + (operation.isBarrier ? 1 : 0), operation.isBarrier ? 0 : 1,
      priorityNames.indexOf(operation.priority.at(position)), operation.order.at(position)];
  }

  /** Whether the queue may start it as soon as it has room. */
  isStartable(operation) {
    return this.isReady(operation) && !this.isAside(operation);
  }

  /** How many start before it, or get the name before it that both wait for, and the first of them. */
  before(operation, most) {
    const isAside = this.isAside(operation);
    const name = isAside ? this.busyName(operation) : null;
    const first = [];
    let count = 0;
    for (const other of this.ready(operation.queue)) {
      if (other === operation || this.compare(other, operation) >= 0 ||
        !(isAside ? this.isAside(other) && other.exclusive.at(this.position).includes(name)
          : this.isStartable(other) && !this.needsTakenName(other))) continue;
      count += 1;
      let place = first.length;
      while (place > 0 && this.compare(other, first[place - 1]) < 0) place -= 1;
      if (place < most) first.splice(place, 0, other);
      if (first.length > most) first.pop();
    }
    return { first, count };
  }

  // Exclusive names

  /** Whether it is passed over, because a name that it needs is not to be had. */
  needsTakenName(operation) {
    return !this.isCancelled(operation) && operation.exclusive.at(this.position)
      .some((name) => this.holder(name) || this.reserver(name, operation));
  }

  /** The first of its names that another one has. */
  busyName(operation) {
    return operation.exclusive.at(this.position).find((name) => this.holder(name)) ?? null;
  }

  /** The operation that has an exclusive name. */
  holder(name) {
    const holders = this.model.holders.get(name) || [];
    let [low, high] = [0, holders.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holders[middle].startedAt < this.position) low = middle + 1;
      else high = middle;
    }
    const last = holders[low - 1];
    return last && this.state(last) === "executing" ? last : null;
  }

  /** Whether it waits outside of the order of starting: it had its turn, but not all of its names. */
  isAside(operation) {
    return operation.aside.at(this.position) && this.state(operation) === "ready";
  }

  /** The operation with an earlier turn that reserves a name. */
  reserver(name, operation) {
    const turn = (one) => [priorityNames.indexOf(one.priority.at(this.position)), one.order.at(this.position)];
    const isEarlier = (one, other) => one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
    let found = null;
    for (const other of this.model.setAside) {
      if (other === operation || !this.isAside(other) || !isEarlier(turn(other), turn(operation)) ||
        !other.exclusive.at(this.position).includes(name) || !this.reserves(other)) continue;
      if (!found || isEarlier(turn(other), turn(found))) found = other;
    }
    return found;
  }

  /** Whether one that is set aside keeps its names: what it waits for must not wait itself. */
  reserves(operation) {
    const { queue } = operation;
    const works = (one) => !this.isHeldUp(one) || Boolean(this.pause(one)?.isAttempt);
    return !this.isPaused(queue) && this.width(queue) !== 0 && !this.isHeld(queue) &&
      (this.hasRoom(queue) || this.holders(queue).some(works)) &&
      operation.exclusive.at(this.position).every((name) => !this.holder(name) || works(this.holder(name)));
  }

  // Executing operations

  /** The pause before another attempt, or before a request because a server asked for it. */
  pause(operation) {
    const waiting = this.state(operation) === "executing" ? operation.waiting.at(this.position) : null;
    if (!waiting || waiting.cause === "awaits-finish" || waiting.until === null) return null;
    const left = duration(Math.max(0, waiting.until - this.time));
    const attempt = / before attempt (\d+) of (\d+): ([^]*)$/.exec(waiting.reason);
    if (attempt) {
      return {
        isAttempt: true, asker: waiting.culprit,
        text: attempt[3] + ", attempt " + attempt[1] + " of " + attempt[2] + " follows in " + left,
      };
    }
    const request = / before the request: ([^]*)$/.exec(waiting.reason);
    return request && {
      isAttempt: false, asker: waiting.culprit, text: request[1] + ", the request follows in " + left,
    };
  }

  /** Why it goes on executing although its work is done, in words. */
  finishWait(operation) {
    const waiting = this.state(operation) === "executing" ? operation.waiting.at(this.position) : null;
    // An open group goes on with what is added to it.
    if (operation.isGroup && this.members(operation).length > 0) return null;
    return waiting?.cause === "awaits-finish" ? waiting.reason : null;
  }

  /** What its body waits for. */
  awaited(operation) {
    if (this.state(operation) !== "executing") return [];
    return operation.awaited.at(this.position).map((id) => this.model.operations.get(id))
      .filter((other) => other && this.state(other) !== "finished");
  }

  members(group) {
    return group.innerQueue ? this.unfinished(group.innerQueue) : [];
  }

  isHeld(queue) {
    return queue.group !== null && !["executing", "finished"].includes(this.state(queue.group));
  }

  /** Whether it holds a slot and nothing works on it. */
  isHeldUp(operation) {
    if (this.state(operation) !== "executing") return false;
    return this.pause(operation)?.isAttempt || this.finishWait(operation) !== null ||
      this.awaited(operation).length > 0 || this.waitsInside(operation);
  }

  /** Whether a group has begun, and nothing in it works. */
  waitsInside(operation) {
    const queue = operation.innerQueue;
    if (!queue || this.isHeld(queue) || this.members(operation).length === 0) return false;
    return !this.holders(queue).some((holder) => !holder.isGroup && !this.isHeldUp(holder));
  }

  /** The holders of a full queue, if none of them works; while one does, its slot will be free. */
  heldUpHolders(queue) {
    const holders = this.holders(queue);
    return holders.every((holder) => this.isHeldUp(holder)) ? holders : [];
  }

  // Findings

  /** What keeps an operation from running, its dependencies apart. */
  findings(operation) {
    switch (this.state(operation)) {
      case "finished": return [];
      case "executing": return this.findingsWhileExecuting(operation);
      case "created": return [{ kind: "not-on-queue", operation }];
    }
    const queue = operation.queue;
    if (!queue) return [{ kind: "not-on-queue", operation }];
    const obstacle = operation.obstacle.at(this.position);
    if (obstacle && !this.isCancelled(operation)) return [{ kind: "foundation", operation, text: obstacle }];
    const found = [];
    if (operation.delay.at(this.position) > 0 && !this.isReady(operation)) found.push({ kind: "delay", operation });
    const barrier = this.barrierBefore(operation);
    if (barrier) {
      found.push({ kind: "behind-barrier", operation: barrier });
    } else if (operation.isBarrier && this.membersBefore(operation).length > 0) {
      found.push({ kind: "barrier-waits", operation });
    }
    found.push(...this.queueFindings(operation, queue, found.length > 0));
    found.push(...this.exclusiveFindings(operation));
    if (this.isAside(operation)) found.push({ kind: "behind", operation });
    return found;
  }

  findingsWhileExecuting(operation) {
    if (this.pause(operation)?.isAttempt) return [{ kind: "pause", operation }];
    if (this.finishWait(operation) !== null) return [{ kind: "awaits-finish", operation }];
    if (this.awaited(operation).length > 0) return [{ kind: "body", operation }];
    return this.waitsInside(operation) ? [{ kind: "inside", operation }] : [];
  }

  exclusiveFindings(operation) {
    if (this.isCancelled(operation)) return [];
    return operation.exclusive.at(this.position).map((name) => {
      const holder = this.holder(name);
      return holder ? { kind: "exclusive", name, operation: holder }
        : { kind: "reserved", name, operation: this.reserver(name, operation) };
    }).filter((one) => one.operation);
  }

  queueFindings(operation, queue, isBlocked) {
    const found = [];
    const width = this.width(queue);
    const isReady = this.isReady(operation);
    const isFull = !isBlocked && isReady && width !== 0 && !this.hasRoom(queue);
    const isPaused = this.isPaused(queue);
    if (!isBlocked && isReady && !isPaused && width !== 0) {
      const isPaced = this.nextStart(queue) > this.time;
      if ((isFull || isPaced) && !this.isAside(operation)) found.push({ kind: "behind", operation });
      if (isFull) found.push({ kind: "queue-full", queue });
      if (isPaced) found.push({ kind: "pace", queue });
    }
    if (width === 0) found.push({ kind: "width-zero", queue });
    if (isPaused) {
      found.push({ kind: "queue-paused", queue });
      if (isFull) found.push({ kind: "queue-full", queue });
    }
    // When its delay is over it will need a slot, and nothing frees one.
    const isJammed = !isReady && operation.delay.at(this.position) > 0 && width > 0 && !this.hasRoom(queue) &&
      this.heldUpHolders(queue).length > 0;
    if (isJammed) found.push({ kind: "queue-full", queue });
    if (this.isHeld(queue)) found.push({ kind: "group", operation: queue.group });
    return found;
  }
}

/** Which events an event requires; operations that wait for one another form a cycle of them. */
class WaitGraph {
  constructor(moment) {
    this.moment = moment;
  }

  start(operation) {
    return { key: "start " + operation.id, operation, isStart: true };
  }

  finish(operation) {
    return { key: "finish " + operation.id, operation, isStart: false };
  }

  /** The events without which an event cannot happen. */
  needs(event) {
    if (event.queue) {
      const holders = this.moment.holders(event.queue, 2);
      return holders.length === 1 ? [this.finish(holders[0])] : [];
    }
    return event.isStart ? this.startNeeds(event.operation) : this.finishNeeds(event.operation);
  }

  finishNeeds(operation) {
    const { moment } = this;
    const state = moment.state(operation);
    if (state === "finished") return [];
    const endsByItself = operation.info?.settings?.timeout || moment.isCancelled(operation);
    if (moment.finishWait(operation) !== null && !endsByItself) return [];
    const needs = state === "executing"
      ? moment.awaited(operation).map((other) => this.finish(other)) : [this.start(operation)];
    for (const member of moment.members(operation)) needs.push(this.finish(member));
    return needs;
  }

  startNeeds(operation) {
    const { moment } = this;
    if (["executing", "finished"].includes(moment.state(operation))) return [];
    const needs = [];
    if (moment.isKeptByDependencies(operation)) {
      for (const other of moment.unmet(operation)) needs.push(this.finish(other));
    }
    for (const finding of moment.findings(operation)) {
      switch (finding.kind) {
        // These end by an action from outside.
        case "foundation":
        case "not-on-queue":
        case "queue-paused":
        case "width-zero":
          return [];
        case "behind-barrier":
          needs.push(this.finish(finding.operation));
          break;
        case "barrier-waits":
          for (const other of moment.membersBefore(operation)) needs.push(this.finish(other));
          break;
        case "exclusive":
          needs.push(this.finish(finding.operation));
          break;
        case "group":
          needs.push(this.start(finding.operation));
      }
    }
    const queue = operation.queue;
    if (queue && moment.width(queue) > 0 && !moment.hasRoom(queue)) {
      needs.push({ key: "slot " + queue.key, queue, operation: null });
    }
    return needs;
  }

  /** Operations of which each waits for the next, and the last for the first; null for none. */
  cycle(operation) {
    const [start, finish] = [this.start(operation), this.finish(operation)];
    const own = this.pathToItself(finish) || this.pathToItself(start);
    const events = own ? own.slice(0, -1) : this.cycleOfOthers(finish);
    if (!events) return null;
    const operations = [];
    for (const event of events) {
      if (event.operation && operations[operations.length - 1] !== event.operation) operations.push(event.operation);
    }
    if (operations.length > 1 && operations[0] === operations[operations.length - 1]) operations.pop();
    return operations;
  }

  /** The shortest path from an event to itself, both ends included. */
  pathToItself(start) {
    const cameFrom = new Map();
    const queue = [start];
    for (let next = 0; next < queue.length && next < mostVisits; next += 1) {
      const event = queue[next];
      for (const need of this.needs(event)) {
        if (cameFrom.has(need.key)) continue;
        cameFrom.set(need.key, event);
        queue.push(need);
        if (need.key !== start.key) continue;
        const path = [need];
        for (let one = event; ; one = cameFrom.get(one.key)) {
          path.push(one);
          if (one.key === start.key) return path.reverse();
        }
      }
    }
    return null;
  }

  /** A cycle that an event leads to. */
  cycleOfOthers(root) {
    const stack = [{ event: root, needs: null }];
    const onPath = new Set([root.key]);
    const seen = new Set();
    for (let steps = 0; stack.length > 0 && steps < mostVisits; steps += 1) {
      const top = stack[stack.length - 1];
      if (!seen.has(top.event.key)) {
        seen.add(top.event.key);
        top.needs = this.needs(top.event);
      }
      const need = top.needs?.shift();
      if (!need) {
        onPath.delete(stack.pop().event.key);
        continue;
      }
      if (onPath.has(need.key)) {
        const path = stack.map((level) => level.event);
        return path.slice(path.findIndex((event) => event.key === need.key));
      }
      if (seen.has(need.key)) continue;
      onPath.add(need.key);
      stack.push({ event: need, needs: null });
    }
    return null;
  }
}
