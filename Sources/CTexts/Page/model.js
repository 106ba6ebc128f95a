// What a recording tells, as indexes over its events. Lines come one by one, from the document or
// from the server; any moment can be asked for.

class Model {
  constructor() {
    this.clear();
  }

  clear() {
    this.header = null;
    this.summary = null;
    this.events = [];
    this.times = [];
    this.operations = new Map();
    this.queues = new Map();
    this.queueList = [];
    this.created = [];
    this.totals = new Map(stateNames.map((name) => [name, { entered: [], left: [] }]));
    this.outcomes = new Map(outcomeNames.map((name) => [name, []]));
    this.holders = new Map();
    this.hostPauses = [];
    this.idle = { times: [], since: null, waited: 0, last: 0, executing: 0, waiting: 0 };
    this.firstTime = null;
    this.end = 0;
    // Those that ever waited for their exclusive names outside of the order of starting.
    this.setAside = new Set();
    this.lastSequence = -1;
    this.unreadable = 0;
    this.gaps = [];
    // The operations that a long live session has left behind, and how they ended.
    this.dropped = new IdentifierSet();
    this.droppedOutcomes = {};
    this.trimmedLength = 0;
    this.edgeVersion = 0;
    this.version = 0;
    this.orderVersion = -1;
    this.order = [];
  }

  get length() {
    return this.events.length;
  }

  /** The position after everything that had happened at a time. */
  positionAt(time) {
    return upTo(this.times, time);
  }

  timeOf(position) {
    return position > 0 ? this.times[position - 1] : 0;
  }

  count(state, position) {
    const total = this.totals.get(state);
    return below(total.entered, position) - below(total.left, position);
  }

  countOutcome(outcome, position) {
    return (this.droppedOutcomes[outcome] || 0) + below(this.outcomes.get(outcome), position);
  }

  // Reading

  /** Reads a line; returns whether it was one of a recording. */
  read(line) {
    let object;
    try {
      object = JSON.parse(line);
    } catch {
      this.unreadable += 1;
      return false;
    }
    if (object === null || typeof object !== "object") return false;
    // A server that resumes a stream may send a line again.
    if (typeof object.sequence === "number") {
      if (object.sequence <= this.lastSequence) return false;
      this.lastSequence = object.sequence;
    }
    this.version += 1;
    if (typeof object.elapsed === "number") this.end = Math.max(this.end, object.elapsed);
    switch (object.type) {
      case "recording":
        this.header = object;
        return true;
      case "operation":
        this.readOperation(object);
        return true;
      case "attempt":
        this.keepAttempt(object);
        return true;
      case "transition":
      case "change":
        this.readEvent(object);
        return true;
      case "message":
        if (object.command === "record") this.gaps.push(String(object.text));
        return true;
      case "summary":
        this.summary = object;
        return true;
      default:
        return false;
    }
  }

  operation(id) {
    let operation = this.operations.get(id);
    if (!operation) {
      operation = new OperationRecord(id, this.events.length);
      this.operations.set(id, operation);
      this.created.push(operation);
      this.totals.get("created").entered.push(this.events.length - 1);
      this.orderVersion = -1;
    }
    return operation;
  }

  readOperation(line) {
    const operation = this.operation(line.id);
    const isFirst = operation.info === null;
    operation.info = line;
    operation.name = String(line.name);
    operation.kind = String(line.kind);
    operation.isGroup = line.isGroup === true;
    operation.version += 1;
    if (operation.group !== (line.group ?? null)) {
      operation.group = line.group ?? null;
      this.orderVersion = -1;
    }
    // The line may tell of a later moment; the first change of the priority says what it was.
    if (isFirst && typeof line.priority === "string") operation.priority.first = line.priority;
    this.readRemainder(operation, line.rest, this.events.length - 1);
    for (const edge of line.dependencies || []) {
      if (operation.edges.some((other) => other.id === edge.id)) continue;
      this.addEdge(operation, edge, this.events.length - 1).isFromLine = true;
    }
  }

  /** Keeps an attempt with the line of its operation, which came before it. */
  keepAttempt(line) {
    const operation = this.operations.get(line.operation?.id);
    if (!operation?.info) return;
    (operation.info.attemptLines ??= []).push(line);
    operation.version += 1;
  }

  /** Reads what no event tells: what keeps it on Foundation's queue. */
  readRemainder(operation, rest, index) {
    if (rest === null || typeof rest !== "object") return;
    if (typeof rest.obstacle === "string") operation.obstacle.set(index, rest.obstacle);
  }

