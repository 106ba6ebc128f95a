// Why an operation does not run at a position. The findings, their order and their words are those
// of `why`: the nearest reason first, the root last; or as a tree, each followed by its causes.

const mostReasons = 64;
const mostRoots = 16;
const mostNames = 4;
const mostMembers = 16;
/** More operations are not looked at in a search. */
const mostVisits = 20000;

/** Names in a sentence, as the shell lists them. */
function namesOf(operations, count = operations.length) {
  const parts = operations.slice(0, mostNames).map(quoted);
  if (count > parts.length) parts.push(count - parts.length + " more");
  const last = parts.pop() || "nothing";
  return parts.length === 0 ? last : parts.join(", ") + " and " + last;
}

function quoted(operation) {
  return "'" + visible(operation.name, 60) + "'";
}

/** Kinds of findings that say what an operation waits for, not how things are on a queue. */
const isAboutOthers = new Set([
  "dependency", "behind-barrier", "barrier-waits", "exclusive", "reserved", "group", "inside", "body",
]);

/** Looks for what keeps an operation waiting, level by level, down to the root. */
class WaitSearch {
  constructor(moment, subject) {
    this.moment = moment;
    this.found = [];
    this.visits = [];
    this.seen = new Set([subject]);
    this.mayHaveCycle = false;
    // One that executes does not wait, also if it is a group and its members do; but its body may.
    if (moment.state(subject) !== "executing" || moment.awaited(subject).length > 0 ||
      moment.finishWait(subject) !== null) this.visits.push({ operation: subject, depth: 0, origin: null });
    for (let index = 0; index < this.visits.length && index < mostVisits; index += 1) this.visit(this.visits[index]);
    if (this.mayHaveCycle) this.addCycle(new WaitGraph(moment).cycle(subject));
  }

  visit(visit) {
    const { moment } = this;
    const { operation, depth, origin } = visit;
    if (moment.isKeptByDependencies(operation)) {
      for (const other of moment.unmet(operation)) {
        this.found.push({ kind: "dependency", operation: other, visited: operation, depth, origin });
        this.follow(other, depth);
      }
    }
    for (const finding of moment.findings(operation)) {
      this.found.push({ ...finding, visited: operation, depth, origin });
      for (const other of this.awaited(finding)) this.follow(other, depth);
    }
  }

  /** Those whose reasons are the next to be asked for. */
  awaited(finding) {
    switch (finding.kind) {
      case "behind-barrier":
      case "group":
      case "exclusive":
      case "reserved":
        return [finding.operation];
      case "queue-full":
        return this.moment.heldUpHolders(finding.queue);
      case "body":
        return this.moment.awaited(finding.operation);
      case "barrier-waits":
        return this.moment.membersBefore(finding.operation);
      case "inside":
        return this.moment.members(finding.operation);
      default:
        return [];
    }
  }

  follow(other, depth) {
    if (this.seen.has(other)) {
      this.mayHaveCycle = true;
      return;
    }
    this.seen.add(other);
    if (other.isGroup) this.mayHaveCycle = true;
    const origin = this.found.length - 1;
    this.found[origin].leadsOn = true;
    this.visits.push({ operation: other, depth: depth + 1, origin });
  }

  addCycle(cycle) {
    if (!cycle || cycle.length === 0) return;
    const last = cycle[cycle.length - 1];
    for (const finding of this.found) {
      finding.isToldByCycle = finding.visited === last && !finding.leadsOn && this.isOnly(finding, cycle[0]);
    }
    const visit = this.visits.find((one) => one.operation === last) || this.visits[this.visits.length - 1];
    this.found.push({ kind: "deadlock", cycle, depth: visit?.depth ?? 0, origin: visit?.origin ?? null });
  }

  /** Whether a finding says no more than that something waits for an operation. */
  isOnly(finding, operation) {
    switch (finding.kind) {
      case "dependency":
      case "behind-barrier":
      case "exclusive":
      case "reserved":
        return finding.operation === operation;
      case "inside":
      case "body": {
        const others = finding.kind === "body"
          ? this.moment.awaited(finding.operation) : this.moment.members(finding.operation);
        return others.every((other) => other === operation);
      }
      default:
        return false;
    }
  }

