// A live session: lines come as server-sent events, and what the page may do are actions of a fixed
// list. The shell builds the command, runs it and says which one it was.

const levels = ["veryLow", "low", "normal", "high", "veryHigh"];

function widthWords(value) {
  return value === "unlimited" ? "unlimited" : "width " + value;
}

function paceWords(value) {
  return Number(value) === 0 ? "no pace" : "pace " + duration(Number(value));
}

/** After how many milliseconds without an answer the page says that there may be no session. */
const longestSilence = 5000;

class Live {
  constructor() {
    this.canSteer = false;
    this.source = null;
    /** A time of the session, when it came, and how fast time passes since. */
    this.anchor = null;
    this.isOver = false;
    /** When the connection was lost; null while there is one. */
    this.lostAt = null;
    this.status = part("connection");
    this.lastCommand = part("command");
  }

  /** Exchanges the secret of the address for a cookie, and opens the stream. */
  async start() {
    const secret = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname + location.search);
    this.showStatus("connecting…", "waiting");
    try {
      const answer = await fetch("session", {
        method: "POST", headers: { "Content-Type": "application/json" }, credentials: "same-origin",
        body: JSON.stringify({ secret }),
      });
      if (!answer.ok) return this.refuse(answer.status);
      const session = await answer.json();
      this.canSteer = session.canSteer === true;
    } catch {
      return this.refuse(0);
    }
    document.documentElement.dataset.steers = String(this.canSteer);
    this.open();
  }

  refuse(status) {
    this.showStatus("not connected", "failed");
    part("refusal").hidden = false;
    setText(part("refusal-text"), status === 0
      ? "The session does not answer. It may have ended, or 'serve off' has run."
      : status === 401 || status === 403
        ? "The session refused the secret of this address. Open the whole address that 'serve' printed, with everything after the '#'."
        : status === 429 ? "There were too many wrong secrets. Wait a second and load the page again."
        : status === 503 ? "The session has as many followers as it allows. Try again later."
          : "The session refused the connection (status " + status + ").");
  }

  open() {
    this.source = new EventSource("events");
    this.source.addEventListener("open", () => {
      this.lostAt = null;
      this.showStatus("live", "ok");
    });
    this.source.addEventListener("message", (event) => this.receive(event.data));
    this.source.addEventListener("snapshot", () => app.clear());
    this.source.addEventListener("end", () => this.end());
    this.source.addEventListener("error", () => {
      const isOver = this.source.readyState === EventSource.CLOSED;
      this.lostAt ??= performance.now();
      const isLong = performance.now() - this.lostAt > longestSilence;
      this.showStatus(isOver ? "refused; load again"
        : isLong ? "no answer; the session may have ended" : "connecting again…", isOver ? "failed" : "waiting");
    });
    setInterval(() => app.invalidate(), 200);
  }

  /** The server says that nothing follows. */
  end() {
    this.source.close();
    this.isOver = true;
    this.canSteer = false;
    document.documentElement.dataset.steers = "false";
    this.showStatus(app.model.summary ? "the session has ended" : "no longer served", "waiting");
    for (const lane of app.lanes.lanes) lane.controls.replaceChildren();
    app.inspector.clear();
    app.invalidate();
  }

  receive(data) {
    for (const line of data.split("\n")) if (line !== "") app.model.read(line);
    app.trim();
    const isVirtual = app.model.header?.clock === "virtual";
    const { end, speed } = app.model;
    if (!isVirtual && (this.anchor?.speed !== speed || end > this.expected)) {
      this.anchor = { time: end, speed, at: performance.now() / 1000 };
    }
    app.invalidate();
  }

  clear() {
    this.anchor = null;
  }

  /** Whether the page may have the session take steps, which it does on the virtual clock. */
  get canStep() {
    return this.canSteer && app.model.header?.clock === "virtual";
  }

  /** The present of the session. */
  get now() {
    if (this.anchor === null || this.isOver) return app.model.end;
    return Math.max(app.model.end, this.expected);
  }

  /** The present of the session as far as the last lines tell. */
  get expected() {
    const { time, speed, at } = this.anchor;
    return time + (performance.now() / 1000 - at) * speed;
  }

  showStatus(text, kind) {
    setText(this.status, text);
    this.status.className = "connection " + kind;
    this.status.hidden = false;
  }

  // Steering

  /** Asks for an action; a list that was the control shows again what is. */
  async act(action, list) {
    if (!this.canSteer) return;
    // What it does is done now, also if the past was shown.
    app.follow();
    this.showCommand("…", "waiting");
    try {
      const answer = await fetch("actions", {
        method: "POST", headers: { "Content-Type": "application/json" }, credentials: "same-origin",
        body: JSON.stringify(action),
      });
      const result = await answer.json();
      const problem = result.message || result.error;
      const message = problem ? " – " + visible(problem, 300) : "";
      this.showCommand((visible(result.command, 200) || action.action) + message,
        answer.ok && result.ok ? "ok" : "failed");
    } catch {
      this.showCommand(action.action + " – the session does not answer", "failed");
    }
    if (list) list.shownValue = null;
    app.invalidate();
  }

  showCommand(text, kind) {
    this.lastCommand.hidden = false;
    setNote(this.lastCommand, text);
    this.lastCommand.className = "command " + kind;
  }

  renderQueueControls(lane, queue, position) {
    // Steering is about the present, whatever moment is shown.
    const paused = queue.paused.last;
    const width = queue.width.last;
    const pace = queue.pace.last;
    if (!lane.controlsFor) {
      const name = () => lane.queue.name;
      const controls = {
        pause: makeButton("control", "", null, () =>
          this.act({ action: lane.queue.paused.last ? "resume" : "pause", queue: name() })),
        step: makeButton("control", "Step", null, () => this.act({ action: "step", queue: name() })),
        width: make("select", "control"), pace: make("select", "control"),
      };
      for (const value of ["0", "1", "2", "3", "4", "6", "8", "12", "16", "32", "unlimited"]) {
        controls.width.append(new Option(widthWords(value), value));
      }
      for (const value of [0, 0.1, 0.25, 0.5, 1, 2, 5]) {
        controls.pace.append(new Option(paceWords(value), String(value)));
      }
      controls.width.addEventListener("change", () => {
        const value = controls.width.value;
        this.act({ action: "width", queue: name(), value: value === "unlimited" ? value : Number(value) },
          controls.width);
      });
      controls.pace.addEventListener("change", () =>
        this.act({ action: "pace", queue: name(), value: Number(controls.pace.value) }, controls.pace));
      lane.controls.replaceChildren(controls.pause, controls.step, controls.width, controls.pace);
      lane.controlsFor = controls;
    }
    const { pause, step, width: widthSelect, pace: paceSelect } = lane.controlsFor;
    const shownName = visible(queue.name, 60);
    setText(pause, paused ? "Resume" : "Pause");
    setLabel(pause, (paused ? "Resume" : "Pause") + " queue " + shownName);
    setLabel(step, "Start one operation of queue " + shownName);
    setLabel(widthSelect, "Width of queue " + shownName);
    setLabel(paceSelect, "Pace of queue " + shownName);
    this.choose(widthSelect, width < 0 ? "unlimited" : String(width), widthWords);
    this.choose(paceSelect, String(pace), paceWords);
  }

  /** Selects a value, and adds it if it is not among the usual ones. */
  choose(select, value, words) {
    if (select.shownValue === value) return;
    select.shownValue = value;
    if (![...select.options].some((option) => option.value === value)) {
      select.append(new Option(words(value), value));
    }
    select.value = value;
  }

  renderOperationControls(section, operation) {
    const isOver = operation.states.last === "finished";
    part("inspector-steer-part").hidden = !this.canSteer || isOver;
    if (!this.canSteer || isOver) {
      section.replaceChildren();
      section.controls = null;
      return;
    }
    if (section.controls?.operation !== operation) {
      const priority = make("select", "control");
      priority.setAttribute("aria-label", "Priority");
      for (const level of levels) priority.append(new Option("priority " + level, level));
      priority.addEventListener("change", () =>
        this.act({ action: "priority", operation: operation.id, value: priority.value }, priority));
      const cancel = makeButton("control", "Cancel", null, () =>
        this.act({ action: "cancel", operation: operation.id }));
      const finish = makeButton("control", "Finish", null, () =>
        this.act({ action: "finish", operation: operation.id }));
      section.controls = { operation, priority, finish };
      section.replaceChildren(priority, cancel, finish);
    }
    const { priority, finish } = section.controls;
    this.choose(priority, operation.priority.last, (value) => "priority " + value);
    finish.hidden = operation.isGroup || operation.kind !== "async" && operation.spans.last.cause !== "awaits-finish";
  }
}
