// The selected operation: what it is, why it does not run, what its time went to, and its log.

const mostEntries = 200;
/** How many operations of each state of a queue are looked at for what waits. */
const mostWaiting = 50;

class InspectorPanel {
  constructor() {
    this.body = part("inspector-body");
    this.empty = part("inspector-empty");
    this.title = part("inspector-name");
    this.sign = part("inspector-sign");
    this.state = part("inspector-state");
    this.sections = {};
    for (const name of ["waits", "why", "steer", "phases", "facts", "requests", "links", "log"]) {
      this.sections[name] = part("inspector-" + name);
    }
    this.stamp = "";
    /** How long it took last, in milliseconds. */
    this.cost = 0;
  }

  clear() {
    this.stamp = "";
    this.requestStamp = this.waitsStamp = "";
  }

  measure() {
    return true;
  }

  render(position) {
    const operation = app.selected;
    setHidden(this.empty, operation !== null);
    setHidden(this.body, operation === null);
    setHidden(part("inspector-close"), operation === null);
    if (!operation) {
      setText(this.title, "What waits");
      setTitle(this.title, "");
      setHidden(this.sign, true);
      this.stamp = "";
      this.renderWaits(position);
      return;
    }
    const stamp = [
      operation.id, operation.version, position, app.showsFuture, app.live ? app.model.version : 0,
      operation.stateAt(position) !== "finished" ? Math.floor(app.time * 200 / Math.max(1e-9, app.end)) : 0,
    ].join("|");
    if (this.stamp === stamp) return;
    // While time goes on, ten times in a second are enough to read; less often where much waits.
    const now = performance.now();
    const moves = app.player.isPlaying || app.isFollowing;
    if (moves && this.shown === operation && now - this.shownAt < Math.max(100, this.cost * 5)) return;
    this.shown = operation;
    this.shownAt = now;
    this.stamp = stamp;
    const look = operation.lookAt(position);
    const name = visible(operation.name);
    setText(this.title, name);
    setTitle(this.title, visible(operation.name, 2000));
    setHidden(this.sign, false);
    this.sign.setAttribute("class", "sign " + look);
    setSign(this.sign, look);
    const words = [look];
    if (operation.cancelled < position && look !== "cancelled") words.push("asked to cancel");
    if (operation.attempts.at(position) > 1) words.push("attempt " + operation.attempts.at(position));
    setText(this.state, words.join(" · "));
    this.state.className = "state-word " + look;
    this.renderWhy(operation, position);
    this.renderPhases(operation, position);
    this.renderFacts(operation, position);
    this.renderRequests(operation, position);
    this.renderLinks(operation, position);
    this.renderLog(operation, position);
    if (app.live) app.live.renderOperationControls(this.sections.steer, operation, position);
    this.cost = performance.now() - now;
  }

  /** While nothing is selected: what keeps operations, each with those that it keeps. */
  renderWaits(position) {
    const stamp = [position, app.model.version, Math.floor(app.time * 5)].join("|");
    const now = performance.now();
    if (this.waitsStamp === stamp || now - this.waitsAt < 100 && (app.player.isPlaying || app.isFollowing)) return;
    this.waitsStamp = stamp;
    this.waitsAt = now;
    const waits = new Map();
    for (const queue of app.model.queueList) {
      const some = [...queue.pending.list(position, mostWaiting), ...queue.ready.line(position, mostWaiting),
        ...queue.executing.list(position, mostWaiting)];
      for (const operation of some) {
        const [reason] = whyOf(operation, position, app.time);
        if (!reason) continue;
        const known = waits.get(reason.text) ?? { reason, operations: [] };
        known.operations.push(operation);
        waits.set(reason.text, known);
      }
    }
    this.sections.waits.replaceChildren(...[...waits.values()].map(({ reason, operations }) => {
      const names = make("p", "link-row", null, operations.slice(0, 4).map((one) => this.linkTo(one)));
      if (operations.length > 4) names.append("and " + grouped(operations.length - 4) + (operations.length >= mostWaiting ? " or more" : ""));
      const item = make("li", "reason", null, [names, this.linked(reason, null, position)]);
      item.dataset.code = reason.code;
      if (reason.cure !== null) item.append(" ", this.cure(reason));
      return item;
    }));
  }