  key(finding) {
    if (["exclusive", "reserved"].includes(finding.kind)) return "exclusive " + finding.name;
    return [finding.kind, finding.operation?.id, finding.queue?.key, finding.name].join(" ");
  }

  /** The findings by their distance from the operation, each once. */
  get nearestFirst() {
    const found = this.found.filter((finding) => !finding.isToldByCycle);
    // Where it is nearest to the root; but what the operation itself waits for comes first, unless it
    // is the root, and in any case counts as its own.
    const place = new Map();
    for (let index = found.length - 1; index >= 0; index -= 1) {
      const key = this.key(found[index]);
      const isOwn = found[index].depth === 0 && isAboutOthers.has(found[index].kind);
      if (!place.has(key) || (isOwn && place.get(key) < found.length - 1)) place.set(key, index);
      else if (isOwn) found[found.length - 1] = found[index];
    }
    return found.filter((finding, index) => place.get(this.key(finding)) === index);
  }

  /** The findings as a tree: each is followed by those that it led to. */
  get depthFirst() {
    const chosen = new Map();
    const following = new Map();
    this.found.forEach((finding, place) => {
      if (!following.has(finding.origin)) following.set(finding.origin, []);
      following.get(finding.origin).push(place);
      if (finding.isToldByCycle) return;
      const key = this.key(finding);
      const other = chosen.get(key);
      if (other === undefined || !this.found[other].leadsOn) chosen.set(key, place);
    });
    const places = new Set(chosen.values());
    const ordered = [];
    const open = (following.get(null) || []).slice().reverse();
    while (open.length > 0) {
      const place = open.pop();
      if (places.has(place)) ordered.push(this.found[place]);
      for (const next of (following.get(place) || []).slice().reverse()) open.push(next);
    }
    return ordered;
  }
}

class Why {
  constructor(model) {
    this.model = model;
  }

  /**
   * The reasons: `{code, text, depth, operations, cure, asker}`; as a tree, each reason is followed
   * by its causes.
   */
  of(operation, position, asTree = false) {
    const time = app.position === position ? app.time : this.model.timeOf(position);
    return this.reasons(operation, new Moment(this.model, position, time), asTree);
  }

  /** One sentence above the reasons. */
  headline(operation, position, reasons) {
    const state = operation.stateAt(position);
    const cancelled = operation.cancelled < position;
    if (state === "finished") return "It has finished: " + operation.outcome + ".";
    if (state !== "executing" && reasons.length === 0) return "It is about to start; nothing keeps it.";
    const isOpen = operation.isGroup && reasons[0]?.code === "awaits-finish" && reasons[0].depth === 0;
    if (state === "executing" && (operation.isGroup && !isOpen || reasons.length === 0)) {
      const time = app.position === position ? app.time : this.model.timeOf(position);
      const attempt = operation.attempts.at(position);
      const executing = Math.max(0, time - operation.times.executing);
      const limit = operation.info?.settings?.timeout;
      const end = cancelled ? "cancelled" : (limit ?? null) !== null && executing >= limit ? "its time limit has passed" : null;
      return "It has been executing for " + duration(executing) +
        (attempt > 1 ? ", in attempt " + attempt : "") + this.finishedIn(operation, position) +
        (reasons.length > 0 ? "; it waits for the others, which do not all run because"
          : end ? "; " + end + ", it ends when its work does." : ".");
    }
    if (state === "executing") {
      return "It is executing and " + (reasons[0].code === "pause" ? "pauses" : "waits") + " because";
    }
    return cancelled ? "It is cancelled; it cannot finish yet because"
      : "It is " + state + " and does not run because";
  }

  /** How many operations of a group have finished; nothing for what is no group. */
  finishedIn(group, position) {
    const queue = group.innerQueue;
    if (!queue) return "";
    const finished = queue.finished.count(position);
    const count = finished + queue.pending.count(position) + queue.readyCount(position) +
      queue.executing.count(position);
    return ": " + finished + " of " + count + (count === 1 ? " operation" : " operations") + " finished";
  }

