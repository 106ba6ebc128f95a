// What joins the parts: the moment that is shown, the selection, the filter, and the keys.

class App {
  constructor() {
    this.model = new Model();
    this.scale = new TimeScale(this.model);
    this.position = 0;
    this.time = 0;
    this.selected = null;
    this.filterText = "";
    this.live = null;
    this.isFollowing = false;
    /** Whether what happens after the moment that is shown can be seen. */
    this.showsFuture = false;
    this.isPrinting = false;
    /** What was typed last, where the moment alone does not say it. */
    this.shownItem = null;
    this.isSeen = this.isSeen.bind(this);
    this.frameRequest = 0;
    this.lastPointer = false;
    this.rem = 16;
    this.mostEvents = mostEvents;
    this.keptEvents = keptEvents;
    /** How long the last frames took, in milliseconds; for checks. */
    this.frames = [];
  }

  start() {
    this.player = new Player();
    this.commands = new CommandStrip();
    this.lanes = new LanesPanel();
    this.timeline = new TimelinePanel();
    this.graph = new GraphPanel();
    this.inspector = new InspectorPanel();
    bindControls();
    bindKeys();
    const resizes = new ResizeObserver(() => this.invalidate());
    for (const id of ["lanes-list", "chapters", "timeline-scroll", "timeline-ruler", "graph-scroll", "strip"]) {
      resizes.observe(part(id));
    }
    if (document.documentElement.dataset.mode === "live") {
      this.live = new Live();
      this.isFollowing = true;
      this.live.start();
    } else {
      this.readRecording();
    }
    this.scale.update(this.end, this.live !== null);
    this.player.showSpeed();
    this.invalidate();
  }

  readRecording() {
    const template = part("recording");
    const text = template.content.textContent;
    template.remove();
    for (const line of text.split("\n")) if (line.trim() !== "") this.model.read(line);
    this.end = this.model.end;
    this.seek(0);
  }

  /** Forgets everything: what the server sends next is the whole session again. */
  clear() {
    const selected = this.selected?.id;
    this.model.clear();
    this.scale.clear();
    this.live?.clear();
    for (const panel of this.panels) panel.clear();
    this.selected = null;
    this.wanted = selected;
    // A moment that is looked at comes back as soon as the lines reach it.
    if (!this.isFollowing) this.wantedTime ??= this.time;
    this.position = 0;
    this.time = 0;
    this.invalidate();
  }

  /** Drops what is oldest if the session has become too long for the memory of a browser. */
  trim() {
    // What goes on is kept, however much it is: that is not looked at again and again.
    if (!this.live || this.model.length <= Math.max(this.mostEvents, this.model.trimmedLength * 1.5)) return;
    const selected = this.selected?.id;
    const place = trimModel(this.model, this.keptEvents, this.position);
    const { zoom } = this.timeline;
    for (const panel of this.panels) panel.clear();
    this.timeline.zoom = zoom;
    this.selected = this.model.operations.get(selected) ?? null;
    this.moveTo(place, this.time);
    if (!this.isFollowing && place === 0) this.seek(0);
  }

  get panels() {
    return [this.commands, this.lanes, this.timeline, this.graph, this.inspector];
  }

  /** Whether an operation is known at the moment that is shown, or the future can be seen. */
  isSeen(operation) {
    return this.showsFuture || operation.seen < this.position || this.position >= this.model.length;
  }

