// An operation and a queue, each with its history.

const stateNames = ["created", "pending", "ready", "executing", "finished"];
const outcomeNames = ["succeeded", "failed", "cancelled", "skipped"];
/** The priorities, each with its mark on a card. */
const priorityMarks = { veryHigh: "▲▲", high: "▲", normal: "", low: "▽", veryLow: "▽▽" };

/** An operation, with all that was said of it. */
class OperationRecord {
  constructor(id, seen) {
    this.id = id;
    this.name = "operation " + id;
    this.kind = "";
    this.seen = seen;
    this.info = null;
    this.queue = null;
    this.group = null;
    this.isGroup = false;
    this.innerQueue = null;
    this.states = new Track("created");
    this.outcome = null;
    this.cancelled = Infinity;
    this.priority = new Track("normal");
    // The place among the ready ones of its queue: the least starts first.
    this.rank = new Track(Infinity);
    this.attempts = new Track(0);
    this.exclusive = new Track([]);
    this.isBarrier = false;
    this.edges = [];
    this.dependents = [];
    // The events at which it came into each state, the first time.
    this.entered = {};
    this.spans = new Spans();
    this.entries = [];
    this.works = this.waits = false;
    this.slot = this.lastSlot = null;
    this.stay = null;
    this.version = 0;
  }

  /** When it came into a state, if that had happened at a position. */
  timeOf(state, position = Infinity) {
    const index = this.entered[state];
    return index < position ? app.model.times[index] : undefined;
  }

  stateAt(position) {
    return this.states.at(position);
  }

  /** The state, or for a finished operation how it ended. */
  lookAt(position) {
    const state = this.states.at(position);
    return state === "finished" ? this.outcome || "succeeded" : state;
  }

  /** The dependencies that it has at a position. */
  edgesAt(position) {
    return this.edges.filter((edge) => edge.from < position && edge.to >= position);
  }
}

/** A queue, with all that was said of it. */
class QueueRecord {
  constructor(key, name, event) {
    this.key = key;
    this.name = name;
    this.seen = event;
    this.group = null;
    this.width = new Track(-1);
    this.paused = new Track(false);
    this.pace = new Track(0);
    this.pending = new Stays();
    this.ready = new Stays();
    this.executing = new Stays();
    this.finished = new Sequence();
    this.slots = new Slots();
    this.members = [];
    this.spans = new Spans();
    this.version = 0;
  }

  /** The place of a ready operation in the order of starting; null for one that is kept by something of its own. */
  placeInLine(operation, position) {
    const rank = operation.rank.at(position);
    if (rank === Infinity) return null;
    return 1 + this.ready.list(position, Infinity).filter((other) => other.rank.at(position) < rank).length;
  }
}