  reasons(operation, moment, asTree) {
    const pause = moment.pause(operation);
    if (pause) return [this.reason("pause", visible(pause.text, 300), 0, [operation], null, pause.asker)];
    if (operation.isGroup && moment.state(operation) === "executing" && moment.finishWait(operation) === null) {
      return this.membersReasons(operation, moment, asTree);
    }
    const search = new WaitSearch(moment, operation);
    let told = asTree ? search.depthFirst : search.nearestFirst;
    if (told.length > mostReasons) {
      told = [...told.slice(0, mostReasons - mostRoots), ...told.slice(-mostRoots)];
    }
    const found = told.map((finding) => this.inWords(finding, moment)).filter((reason) => reason !== null);
    const pauses = found.map((reason) => this.requestPauses(reason, moment));
    return asTree ? found.flatMap((reason, index) => [reason, ...pauses[index]]) : [...found, ...pauses.flat()];
  }

  /** What the members of an executing group wait for, the root last; most of a large one wait for the same. */
  membersReasons(group, moment, asTree) {
    const found = new Map();
    for (const member of moment.members(group).slice(0, mostMembers)) {
      for (const reason of this.reasons(member, moment, asTree)) {
        found.delete(reason.text);
        found.set(reason.text, { ...reason, depth: reason.depth + 1 });
      }
      if (found.size >= mostMembers) break;
    }
    return [...found.values()];
  }

  /** The pauses of the requests that a reason names, because a server asked for them. */
  requestPauses(reason, moment) {
    if (!["dependency", "exclusive", "queue-full"].includes(reason.code)) return [];
    return reason.operations.slice(0, mostMembers).flatMap((operation) => {
      const pause = moment.pause(operation);
      if (!pause || pause.isAttempt) return [];
      return [this.reason("pause", quoted(operation) + " pauses: " + visible(pause.text, 300),
        reason.depth + 1, [operation], null, pause.asker)];
    });
  }

  reason(code, text, depth, operations, cure, asker = null) {
    return { code, text, depth, operations, cure, asker };
  }

  /** A finding in words; null if it comes to nothing. */
  inWords(finding, moment) {
    const { operation, queue, depth } = finding;
    const say = (code, text, operations, cure = null, asker = null) =>
      this.reason(code, text, depth, operations, cure, asker);
    switch (finding.kind) {
      case "dependency":
        return say("dependency", "waits for " + quoted(operation) + ", which is " + moment.state(operation) +
          (moment.isCancelled(operation) ? ", cancelled" : ""), [operation]);
      case "not-on-queue": {
        const group = this.model.queues.get(operation.info?.destination)?.group;
        if (group && moment.state(group) === "finished") {
          return say("not-on-queue", quoted(operation) + " was not started while group " + quoted(group) +
            " went on, and now it can't be", [operation]);
        }
        return say("not-on-queue", quoted(operation) + " is on no queue, so nothing will start it", [operation],
          "start " + operation.name);
      }
      case "foundation":
        return say("foundation", visible(finding.text, 300), [operation], "cancel " + operation.name);
      case "delay": {
        const left = Math.max(0, operation.times.pending + operation.delay.at(moment.position) - moment.time);
        return say("delay", quoted(operation) + " may become ready in " + duration(left), [operation],
          this.canStart(operation, moment) ? "wait " + operation.name : null);
      }
      case "behind-barrier":
        return say("barrier", "comes after barrier " + quoted(operation), [operation],
          moment.state(operation) === "executing" ? this.cancelling([operation], moment) : "why " + operation.name);
      case "barrier-waits": {
        const before = moment.membersBefore(operation);
        const first = before.slice(0, mostNames);
        return say("barrier",
          "barrier " + quoted(operation) + " waits for " + namesOf(first, before.length) + ", added before it",
          first, this.barrierCure(operation, first, moment));
      }
      case "exclusive":
      case "reserved": {
        const how = finding.kind === "exclusive" ? " is held by " : " is reserved for ";
        return say("exclusive", "'" + visible(finding.name, 60) + "'" + how + quoted(operation) +
          (finding.kind === "exclusive" ? "" : ", whose turn is first"), [operation],
          this.cancelling([operation], moment));
      }
      case "behind":
        return this.behind(operation, moment, say);
      case "group":
        return say("group", "group " + quoted(operation) + " has not begun", [operation],
          (moment.state(operation) === "created" ? "start " : "why ") + operation.name);
      case "inside": {
        const members = moment.members(operation);
        return say("dependency", "group " + quoted(operation) + " waits for " + namesOf(members) + " in it",
          members.slice(0, mostNames));
      }
      case "pause": {
        const pause = moment.pause(operation);
        return say("pause", quoted(operation) + " pauses: " + visible(pause.text, 300), [operation], null, pause.asker);
      }
      case "awaits-finish": {
        const text = moment.finishWait(operation);
        return say("awaits-finish", visible(text, 300), [operation],
          (operation.isGroup ? "close " : text.includes(" holds its lock ") ? "cancel " : "finish ") + operation.name);
      }
      case "body": {
        const others = moment.awaited(operation);
        return say("dependency", "the body of " + quoted(operation) + " waits for " + namesOf(others), others);
      }
      case "deadlock": {
        const [first, last] = [finding.cycle[0], finding.cycle[finding.cycle.length - 1]];
        return say("deadlock", quoted(last) + " waits for " + quoted(first) + ", so neither will ever finish",
          finding.cycle, this.deadlockCure(finding.cycle, moment));
      }
      default:
        return this.aboutQueue(finding.kind, queue, moment, say);
    }
  }