  /** How many operations are. */
  get seenCount() {
    const { created } = this.model;
    if (this.showsFuture || this.position >= this.model.length) return created.length;
    let [low, high] = [0, created.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (created[middle].seen < this.position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  switchFuture() {
    this.showsFuture = !this.showsFuture;
    part("future").setAttribute("aria-pressed", String(this.showsFuture));
    this.invalidate();
  }

  // Time

  /** The end of the recording, or the present of the session. */
  get end() {
    return this.live ? this.live.now : this.recordedEnd;
  }

  set end(time) {
    this.recordedEnd = time;
  }

  moveTo(position, time) {
    this.shownItem = null;
    this.position = position;
    this.time = time;
  }

  /** Shows the moment after a number of events. */
  seek(position) {
    this.isFollowing = false;
    this.wantedTime = undefined;
    this.moveTo(position, position >= this.model.length && !this.live ? this.end : this.model.timeOf(position));
    this.invalidate();
  }

  /** Shows a time, with all that had happened at it. */
  seekTime(time) {
    const isEnd = this.live && this.scale.at(time) >= this.scale.length * 0.9995;
    if (isEnd) return this.follow();
    this.isFollowing = false;
    this.wantedTime = undefined;
    this.moveTo(this.model.positionAt(time), Math.max(0, Math.min(this.end, time)));
    this.invalidate();
  }

  /** Shows the moment of a command or a chapter. */
  showMoment(item) {
    const { position, time } = item;
    this.isFollowing = false;
    this.wantedTime = undefined;
    this.moveTo(position, time);
    this.shownItem = item;
    this.invalidate();
  }

  /** Goes on showing the moment that is shown. */
  hold() {
    this.isFollowing = false;
    this.invalidate();
  }

  /** Shows the present of a live session from now on. */
  follow() {
    this.isFollowing = true;
    this.wantedTime = undefined;
    this.invalidate();
  }

  // Selection and filter

  select(operation) {
    this.selected = this.selected === operation ? null : operation;
    if (this.selected) this.timeline.reveal(this.selected);
    document.documentElement.classList.toggle("has-selection", this.selected !== null);
    this.invalidate();
  }

  selectNext(direction) {
    const operations = this.timeline.operations;
    if (operations.length === 0) return;
    const index = this.selected ? operations.indexOf(this.selected) : -1;
    const next = index < 0 ? (direction > 0 ? 0 : operations.length - 1)
      : Math.max(0, Math.min(operations.length - 1, index + direction));
    if (operations[next] !== this.selected) this.select(operations[next]);
  }

  setFilter(text) {
    this.filterText = text.trim().toLowerCase();
    this.filterWords = this.filterText.split(/\s+/);
    this.invalidate();
  }

  /** Whether an operation has all the words of the filter in its name, kind, queue or outcome. */
  matches(operation) {
    if (this.filterText === "") return true;
    const text = (operation.name + " " + operation.kind + " " + (operation.queue?.name || "") + " " +
      operation.lookAt(this.showsFuture ? Infinity : this.position)).toLowerCase();
    return this.filterWords.every((word) => text.includes(word));
  }

  // Frames

  invalidate() {
    if (this.frameRequest) return;
    this.frameRequest = requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.frameRequest = 0;
    const begin = performance.now();
    this.scale.update(this.end, this.live !== null);
    this.player.advance(now);
    if (this.isFollowing) this.moveTo(this.model.length, this.end);
    if (this.wantedTime !== undefined && this.model.end >= this.wantedTime) {
      this.moveTo(this.model.positionAt(this.wantedTime), this.wantedTime);
      this.wantedTime = undefined;
    }
    if (this.wanted !== undefined && this.model.operations.has(this.wanted)) {
      this.selected = this.model.operations.get(this.wanted);
      this.wanted = undefined;
    }
    this.rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    this.player.measure();
    const panels = this.panels.filter((panel) => panel.measure());
    this.renderHeader(this.position);
    for (const panel of panels) panel.render(this.position);
    this.player.render(this.position);
    this.frames.push(performance.now() - begin);
    if (this.frames.length > 600) this.frames.splice(0, 300);
    if (this.player.isPlaying) this.invalidate();
  }

  renderHeader(position) {
    const header = this.model.header;
    const words = [];
    if (header) {
      const endpoint = header.endpoint ?? header.options?.endpoint;
      if (endpoint) words.push(visible(endpoint, 40));
      if (header.clock) words.push(header.clock === "virtual" ? "virtual clock" : "real clock");
      if (header.seed !== null && header.seed !== undefined) words.push("seed " + visible(header.seed, 24));
      if (header.version) words.push("opsh " + visible(header.version, 20));
    }
    setNote(part("subtitle"), words.join(" · "));
    const notices = this.model.gaps.map((text) => visible(text, 200));
    if (this.model.unreadable > 0) notices.push(counted(this.model.unreadable, "line") + " could not be read");
    if (this.model.dropped.count > 0) {
      notices.push(counted(this.model.dropped.count, "finished operation") + " left out: the page keeps the latest " +
        grouped(this.keptEvents) + " events; 'record' keeps all");
    }
    setHidden(part("notice"), notices.length === 0);
    setText(part("notice"), notices.slice(0, 3).join("; "));
    for (const state of ["pending", "ready", "executing"]) {
      setText(part("total-" + state), grouped(this.model.count(state, position)));
    }
    for (const outcome of outcomeNames) {
      setText(part("total-" + outcome), grouped(this.model.countOutcome(outcome, position)));
    }
  }
}

function bindControls() {
  const filter = part("filter");
  filter.addEventListener("input", () => app.setFilter(filter.value));
  part("theme").addEventListener("click", switchTheme);
  part("presenter").addEventListener("click", switchPresenter);
  part("help-open").addEventListener("click", openHelp);
  part("help-close").addEventListener("click", () => part("help").close());
  part("inspector-close").addEventListener("click", () => app.select(null));
  for (const tab of document.querySelectorAll("[data-view]")) {
    tab.addEventListener("click", () => showView(tab.dataset.view));
  }
  document.addEventListener("pointerdown", () => { app.lastPointer = true; }, true);
  document.addEventListener("securitypolicyviolation", () => { app.violations = (app.violations || 0) + 1; });
  showView("lanes");
  window.addEventListener("beforeprint", () => layOutForPrint(true));
  window.addEventListener("afterprint", () => layOutForPrint(false));
}

/** Shows a view where not all fit: on a small screen one of four, on a larger one the timeline or the graph. */
function showView(view) {
  const root = document.documentElement;
  root.dataset.shown = view;
  if (view === "timeline" || view === "graph") root.dataset.lower = view;
  for (const tab of document.querySelectorAll("[data-view]")) {
    const isLower = tab.parentElement.id === "lower-tabs";
    const isChosen = tab.dataset.view === (isLower ? root.dataset.lower : view);
    tab.setAttribute("aria-pressed", String(isChosen));
  }
  app.invalidate();
}

const themes = ["auto", "light", "dark"];

function switchTheme() {
  const root = document.documentElement;
  const next = themes[(themes.indexOf(root.dataset.theme || "auto") + 1) % themes.length];
  root.dataset.theme = next;
  const button = part("theme");
  setText(button, { auto: "Auto", light: "Light", dark: "Dark" }[next]);
  setLabel(button, "Colours: " + { auto: "those of the system", light: "light", dark: "dark" }[next]);
}

function switchPresenter() {
  const root = document.documentElement;
  const isOn = root.classList.toggle("is-presenting");
  part("presenter").setAttribute("aria-pressed", String(isOn));
  app.timeline.scale = "";
  app.invalidate();
}

/** Lays everything out for paper, or for the screen again. */
function layOutForPrint(isOn) {
  const root = document.documentElement;
  app.isPrinting = isOn;
  root.classList.toggle("is-printing", isOn);
  const { position, time, showsFuture } = app;
  if (isOn) app.showsFuture = true;
  // At the start there is nothing yet.
  if (isOn && position === 0) app.moveTo(app.model.length, app.end);
  app.frame(performance.now());
  if (isOn) app.unprinted = { position, time, showsFuture };
  else Object.assign(app, app.unprinted);
  app.invalidate();
}

function openHelp() {
  const help = part("help");
  if (!help.open) help.showModal();
}

const app = new App();