  queue(id, name, event) {
    const hasName = name !== null && name !== undefined;
    const key = id === null || id === undefined ? "name:" + name : id;
    let queue = this.queues.get(key);
    if (!queue) {
      queue = new QueueRecord(key, hasName ? String(name) : "queue " + id, event);
      this.queues.set(key, queue);
      this.queueList.push(queue);
    }
    // The queue of a group that is gone has a number only, and its transitions say the name.
    if (hasName && queue.name !== name) queue.name = String(name);
    return queue;
  }

  readEvent(line) {
    // Of what was dropped nothing is shown, also if something is told of it later.
    if (line.operation && this.dropped.has(line.operation.id)) return;
    const index = this.events.length;
    const time = Math.max(line.elapsed || 0, index > 0 ? this.times[index - 1] : 0);
    const event = { index, time, line, operation: null, queue: null };
    if (line.operation) {
      event.operation = this.operation(line.operation.id);
      if (line.operation.kind) event.operation.kind = line.operation.kind;
      if (event.operation.info === null && line.operation.name) {
        event.operation.name = String(line.operation.name);
      }
      event.operation.entries.push(index);
      event.operation.version += 1;
    }
    if ((line.queue ?? line.queueID ?? null) !== null) {
      event.queue = this.queue(line.queueID, line.queue, index);
    }
    this.events.push(event);
    this.times.push(time);
    if (line.type === "transition" && event.operation) this.readTransition(event);
    if (line.type === "change") this.readChange(event);
  }

  // Transitions

  readTransition(event) {
    const { operation, line, index, time } = event;
    if (event.queue) operation.queue = event.queue;
    if (line.cancelled && operation.cancelled === Infinity) {
      operation.cancelled = index;
      operation.cancelTime = time;
    }
    switch (line.event === undefined ? "transition" : line.event) {
      case "transition":
        if (line.from !== line.to && stateNames.includes(line.to)) this.pass(event);
        break;
      case "attempt":
        this.readAttempt(event);
        break;
      case "pause":
        this.readPause(event);
        break;
      case "awaitsFinish":
        if (operation.states.last === "executing" && operation.waiting.last?.cause !== "awaits-finish") {
          // Its work is done.
          this.noteIdle("executing", "executing", true, false, time);
        }
        operation.waiting.set(index, { cause: "awaits-finish", reason: String(line.reason), until: null });
        operation.changes.push({ time, cause: "awaits-finish", culprit: null });
        break;
    }
  }

  pass(event) {
    const { operation, queue, line, index, time } = event;
    const from = operation.states.last;
    const to = line.to;
    const works = (state) => state === "executing" && operation.waiting.last?.cause !== "awaits-finish";
    const before = works(from);
    if (to === "finished") operation.waiting.set(index, null);
    this.noteIdle(from, to, before, works(to), time);
    this.totals.get(from).left.push(index);
    this.totals.get(to).entered.push(index);
    operation.states.set(index, to);
    operation.times[to] = time;
    if (to === "executing") operation.startedAt = index;
    if (to === "finished") operation.finishedAt = index;
    if (to === "executing") {
      if (operation.attempts.last === 0) operation.attempts.set(index, 1);
      for (const name of operation.exclusive.last) {
        if (!this.holders.has(name)) this.holders.set(name, []);
        this.holders.get(name).push(operation);
      }
    }
    if (to === "finished") {
      operation.outcome = outcomeNames.includes(line.outcome) ? line.outcome : "succeeded";
      this.outcomes.get(operation.outcome).push(index);
    }
    if (queue) this.passOnQueue(operation, queue, from, to, index, time, line.reason);
    if (to === "executing" && operation.innerQueue) {
      operation.innerQueue.conditions.groupHasBegun = true;
      operation.innerQueue.conditions.update(time);
    }
  }

  /** Follows the times in which nothing worked, and how long something waited in each. */
  noteIdle(from, to, worked, works, time) {
    const idle = this.idle;
    if (this.firstTime === null) {
      this.firstTime = time;
      idle.since = idle.last = time;
    }
    if (idle.since !== null && idle.waiting > 0) idle.waited += time - idle.last;
    idle.last = time;
    const waits = (state) => state === "pending" || state === "ready";
    idle.waiting += (waits(to) ? 1 : 0) - (waits(from) ? 1 : 0);
    idle.executing += (works ? 1 : 0) - (worked ? 1 : 0);
    if (idle.executing > 0 && idle.since !== null) {
      // Most of them take no time, and only those that may be shortened are kept.
      if (time - idle.since >= shortestFold) idle.times.push({ start: idle.since, end: time, waited: idle.waited });
      idle.since = null;
    } else if (idle.executing === 0 && idle.since === null) {
      Object.assign(idle, { since: time, waited: 0 });
    }
  }