  behind(operation, moment, say) {
    const { first, count } = moment.before(operation, mostNames);
    if (count === 0) return null;
    const name = moment.isAside(operation) ? moment.busyName(operation) : null;
    const verb = (name === null ? "start" : "get") + (count === 1 ? "s" : "");
    return say("higher-priority", namesOf(first, count) + " " + verb + " " +
      (name === null ? "" : "'" + visible(name, 60) + "' ") + "first", first);
  }

  aboutQueue(kind, queue, moment, say) {
    const name = "'" + visible(queue.name, 60) + "'";
    switch (kind) {
      case "queue-full": {
        const width = moment.width(queue);
        const count = queue.executing.count(moment.position);
        const holders = moment.holders(queue, Math.max(mostNames, mostMembers));
        return say(kind, "queue " + name + " is full: " + namesOf(holders, count) +
          (count === 1 ? " holds its " : " hold its ") + (width === 1 ? "slot" : width + " slots"), holders,
        queue.name === "main" ? null : "queue width " + queue.name + " unlimited");
      }
      case "pace":
        return say(kind, "queue " + name + " starts the next one in " +
          duration(Math.max(0, moment.nextStart(queue) - moment.time)), [], "queue pace " + queue.name + " off");
      case "width-zero":
        return say(kind, "queue " + name + " has width 0 and starts nothing", [], "queue width " + queue.name + " 1");
      case "queue-paused":
        return say(kind, "queue " + name + " is paused", [], "queue resume " + queue.name);
      default:
        return null;
    }
  }

  // Cures

  /** Whether the queue of an operation starts operations; also a cancelled one needs a start to end. */
  canStart(operation, moment) {
    const seen = new Set();
    for (let one = operation; one && !seen.has(one); one = one.queue?.group ?? null) {
      seen.add(one);
      if (one !== operation && moment.state(one) === "executing") continue;
      // One that is held has no queue yet, whatever queue it gets later.
      if (moment.state(one) === "created" || !one.queue || moment.isPaused(one.queue) ||
        moment.width(one.queue) === 0) return false;
    }
    return true;
  }

  /** The command that cancels those of some operations that would end by it. */
  cancelling(operations, moment) {
    const helped = operations.filter((one) => !moment.isCancelled(one) &&
      (moment.state(one) === "executing" || this.canStart(one, moment)));
    return helped.length === 0 ? null : "cancel " + helped.map((one) => one.name).join(" ");
  }

  barrierCure(barrier, first, moment) {
    if (first.length === 0) return null;
    if (first[0].isBarrier) {
      return moment.state(first[0]) === "executing" ? this.cancelling([first[0]], moment) : "why " + first[0].name;
    }
    return first.length <= 3 ? this.cancelling(first, moment) : "queue show " + barrier.queue.name;
  }

  /** The command that removes a dependency of a cycle. */
  deadlockCure(cycle, moment) {
    const index = cycle.findIndex((waiting, place) => {
      const other = cycle[(place + 1) % cycle.length];
      return waiting.edgesAt(moment.position).some((edge) => edge.id === other.id);
    });
    return index < 0 ? null : "deps " + cycle[index].name + " off " + cycle[(index + 1) % cycle.length].name;
  }
}
