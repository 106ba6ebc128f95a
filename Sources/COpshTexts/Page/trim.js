// A live session has no end, and the memory of a browser has. Of a long one the page keeps the latest
// events, and all of each operation that these are about.

/** With more events than this, the oldest are dropped. */
const mostEvents = 150000;
const keptEvents = 100000;

/** Numbers of operations, a bit for each. */
class IdentifierSet {
  constructor() {
    this.bits = new Uint8Array(1024);
    this.count = 0;
  }

  has(id) {
    return ((this.bits[id >> 3] ?? 0) >> (id & 7) & 1) === 1;
  }

  add(id) {
    if (!Number.isInteger(id) || id < 0 || id > 1e9 || this.has(id)) return;
    if (id >> 3 >= this.bits.length) {
      const bits = new Uint8Array(Math.max(this.bits.length * 2, (id >> 3) + 1));
      bits.set(this.bits);
      this.bits = bits;
    }
    this.bits[id >> 3] |= 1 << (id & 7);
    this.count += 1;
  }
}

/**
 * Drops the operations that had finished before the last events.
 *
 * Returns the position that a position has from now on.
 */
function trimModel(model, kept, position) {
  const cut = Math.max(0, model.events.length - kept);
  const { typed, chapters, commands, events, header, summary, gaps, unreadable, lastSequence, end, speed, version, dropped } = model;
  const outcomes = { ...model.droppedOutcomes };
  for (const operation of model.created) {
    if (!(operation.entered.finished < cut)) continue;
    dropped.add(operation.id);
    outcomes[operation.outcome] = (outcomes[operation.outcome] || 0) + 1;
  }
  // Of each property of a queue the last change before says what it is.
  const latest = new Map();
  for (let index = 0; index < cut; index += 1) {
    const { line, operation, queue } = events[index];
    if (!operation && queue && !(queue.group && dropped.has(queue.group.id))) {
      latest.set(queue.key + "|" + line.keyPath, index);
    }
  }
  const steering = new Set(latest.values());
  const spans = keptSpans(model, cut);
  const cutQueues = new Set(model.queueList.filter((queue) => queue.spans.indexes[2] < cut).map((queue) => queue.key));
  const order = model.queueList.map((queue) => queue.key);
  const infos = new Map(model.created.map((operation) => [operation.id, operation.info]));
  model.clear();
  Object.assign(model, { typed, chapters, commands, header, summary, gaps, unreadable, lastSequence, speed, dropped, droppedOutcomes: outcomes });
  let place = 0;
  let next = 0;
  const readSpans = (index) => {
    for (; next < spans.length && spans[next].index <= index; next += 1) model.readSpan(spans[next].line);
  };
  let typedPlace = 0;
  const readTyped = (index) => {
    for (; typedPlace < typed.length && typed[typedPlace].position <= index; typedPlace += 1) {
      typed[typedPlace].position = model.events.length;
    }
  };
  events.forEach((event, index) => {
    readSpans(index);
    readTyped(index);
    const id = event.operation?.id;
    const stays = index >= cut || (event.operation ? !dropped.has(id) : steering.has(index));
    if (!stays) return;
    if (infos.get(id)) {
      model.readOperation(infos.get(id));
      infos.delete(id);
    }
    model.readEvent(event.line);
    if (index < position) place = model.events.length;
  });
  readSpans(Infinity);
  readTyped(Infinity);
  // Of the time before the first span that is kept of a queue nothing is said.
  for (const [key, queue] of model.queues) if (cutQueues.has(key)) queue.spans.list[0].line = { cause: "left-out" };
  // Those that are on no queue are in no event.
  for (const [id, info] of infos) if (info && !dropped.has(id)) model.readOperation(info);
  model.queueList.sort((one, other) => order.indexOf(one.key) - order.indexOf(other.key));
  model.trimmedLength = model.events.length;
  model.end = end;
  model.version = version + 1;
  return place;
}

/** The spans of what is not dropped, in order: all of an operation, those of a queue from the cut on. */
function keptSpans(model, cut) {
  const operations = model.created.filter((one) => !model.dropped.has(one.id));
  const queues = model.queueList.filter((queue) => !(queue.group && model.dropped.has(queue.group.id)));
  return [
    ...operations.flatMap((operation) => operation.spans.from(0)), ...queues.flatMap((queue) => queue.spans.from(cut)),
  ].sort((one, other) => one.index - other.index || one.start - other.start);
}
