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
    this.idle = { times: [], since: null, waited: 0, last: 0, executing: 0, waiting: 0 };
    this.firstTime = null;
    this.end = 0;
    // Seconds of the session in one of a live page.
    this.speed = 1;
    this.lastSequence = -1;
    this.unreadable = 0;
    this.gaps = [];
    // The operations that a long live session has left behind, and how they ended.
    this.dropped = new IdentifierSet();
    this.droppedOutcomes = {};
    this.trimmedLength = 0;
    // What was typed: commands and chapters, in order.
    this.typed = [];
    this.chapters = [];
    this.commands = new Map();
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
    if (typeof object.elapsed === "number" && object.type !== "typed") this.end = Math.max(this.end, object.elapsed);
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
      case "span":
        this.readSpan(object);
        return true;
      case "typed":
        this.readTyped(object);
        return true;
      case "clock":
        if (typeof object.speed === "number") this.speed = object.speed;
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

  /** Reads where the span of an operation or a queue begins. */
  readSpan(line) {
    if (line.operation && this.dropped.has(line.operation.id)) return;
    const subject = line.operation
      ? this.operation(line.operation.id) : this.queue(line.queueID, line.queue, this.events.length);
    const time = Number(line.elapsed) || 0;
    const isLate = time < this.timeOf(this.events.length);
    subject.spans.add(time, isLate ? this.positionAt(time) : this.events.length, line);
    subject.version += 1;
    if (!line.operation) return;
    const rank = line.rank ?? Infinity;
    if (subject.rank.last !== rank) subject.rank.set(this.events.length - 1, rank);
    if (rank < Infinity && subject.stay?.stays === subject.queue?.ready) subject.stay?.stays.setRank(subject.stay.index, rank);
    this.followIdle(subject, time);
  }

  /** Reads a command, the first line that one has printed, or the beginning of a chapter. */
  readTyped({ command, text, output, chapter, elapsed }) {
    const known = this.commands.get(command);
    if (output !== undefined) {
      if (known) known.output = String(output);
      return;
    }
    const isChapter = chapter !== undefined;
    const item = {
      isChapter, text: String(isChapter ? chapter : text), output: "", position: this.events.length, time: Number(elapsed) || 0,
    };
    // The clock may have begun anew.
    for (let index = this.typed.length - 1; index >= 0 && this.typed[index].time > item.time; index -= 1) {
      this.typed[index].time = item.time;
    }
    this.typed.push(item);
    if (isChapter) this.chapters.push(item);
    else this.commands.set(command, item);
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
    if (line.cancelled && operation.cancelled === Infinity) operation.cancelled = index;
    const what = line.event ?? "transition";
    if (what === "transition" && line.from !== line.to && stateNames.includes(line.to)) this.pass(event);
    const attempt = what === "attempt" && /^attempt (\d{1,6})\b/.exec(line.reason || "");
    if (attempt) operation.attempts.set(index, Number(attempt[1]));
    this.followIdle(operation, time);
  }

  pass(event) {
    const { operation, queue, line, index } = event;
    const from = operation.states.last;
    const to = line.to;
    this.totals.get(from).left.push(index);
    this.totals.get(to).entered.push(index);
    operation.states.set(index, to);
    operation.entered[to] ??= index;
    if (to === "executing" && operation.attempts.last === 0) operation.attempts.set(index, 1);
    if (to === "finished") {
      operation.outcome = outcomeNames.includes(line.outcome) ? line.outcome : "succeeded";
      this.outcomes.get(operation.outcome).push(index);
    }
    if (queue) this.passOnQueue(operation, queue, from, to, index, line.reason);
  }

  /** Follows the times in which nothing worked, and how long something waited in each. */
  followIdle(operation, time) {
    const idle = this.idle;
    if (this.firstTime === null) {
      this.firstTime = time;
      idle.since = idle.last = time;
    }
    const state = operation.states.last;
    const works = state === "executing" && operation.spans.last.cause !== "awaits-finish";
    const waits = state === "pending" || state === "ready";
    if (operation.works === works && operation.waits === waits) return;
    if (idle.since !== null && idle.waiting > 0) idle.waited += time - idle.last;
    idle.last = time;
    idle.waiting += waits - operation.waits;
    idle.executing += works - operation.works;
    Object.assign(operation, { works, waits });
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

  passOnQueue(operation, queue, from, to, index, reason) {
    if (operation.stay) {
      operation.stay.stays.end(operation.stay.index, index);
      operation.stay = null;
    }
    if (from === "executing" && operation.slot !== null) {
      queue.slots.free(operation.slot, index);
      operation.slot = null;
    }
    if (from === "created") queue.members.push(operation);
    const stays =
      to === "pending" ? queue.pending
      : to === "ready" ? queue.ready
      : to === "executing" ? queue.executing
      : null;
    if (stays) operation.stay = { stays, index: stays.begin(operation, index) };
    if (to === "ready" && operation.rank.last < Infinity) stays.setRank(operation.stay.index, operation.rank.last);
    if (to === "executing") {
      const named = /^slot (\d{1,6})\b/.exec(reason || "");
      operation.slot = operation.lastSlot = queue.slots.take(named ? Number(named[1]) - 1 : null, operation, index);
    }
    if (to === "finished") queue.finished.add(index, operation);
  }

  // Changes

  readChange({ operation, queue, line, index }) {
    const { keyPath, old, new: value } = line;
    if (line.prior === true) return;
    if (operation) {
      if (keyPath === "queuePriority") this.changePriority(operation, old, String(value), index);
      else if (keyPath === "dependencies") this.changeEdge(operation, old, value, index);
      else if (keyPath === "barrier") operation.isBarrier = value !== false;
      else if (keyPath === "exclusiveNames") operation.exclusive.set(index, Array.isArray(value) ? value.map(String) : []);
    } else if (queue) {
      if (keyPath === "isSuspended") queue.paused.set(index, value === true);
      else if (keyPath === "pace") queue.pace.set(index, Number(value) || 0);
      else if (keyPath === "group") this.joinGroup(queue, this.operation(value));
      else if (keyPath === "maxConcurrentOperationCount") {
        if (old === null) queue.width.first = Number(value);
        queue.width.set(index, Number(value));
      }
    }
  }

  joinGroup(queue, group) {
    queue.group = group;
    group.innerQueue = queue;
    group.isGroup = true;
  }

  changePriority(operation, old, priority, index) {
    if (operation.priority.events.length === 0 && old in priorityMarks) operation.priority.first = old;
    operation.priority.set(index, priority);
  }

  changeEdge(operation, old, edge, index) {
    const known = operation.edges.find((one) => one.id === (edge ?? old)?.id && one.to === Infinity);
    if (!edge) {
      if (known) known.to = index;
    } else if (!known) {
      this.addEdge(operation, edge, index);
    } else {
      known.policy = edge.policy;
      if (known.isFromLine) Object.assign(known, { from: index, isFromLine: false });
    }
  }

  addEdge(operation, edge, from) {
    // What was dropped had finished.
    if (this.dropped.has(edge.id)) return {};
    const added = { id: edge.id, policy: edge.policy || "run", from, to: Infinity };
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
    const members = Map.groupBy(this.created, (one) => (this.operations.has(one.group) ? one.group : null));
    const order = new Set();
    const stack = (members.get(null) || []).reverse().map((operation) => [operation, 0]);
    while (stack.length > 0) {
      const [operation, depth] = stack.pop();
      if (order.has(operation)) continue;
      operation.depth = depth;
      order.add(operation);
      for (const inner of (members.get(operation.id) || []).reverse()) stack.push([inner, depth + 1]);
    }
    // Operations whose groups are members of one another, which no session makes.
    for (const operation of this.created) order.add(operation);
    this.orderVersion = this.created.length;
    this.order = [...order];
    return this.order;
  }

  /** The members of a group, in the order of adding. */
  membersOf(group) {
    return group.innerQueue ? group.innerQueue.members : [];
  }
}