  renderWhy(operation, position) {
    const reasons = whyOf(operation, position, app.time);
    const headline = make("p", "why-headline", whyHeadline(operation, position, app.time, reasons));
    const items = reasons.map((reason, depth) => {
      const item = make("li", "reason depth-" + Math.min(4, depth), null, [this.linked(reason, operation, position)]);
      item.dataset.code = reason.code;
      if (reason.cure !== null) item.append(" ", this.cure(reason));
      return item;
    });
    this.sections.why.replaceChildren(headline, make("ol", "reasons", null, items));
  }

  /** The command that would help. */
  cure(reason) {
    const code = make("code", "cure", visible(reason.cure, 120));
    code.title = "the command that would help";
    return code;
  }

  /** The text of a reason, in which the quoted names of operations are links. */
  linked({ text, culprit }, own, position) {
    const line = make("span", "reason-text");
    let named = culprit === null || culprit === own;
    // A quoted name that stands after the word 'queue' is that of a queue.
    for (const piece of text.split(/((?:\bqueue )?'[^']+')/)) {
      const other = piece.startsWith("'") ? this.operationNamed(piece.slice(1, -1), culprit, position) : null;
      named ||= other === culprit;
      line.append(...(other === null || other === own ? [piece] : ["'", this.linkTo(other), "'"]));
    }
    if (!named) line.append(" · ", this.linkTo(culprit));
    return line;
  }

  /** The operation that a name in a text means: the culprit, or the one that has the name and goes on. */
  operationNamed(name, culprit, position) {
    const has = (operation) => [60, 40].some((most) => visible(operation.name, most) === name);
    if (culprit !== null && has(culprit)) return culprit;
    return app.model.created.findLast((one) => one.stateAt(position) !== "finished" && has(one)) ?? null;
  }

  linkTo(operation) {
    const name = visible(operation.name, 60);
    const button = makeButton("link", name, null, () => app.select(operation));
    button.title = visible(operation.name);
    return button;
  }

  renderPhases(operation) {
    const phases = phasesOf(operation, app.time).filter((phase) => phase.end - phase.start >= shortestPhase);
    const whole = phases.reduce((sum, phase) => sum + phase.end - phase.start, 0);
    const sums = new Map();
    for (const phase of phases) {
      const known = sums.get(phase.cause) || { time: 0, culprits: new Map() };
      known.time += phase.end - phase.start;
      const culprit = app.model.operations.get(phase.culprit);
      if (culprit) known.culprits.set(culprit, (known.culprits.get(culprit) || 0) + phase.end - phase.start);
      sums.set(phase.cause, known);
    }
    const rows = [...sums].sort((one, other) => other[1].time - one[1].time).map(([cause, sum]) => {
      const share = whole > 0 ? sum.time / whole : 0;
      const bar = makeSVG("svg", { class: "share", "aria-hidden": "true" });
      bar.append(makeSVG("rect", { width: Math.max(1, share * 100) + "%", height: "100%", class: "phase " + cause, fill: fillOf(cause) }));
      const label = make("span", "phase-label", wordsOf(cause));
      const culprits = [...sum.culprits].sort((one, other) => other[1] - one[1]).slice(0, 2);
      for (const [culprit] of culprits) label.append(" · ", this.linkTo(culprit));
      return make("li", "phase-row", null, [
        label, make("span", "phase-time", duration(sum.time) + " · " + Math.round(share * 100) + " %"), bar,
      ]);
    });
    this.sections.phases.replaceChildren(rows.length > 0
      ? make("ul", "phase-list", null, rows)
      : make("p", "hint", (operation.entered.pending ?? operation.entered.ready) === undefined ? "It has not been added to a queue." : "No time yet."));
  }

  renderFacts(operation, position) {
    const info = operation.info || {};
    const known = [];
    const add = (name, text) => {
      if (text !== null && text !== undefined && text !== "") known.push([name, text]);
    };
    const isOver = operation.stateAt(position) === "finished";
    add("id", String(operation.id));
    add("kind", visible(operation.kind, 200));
    add("queue", operation.queue ? visible(operation.queue.name, 200) : visible(info.queue, 200) || "none");
    add("priority", operation.priority.at(position));
    add("place in line", placeWords(operation, position));
    if (info.qos && info.qos !== "default") add("quality of service", visible(info.qos, 40));
    const exclusive = operation.exclusive.at(position);
    if (exclusive.length > 0) add("needs for itself", visible(exclusive.join(", "), longestText));
    if (operation.isBarrier) add("barrier", "yes");
    if (info.request) {
      add("request", visible(info.request.method + " " + info.request.url, longestText));
      add("file", visible(info.request.file, longestText));
    }
    const moment = (state) => {
      const time = operation.timeOf(state, position);
      return time === undefined ? null : clockText(time, app.end);
    };
    add("added", moment("pending"));
    add("ready", moment("ready"));
    add("started", moment("executing"));
    add("finished", isOver ? moment("finished") : null);
    if (isOver) {
      add("result", visible(info.outcomeSummary, longestText));
      if (info.error) add("error", visible(info.error.code + ": " + info.error.message, longestText));
      if (info.attempts > 1) add("attempts", String(info.attempts));
      if (typeof info.status === "number") add("status", String(info.status));
      if (typeof info.bytes === "number") add("received", byteCount(info.bytes));
      if (typeof info.items === "number") add("items", String(info.items));
      const names = new Set(known.map(([name]) => name));
      for (const fact of Array.isArray(info.facts) ? info.facts : []) {
        if (fact && !names.has(fact.name)) add(visible(fact.name, 60), visible(fact.text, longestText));
      }
    }
    this.sections.facts.replaceChildren(...known.flatMap(([name, text]) => {
      const value = make("dd", text.length > 300 ? "is-long" : "", text);
      if (text.length > 300) {
        value.tabIndex = 0;
        value.setAttribute("role", "group");
        value.setAttribute("aria-label", name);
      }
      return [make("dt", "", name), value];
    }));
  }

  renderRequests(operation, position) {
    const isKnown = operation.stateAt(position) === "finished" || position >= app.model.events.length;
    const attempts = (isKnown && operation.info?.attemptLines) || [];
    // What was opened stays open.
    const stamp = operation.id + "|" + attempts.length;
    if (this.requestStamp === stamp) return;
    this.requestStamp = stamp;
    setHidden(part("inspector-requests-part"), attempts.length === 0);
    this.sections.requests.replaceChildren(makeAttempts(attempts));
  }

  renderLinks(operation, position) {
    const edges = operation.edgesAt(position);
    const dependents = operation.dependents
      .filter((other) => other.edges.some((edge) => edge.id === operation.id && edge.from < position && edge.to >= position));
    const members = operation.isGroup ? app.model.membersOf(operation) : [];
    const group = operation.group === null ? null : app.model.operations.get(operation.group);
    const row = (words, operations, note) => {
      if (operations.length === 0) return [];
      const line = make("p", "link-row", null, [make("span", "link-title", words)]);
      operations.slice(0, 12).forEach((other) => {
        const sign = makeSign(other.lookAt(position));
        sign.classList.add(other.lookAt(position));
        line.append(make("span", "link-item", null, [sign, this.linkTo(other), note ? note(other) : ""]));
      });
      if (operations.length > 12) line.append(" and " + grouped(operations.length - 12) + " more");
      return [line];
    };
    const policies = new Map(edges.map((edge) => [app.model.operation(edge.id), edge.policy]));
    const rows = [
      ...row("depends on", [...policies.keys()], (other) =>
        policies.get(other) === "run" ? "" : " " + visible(policies.get(other), 20)),
      ...row("needed by", dependents),
      ...row("member of", group ? [group] : []),
      ...row("members", members),
    ];
    this.sections.links.replaceChildren(...(rows.length > 0
      ? rows : [make("p", "hint", "It depends on nothing, and nothing depends on it.")]));
  }

  renderLog(operation, position) {
    const entries = operation.entries;
    const present = below(entries, position);
    const first = Math.max(0, Math.min(present - mostEntries / 2, entries.length - mostEntries));
    const last = app.showsFuture ? entries.length : present;
    const shown = entries.slice(first, Math.min(last, first + mostEntries));
    const items = shown.map((index) => {
      const event = app.model.events[index];
      const button = makeButton("log-entry", null, null, () => app.seek(index + 1));
      button.append(
        make("span", "log-time", clockText(event.time, app.end)), make("span", "log-text", eventText(event)));
      button.classList.toggle("is-future", index >= position);
      if (index === position - 1) button.setAttribute("aria-current", "step");
      return make("li", "", null, [button]);
    });
    if (first > 0) items.unshift(make("li", "hint", grouped(first) + " earlier entries"));
    const after = last - first - shown.length;
    if (after > 0) items.push(make("li", "hint", grouped(after) + " later entries"));
    this.sections.log.replaceChildren(...items);
  }
}

/** The place of a ready operation among those of its queue: `3rd of 12`. */
function placeWords(operation, position) {
  const place = operation.stateAt(position) === "ready" ? operation.queue.placeInLine(operation, position) : null;
  return place === null ? null : ordinal(place) + " of " + grouped(operation.queue.ready.count(position));
}