  /** The long times in which nothing executed, up to an end. */
  idleTimes(end) {
    const { times, since, waited, waiting, last } = this.idle;
    if (since === null || end <= since) return times;
    return [...times, { start: since, end, waited: waited + (waiting > 0 ? end - last : 0) }];
  }

  passOnQueue(operation, queue, from, to, index, time, reason) {
    if (operation.stay) {
      operation.stay.stays.end(operation.stay.index, index);
      operation.stay = null;
    }
    if (from === "executing" && operation.slot !== null) {
      queue.slots.free(operation.slot, index);
      operation.slot = null;
    }
    if (from === "created") {
      operation.turn = queue.conditions.add(operation);
      operation.order.set(index, index);
    }
    const stays =
      to === "pending" ? queue.pending
      : to === "ready" ? queue.ready.get(operation.priority.last) || queue.ready.get("normal")
      : to === "executing" ? queue.executing
      : null;
    if (stays) operation.stay = { stays, index: stays.begin(operation, index) };
    if (to === "executing") {
      const named = /^slot (\d{1,6})\b/.exec(reason || "");
      operation.slot = queue.slots.take(named ? Number(named[1]) - 1 : null, operation, index);
    }
    if (to === "finished") queue.finished.add(index, operation);
    if (to === "executing" && queue.pace.last > 0) queue.pacedStart.set(index, time);
    queue.conditions.pass(operation, from, to, time);
  }

  readAttempt({ operation, line, index, time }) {
    const named = /\battempt (\d{1,6})\b/.exec(line.reason || "");
    if (named) {
      operation.attempts.set(index, Number(named[1]));
    } else if (operation.waiting.last) {
      operation.attempts.set(index, operation.attempts.last + 1);
    }
    if (operation.waiting.last?.cause === "awaits-finish" && operation.states.last === "executing") {
      this.noteIdle("executing", "executing", false, true, time);
    }
    if (operation.waiting.last) operation.waiting.set(index, null);
    const last = operation.changes[operation.changes.length - 1];
    // The first word of an attempt ends a pause; what follows tells of the same work.
    if (last && last.cause !== "work") operation.changes.push({ time, cause: "work", culprit: null });
  }

  readPause({ operation, line, index, time }) {
    const planned = operation.plannedPause;
    operation.plannedPause = null;
    // What is random in it must not hide that the answer to the operation asked for it.
    const asksItself = String(line.reason).includes(", which asks for ");
    const asker = asksItself ? operation : planned === null ? null : this.askerOf(time + planned);
    const cause = asker ? "host-pause" : "backoff";
    if (operation.waiting.last?.cause === "awaits-finish" && operation.states.last === "executing") {
      // The attempt has ended, and another one follows.
      this.noteIdle("executing", "executing", false, true, time);
    }
    operation.waiting.set(index, {
      cause, culprit: asker, until: planned === null ? null : time + planned, reason: String(line.reason),
    });
    operation.changes.push({ time, cause, culprit: asker });
  }

  /** The operation whose answer asked for a pause that ends at a time. */
  askerOf(end) {
    let nearest = null;
    for (const pause of this.hostPauses.slice(-100)) {
      const distance = Math.abs(pause.end - end);
      if (distance <= 0.02 && (!nearest || distance < nearest.distance)) {
        nearest = { distance, operation: pause.operation };
      }
    }
    return nearest ? nearest.operation : null;
  }

  // Changes

  readChange(event) {
    if (event.line.prior === true) return;
    if (event.operation) this.changeOperation(event);
    else if (event.queue) this.changeQueue(event);
  }

  changeQueue({ queue, line, index, time }) {
    const conditions = queue.conditions;
    switch (line.keyPath) {
      case "maxConcurrentOperationCount":
        if (line.old === null) queue.width.first = Number(line.new);
        queue.width.set(index, Number(line.new));
        conditions.width = Number(line.new);
        break;
      case "isSuspended":
        queue.paused.set(index, line.new === true);
        conditions.paused = line.new === true;
        break;
      case "pace":
        queue.pace.set(index, Number(line.new) || 0);
        conditions.hasPace = Number(line.new) > 0;
        break;
      case "group": {
        const group = this.operation(line.new);
        queue.group = group;
        group.innerQueue = queue;
        group.isGroup = true;
        conditions.group = group.id;
        conditions.groupHasBegun = group.states.last === "executing";
        break;
      }
    }
    conditions.update(time);
  }

