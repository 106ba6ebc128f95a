// The spans that the shell sends: from when on something keeps an operation or a queue, what it is and
// who is to blame. They are only looked up here; the shell alone knows the rules behind them.

/** The causes in the order of the legend, each with its words, its short form and its look. */
const causes = new Map(Object.entries(
  JSON.parse(document.querySelector("meta[name='opsh-causes']").content)));

/** What an operation does that shares the span of its queue while nothing keeps that. */
const starting = { cause: "starting" };

/** What is shorter is the time between two steps of the engine. */
const shortestPhase = 1e-6;

function wordsOf(cause) {
  return causes.get(cause)?.words ?? visible(cause, 40);
}

function shortWordsOf(cause) {
  return causes.get(cause)?.short ?? visible(cause, 40);
}

/** The spans of an operation or a queue: each lasts until the next one begins. */
class Spans {
  constructor() {
    // Before the first one nothing keeps it.
    this.list = [{ start: -Infinity, index: 0, line: { cause: null }, owed: null }];
    this.starts = [-Infinity];
    this.indexes = [0];
  }

  get last() {
    return this.list[this.list.length - 1].line;
  }

  /** Adds a span in its place: the steps of a request are known when it has ended. */
  add(start, index, line) {
    let place = this.list.length;
    while (place > 1 && this.starts[place - 1] > start) place -= 1;
    const before = this.list[place - 1];
    if ((line.owed ?? null) !== null) before.owed = line.owed;
    const span = { start, index: Math.max(before.index, Math.min(index, this.indexes[place] ?? Infinity)), line, owed: null };
    this.list.splice(place, 0, span);
    this.starts.splice(place, 0, start);
    this.indexes.splice(place, 0, span.index);
  }

  /** The spans from a position on, and the one before. */
  from(position) {
    return this.list.slice(Math.max(1, below(this.indexes, position) - 1));
  }

  /** The line of the span at a position and its time. */
  at(position, time) {
    const count = Math.min(upTo(this.indexes, position), upTo(this.starts, time + 1e-9));
    return this.list[Math.max(0, count - 1)].line;
  }

  /** The parts of the spans between two times, in order. */
  between(from, to) {
    const parts = [];
    for (let place = upTo(this.starts, from) - 1; place < this.list.length && this.starts[place] < to; place += 1) {
      const { line, owed } = this.list[place];
      const next = this.starts[place + 1] ?? Infinity;
      const [start, end] = [Math.max(from, this.starts[place]), Math.min(to, next)];
      if (end <= start) continue;
      // Only its end tells what it was owed to.
      const culprit = (next <= to ? owed : null) ?? line.culprit ?? null;
      const last = parts[parts.length - 1];
      if (line.continues && last?.cause === line.cause) Object.assign(last, { end, culprit });
      else parts.push({ cause: line.cause, culprit, start, end });
    }
    return parts;
  }
}

/** The span of an operation at a moment; for one that shares its queue's, that one. */
function spanAt(operation, position, time) {
  const line = operation.spans.at(position, time);
  if (line.cause !== "queue") return line;
  const shared = operation.queue?.spans.at(position, time);
  return (shared?.cause ?? null) === null ? starting : shared;
}

/** What the time of an operation went to, up to a moment: `{cause, start, end, culprit}`. */
function phasesOf(operation, until) {
  const phases = [];
  const add = ({ cause, culprit, start, end }) => {
    if (!causes.has(cause)) return;
    const last = phases[phases.length - 1];
    if (last && last.cause === cause && last.culprit === culprit && last.end === start) last.end = end;
    else phases.push({ cause, culprit, start, end });
  };
  for (const part of operation.spans.between(0, until)) {
    if (part.cause !== "queue") {
      if (part.cause !== null) add(part);
      continue;
    }
    for (const shared of operation.queue?.spans.between(part.start, part.end) ?? []) {
      add(shared.cause === null ? { ...shared, cause: "starting" } : shared);
    }
  }
  return phases;
}

/** Why an operation does not go on at a moment: its span, then that of the culprit, and so on. */
function whyOf(operation, position, time) {
  const reasons = [];
  const seen = new Set();
  for (let one = operation; one && !seen.has(one);) {
    seen.add(one);
    const span = spanAt(one, position, time);
    const culprit = app.model.operations.get(span.culprit) ?? null;
    if (span.text) {
      // A dependency changes its state without a span of its dependents.
      const state = span.cause === "dependency" && culprit ? stateWords(culprit, position) : "";
      reasons.push({ code: span.cause, text: visible(span.text, 300) + state, cure: span.cure ?? null, culprit });
    }
    one = culprit;
  }
  return reasons;
}

function stateWords(operation, position) {
  return ", which is " + operation.stateAt(position) + (operation.cancelled < position ? ", cancelled" : "");
}

/** One sentence above the reasons. */
function whyHeadline(operation, position, time, reasons) {
  const state = operation.stateAt(position);
  if (state === "finished") return "It has finished: " + operation.outcome + ".";
  if (state === "created" && reasons.length === 0) return "It is on no queue.";
  const since = app.model.timeOf(operation.states.since(position) + 1);
  return (operation.cancelled < position ? "It is cancelled, and has been " : "It has been ") + state + " for " +
    duration(time - since) + (state === "executing" ? membersWords(operation, position) : "") +
    (reasons.length > 0 ? ":" : ".");
}

/** How many members of a group have finished; nothing for what is no group. */
function membersWords(group, position) {
  const queue = group.innerQueue;
  if (!queue) return "";
  const finished = queue.finished.count(position);
  const count = finished + queue.pending.count(position) + queue.ready.count(position) + queue.executing.count(position);
  return "; " + finished + " of " + counted(count, "member") + " finished";
}