  changeOperation({ operation, line, index, time }) {
    switch (line.keyPath) {
      case "queuePriority":
        this.changePriority(operation, line.old, String(line.new), index);
        break;
      case "dependencies":
        this.changeEdge(operation, line.old, line.new, index);
        break;
      case "barrier":
        operation.isBarrier = line.new !== false;
        break;
      case "exclusiveNames":
        operation.exclusive.set(index, Array.isArray(line.new) ? line.new.map(String) : []);
        break;
      case "awaited":
        operation.awaited.set(index, Array.isArray(line.new) ? line.new.map(Number) : []);
        break;
      case "setAside":
        operation.aside.set(index, line.new !== null);
        if (line.new !== null) this.setAside.add(operation);
        break;
      case "startDelay":
        operation.delay.set(index, Number(line.new) || 0);
        break;
      case "delayEnded":
        operation.delay.set(index, 0);
        operation.hadDelay = true;
        break;
      case "pause":
        operation.plannedPause = Number(line.new) || 0;
        break;
      case "hostPause":
        if (line.new) this.hostPauses.push({ end: time + (Number(line.new.seconds) || 0), operation });
        break;
    }
  }

  changePriority(operation, old, priority, index) {
    if (operation.priority.events.length === 0 && priorityNames.includes(old)) operation.priority.first = old;
    operation.priority.set(index, priority);
    if (["pending", "ready"].includes(operation.states.last)) operation.order.set(index, index);
    if (operation.states.last !== "ready" || !operation.stay) return;
    operation.stay.stays.end(operation.stay.index, index);
    const stays = operation.queue.ready.get(priority) || operation.queue.ready.get("normal");
    operation.stay = { stays, index: stays.begin(operation, index) };
  }

  changeEdge(operation, old, edge, index) {
    const open = (id) => operation.edges.find((one) => one.id === id && one.to === Infinity);
    if (edge) {
      const known = open(edge.id);
      if (known) {
        known.policy = edge.policy;
        if (known.isFromLine) {
          Object.assign(known, { from: index, addedAt: this.times[index], isFromLine: false });
        }
      } else {
        this.addEdge(operation, edge, index);
      }
    } else if (old) {
      const known = open(old.id);
      if (known) known.to = index;
    }
  }

  addEdge(operation, edge, from) {
    // What was dropped had finished.
    if (this.dropped.has(edge.id)) return {};
    const added = {
      id: edge.id, policy: edge.policy || "run", from, to: Infinity,
      addedAt: from >= 0 ? this.times[from] || 0 : 0,
    };
    operation.edges.push(added);
    const other = this.operation(edge.id);
    if (edge.name && other.info === null) other.name = String(edge.name);
    other.dependents.push(operation);
    operation.version += 1;
    this.edgeVersion += 1;
    return added;
  }

  // Order

  /** All operations, each followed by its members. */
  get outline() {
    if (this.orderVersion === this.created.length) return this.order;
    const members = new Map();
    const roots = [];
    for (const operation of this.created) {
      if (operation.group === null || !this.operations.has(operation.group)) {
        roots.push(operation);
      } else if (members.has(operation.group)) {
        members.get(operation.group).push(operation);
      } else {
        members.set(operation.group, [operation]);
      }
    }
    const order = [];
    const done = new Set();
    const stack = roots.reverse().map((operation) => [operation, 0]);
    while (stack.length > 0) {
      const [operation, depth] = stack.pop();
      if (done.has(operation)) continue;
      done.add(operation);
      operation.depth = depth;
      order.push(operation);
      const inner = members.get(operation.id) || [];
      for (let index = inner.length - 1; index >= 0; index -= 1) stack.push([inner[index], depth + 1]);
    }
    // Operations whose groups are members of one another, which no session makes.
    for (const operation of this.created) if (!done.has(operation)) order.push(operation);
    this.orderVersion = this.created.length;
    this.order = order;
    return order;
  }

  /** The members of a group, in the order of adding. */
  membersOf(group) {
    return group.innerQueue ? group.innerQueue.conditions.members : [];
  }
}
