// The timeline: a row for each operation with what its time went to. Rows are made for what is in
// view only; a frame of the player moves the line of the present and nothing else.

/** Of a live session the timeline shows at least the last 30 s, and moves on in steps of a sixth. */
const liveWindow = 36;

class TimelinePanel {
  constructor() {
    this.scroll = part("timeline-scroll");
    this.list = part("timeline-list");
    this.ruler = part("timeline-ruler");
    this.note = part("timeline-note");
    this.present = part("timeline-present");
    this.future = part("timeline-future");
    this.folds = part("timeline-folds");
    this.legend = part("timeline-legend");
    this.tableBody = part("timeline-rows");
    this.rows = new Map();
    this.zoom = 1;
    this.start = 0;
    this.isTable = false;
    this.stamp = "";
    this.scroll.addEventListener("scroll", () => app.invalidate(), { passive: true });
    // Where a person scrolls, the rows stay for a while.
    this.scrolledAt = -Infinity;
    for (const kind of ["wheel", "pointerdown", "touchmove", "keydown"]) {
      this.scroll.addEventListener(kind, () => { this.scrolledAt = performance.now(); }, { passive: true });
    }
    this.followedAt = 0;
    part("zoom-in").addEventListener("click", () => this.zoomBy(2));
    part("zoom-out").addEventListener("click", () => this.zoomBy(0.5));
    part("fold").addEventListener("click", () => this.switchFolding());
    part("timeline-table-switch").addEventListener("click", () => this.setTable(!this.isTable));
    this.ruler.addEventListener("click", (event) => {
      const box = this.ruler.getBoundingClientRect();
      const share = (event.clientX - box.left) / Math.max(1, box.width);
      app.seekTime(app.scale.timeAt(this.start + Math.max(0, Math.min(1, share)) * this.span));
    });
    this.makeLegend();
  }

  clear() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.stamp = "";
    this.zoom = 1;
  }

  makeLegend() {
    part("fills").replaceChildren(...[...causes].map(makeFill));
    for (const cause of causes.keys()) {
      const swatch = makeSVG("svg", { class: "swatch", viewBox: "0 0 20 12", "aria-hidden": "true" });
      swatch.append(makeSVG("rect", { width: 20, height: 12, class: "phase " + cause, fill: fillOf(cause) }));
      const item = make("li", "legend-item", null, [swatch, make("span", "", shortWordsOf(cause))]);
      item.title = wordsOf(cause);
      item.dataset.cause = cause;
      item.hidden = true;
      this.legend.append(item);
    }
    this.seenCauses = new Set();
  }

  setTable(isTable) {
    this.isTable = isTable;
    this.stamp = "";
    part("timeline-table-switch").setAttribute("aria-pressed", String(isTable));
    part("timeline-picture").hidden = isTable;
    part("timeline-table").hidden = !isTable;
    app.invalidate();
  }

  /** Shortens long times in which nothing executed, or does not. */
  switchFolding() {
    app.scale.isFolding = !app.scale.isFolding;
    part("fold").setAttribute("aria-pressed", String(app.scale.isFolding));
    this.start = -1;
    app.player.showSpeed();
    app.invalidate();
  }

  zoomBy(factor) {
    const whole = this.base / app.scale.domain;
    const zoom = Math.min(4096, Math.max(this.zoom, whole) * factor);
    this.zoom = zoom > whole ? zoom : app.live ? 0 : 1;
    this.start = -1;
    app.invalidate();
  }

  /** What is shown without zoom: all of a recording, the latest of a live session. */
  get base() {
    return app.live ? Math.min(app.scale.domain, liveWindow) : app.scale.domain;
  }

  get span() {
    return this.zoom === 0 ? app.scale.domain : Math.min(app.scale.domain, this.base / this.zoom);
  }

  /** The operations of the rows. */
  get operations() {
    const order = app.model.outline;
    const seen = app.seenCount;
    // Of a live session those that had finished before the time that is shown are left out.
    const from = app.live && this.start > 0 && this.zoom <= 1 ? app.scale.timeAt(this.start) : -Infinity;
    const key = [app.filterText, order.length, seen, from, app.filterText ? app.model.version + "|" + app.position : 0].join("|");
    if (this.operationsKey !== key || this.operationsOf !== order) {
      this.operationsKey = key;
      this.operationsOf = order;
      this.shownOperations = seen === order.length && from < 0 && !app.filterText ? order
        : order.filter((operation) => app.isSeen(operation) && !(operation.timeOf("finished") < from) && app.matches(operation));
      this.places = new Map(this.shownOperations.map((operation, index) => [operation, index]));
    }
    return this.shownOperations;
  }

  /** Keeps in view what happens, while time goes on. */
  follow(position) {
    const now = performance.now();
    if (app.selected || !app.player.isPlaying && !app.isFollowing) return;
    if (now - this.scrolledAt < 5000 || now - this.followedAt < 500 || position === 0) return;
    this.followedAt = now;
    const { operation } = app.model.events[position - 1];
    if (operation) this.reveal(operation);
  }

  /** Brings the row of an operation into view. */
  reveal(operation) {
    const index = this.operations.length > 0 ? this.places.get(operation) : undefined;
    if (index === undefined || this.isTable) return;
    // A view that is not shown cannot scroll.
    this.revealed = this.scroll.clientHeight > 0 ? operation : null;
    const height = this.rowHeight();
    const top = index * height;
    if (top < this.scroll.scrollTop || top + height > this.scroll.scrollTop + this.scroll.clientHeight) {
      // With a whole row at the top.
      this.scroll.scrollTop = Math.max(0, Math.floor((top - this.scroll.clientHeight / 3) / height) * height);
    }
  }

  measure() {
    this.box = measured(this.scroll);
    this.trackWidth = this.ruler.clientWidth;
    return this.box.isShown || this.isTable;
  }

  rowHeight() {
    return Math.round(1.75 * rem());
  }

  /** Which part of the scale is shown. */
  updateStart() {
    const span = this.span;
    const place = app.scale.at(app.time);
    const isOutside = place < this.start || place > this.start + span;
    if (span >= app.scale.domain) this.start = 0;
    else if (app.live && this.zoom <= 1) this.start = Math.max(0, Math.ceil(place * 6 / span - 6) * span / 6);
    else if (this.start < 0 || isOutside) {
      this.start = Math.max(0, Math.min(app.scale.domain - span, place - span * 0.2));
    }
  }

  render(position) {
    this.updateStart();
    const operations = this.operations;
    setNote(this.note, counted(operations.length, "operation") + (app.showsFuture ? " in " + duration(app.end) : "") +
      (app.scale.folds.length > 0 ? " · " + duration(app.scale.shortened) + " shortened" : "") +
      (this.zoom > 1 ? " · " + this.zoom + " times as wide" : ""));
    setHidden(part("fold"), !app.scale.canFold);
    if (this.isTable) return this.renderTable(operations, position);
    const height = this.rowHeight();
    const listHeight = operations.length * height + "px";
    if (this.list.style.height !== listHeight) this.list.style.height = listHeight;
    if (app.selected && this.revealed !== app.selected) this.reveal(app.selected);
    this.follow(position);
    this.renderPresent();
    const first = Math.max(0, Math.floor(this.box.top / height) - 1);
    const count = Math.ceil(this.box.height / height) + 2;
    const scale = [app.scale.version, this.start, this.span, this.trackWidth, height].join("|");
    if (this.scale !== scale) {
      this.scale = scale;
      this.renderRuler();
    }
    const shown = operations.slice(first, first + count);
    const wanted = new Set(shown);
    for (const [operation, row] of this.rows) {
      if (wanted.has(operation)) continue;
      row.remove();
      this.rows.delete(operation);
    }
    shown.forEach((operation, index) => this.renderRow(operation, first + index, height, position, operations.length));
    this.renderLegend();
  }

  renderPresent() {
    const share = (app.scale.at(app.time) - this.start) / this.span;
    const within = share >= 0 && share <= 1;
    const left = Math.max(0, Math.min(1, share)) * this.trackWidth + "px";
    setHidden(this.present, !within);
    setClass(this.future, app.showsFuture ? "future" : "future is-hidden");
    if (this.present.shownLeft !== left) {
      this.present.shownLeft = left;
      this.present.style.transform = "translateX(" + left + ")";
      this.future.style.left = left;
    }
  }

  renderRuler() {
    const scale = app.scale;
    const end = this.start + this.span;
    const share = (place) => (place - this.start) / this.span;
    const stretches = scale.stretches(this.start, end);
    const shown = stretches.reduce((sum, one) => sum + one.end - one.start, 0);
    const raw = Math.max(1e-9, shown / Math.max(2, Math.floor(this.trackWidth * shown / this.span / (5 * rem()))));
    const power = 10 ** Math.floor(Math.log10(raw));
    const round = raw > 50 ? [60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400]
      : [1, 2, 5, 10].map((one) => one * power);
    const step = round.find((one) => one >= raw) ?? Math.ceil(raw / 86400) * 86400;
    const room = (4.5 * rem()) / Math.max(1, this.trackWidth);
    const folds = scale.folds.filter((fold) => fold.at < end && fold.at + fold.size > this.start);
    const ticks = folds.map((fold) => {
      const mark = make("span", "fold-mark", fold.size / this.span > room * 0.6 ? shortDuration(fold.end - fold.start) : "");
      mark.style.left = Math.max(0, share(fold.at)) * 100 + "%";
      mark.style.width = (Math.min(1, share(fold.at + fold.size)) - Math.max(0, share(fold.at))) * 100 + "%";
      mark.title = duration(fold.end - fold.start) + " in which nothing executed, shortened";
      return mark;
    });
    stretches.forEach((stretch, index) => {
      const last = share(stretch.at + stretch.end - stretch.start);
      const isLast = index + 1 === stretches.length;
      let free = -1;
      const add = (time) => {
        const place = share(stretch.at + time - stretch.start);
        if (place < free || place + room > (isLast ? 1 : last) && !(isLast && ticks.length === 0)) return;
        const tick = make("span", "tick", tickText(time, step));
        tick.style.left = place * 100 + "%";
        // The only one may stand at the edge.
        tick.classList.toggle("tick-before", place + room > 1);
        ticks.push(tick);
        free = place + room;
      };
      // After a shortened time the scale says where it goes on.
      if (stretch.start > scale.start && stretch.at > this.start) add(stretch.start);
      for (let number = Math.ceil(stretch.start / step); number * step <= stretch.end; number += 1) add(number * step);
    });
    this.ruler.replaceChildren(...ticks);
    this.folds.replaceChildren(...folds.map((fold) => {
      const band = make("div", "fold");
      band.style.left = share(fold.at) * 100 + "%";
      band.style.width = fold.size / this.span * 100 + "%";
      return band;
    }));
  }

  makeRow(operation) {
    const sign = makeSign("pending");
    const name = makeName("row-name");
    const bars = makeSVG("svg", { class: "row-bars", preserveAspectRatio: "none", "aria-hidden": "true" });
    const row = makeButton("row", null, null, () => app.select(operation));
    const captions = make("span", "bar-captions");
    row.append(sign, name, make("span", "row-track", null, [bars, captions]));
    this.list.append(row);
    return Object.assign(row, { sign, nameText: name, bars, captions });
  }

  renderRow(operation, index, height, position, total) {
    let row = this.rows.get(operation);
    if (!row) {
      row = this.makeRow(operation);
      this.rows.set(operation, row);
    }
    const look = operation.lookAt(position);
    setClass(row, "row" + (app.selected === operation ? " is-selected" : "") + " " + look);
    if (row.look !== look) {
      row.look = look;
      setSign(row.sign, look);
    }
    const place = "translateY(" + index * height + "px)";
    if (row.shownPlace !== place) {
      row.shownPlace = place;
      row.style.transform = place;
    }
    const isOver = operation.entered.finished !== undefined;
    const stamp = this.scale + "|" + operation.version + "|" + (isOver ? "" : Math.floor(app.end * 5));
    if (row.stamp === stamp) return;
    row.stamp = stamp;
    const name = visible(operation.name);
    setName(row.nameText, name);
    row.nameText.style.paddingLeft = Math.min(6, operation.depth || 0) * 0.75 + "rem";
    const phases = phasesOf(operation, app.end);
    setTitle(row, name + ": " + phaseWords(phases));
    setLabel(row, name + ", " + (index + 1) + " of " + total + ": " + phaseWords(phases) +
      (operation.outcome ? ", " + operation.outcome : ""));
    this.drawBars(row, phases, height);
  }

  /** Draws what the time went to: work is thick, waits are thin, and long ones have a label. */
  drawBars({ bars: svg, captions }, phases, height) {
    const width = this.trackWidth;
    svg.setAttribute("viewBox", "0 0 " + Math.max(1, width) + " " + height);
    const bars = [];
    const texts = [];
    for (const phase of phases) {
      const from = Math.max(-2, ((app.scale.at(phase.start) - this.start) / this.span) * width);
      const to = Math.min(width + 2, ((app.scale.at(phase.end) - this.start) / this.span) * width);
      if (to < 0 || from > width) continue;
      this.seenCauses.add(phase.cause);
      const isWork = causes.get(phase.cause).isWork;
      const [top, size] = isWork ? [0.14, 0.72] : [0.66, 0.2];
      bars.push(makeSVG("rect", {
        x: from.toFixed(2), y: height * top, width: Math.max(1, to - from).toFixed(2), height: height * size,
        class: "phase " + phase.cause, fill: fillOf(phase.cause),
      }));
      if (to - from > 5 * rem()) texts.push(this.makeLabel(phase, isWork, from / width, to / width));
      if (bars.length > 400) break;
    }
    svg.replaceChildren(...bars);
    captions.replaceChildren(...texts);
  }

  /** The label of a wait says for what, that of work at its end how long it was. */
  makeLabel(phase, isWork, from, to) {
    const text = isWork ? duration(phase.end - phase.start) : waitWords(phase);
    const label = isWork ? make("span", "bar-label is-work", null, [make("span", "", text)]) : make("span", "bar-label", text);
    label.style.left = Math.max(0, from) * 100 + "%";
    label.style.right = (1 - Math.min(1, to)) * 100 + "%";
    return label;
  }

  renderLegend() {
    if (this.legend.shownCount === this.seenCauses.size) return;
    this.legend.shownCount = this.seenCauses.size;
    for (const item of this.legend.children) item.hidden = !this.seenCauses.has(item.dataset.cause);
  }

  renderTable(operations, position) {
    const shown = operations.slice(0, 200);
    const stamp = [app.model.version, app.filterText, position, app.time, app.selected?.id].join("|");
    if (this.stamp === stamp) return;
    this.stamp = stamp;
    const isPart = operations.length > shown.length;
    setHidden(part("timeline-table-note"), !isPart);
    setText(part("timeline-table-note"),
      "The first " + shown.length + " of " + counted(operations.length, "operation") + "; filter to see others.");
    this.tableBody.replaceChildren(...shown.map((operation) => {
      const head = make("th", "short", null, [app.inspector.linkTo(operation)]);
      head.scope = "row";
      return make("tr", app.selected === operation ? "is-selected" : "", null, [
        head, shortCell(operation.queue?.name),
        make("td", "number", operation.lookAt(position)),
        make("td", "number", waitedText(operation, position)), make("td", "number", ranText(operation, position)),
        make("td", "", phaseWords(phasesOf(operation, app.time))),
      ]);
    }));
  }
}

/** `after b`, `queue full: a` */
function waitWords({ cause, culprit }) {
  const other = app.model.operations.get(culprit);
  if (!other) return shortWordsOf(cause);
  return (cause === "dependency" ? "after " : shortWordsOf(cause) + ": ") + visible(other.name, 60);
}

/** A cell in one row of text, with the whole of it as a title. */
function shortCell(text) {
  const cell = make("td", "short", visible(text));
  cell.title = cell.textContent;
  return cell;
}

/** The fill of a cause: patterns differ without their colours. */
function fillOf(cause) {
  return causes.has(cause) ? "url(#fill-" + cause + ")" : "none";
}

/** The pattern of a cause: a ground and a drawing in the same hue, or the hue alone. */
function makeFill([cause, { light, dark, pattern }]) {
  const { width, height, lines, areas } = pattern ?? { width: 6, height: 6 };
  const fill = makeSVG("pattern", {
    id: "fill-" + cause, class: pattern ? "fill" : "fill solid", width, height, patternUnits: "userSpaceOnUse",
  });
  fill.style.setProperty("--hue", "light-dark(" + light + "," + dark + ")");
  fill.append(makeSVG("rect", { width, height }));
  if (lines) fill.append(makeSVG("path", { d: lines }));
  if (areas) fill.append(makeSVG("path", { class: "is-area", d: areas }));
  return fill;
}

/** `dependency not finished 20 ms, work 30 ms` */
function phaseWords(phases) {
  const sums = new Map();
  for (const phase of phases) {
    if (phase.end - phase.start < shortestPhase) continue;
    sums.set(phase.cause, (sums.get(phase.cause) || 0) + phase.end - phase.start);
  }
  if (sums.size === 0) return "no time yet";
  return [...sums].map(([cause, time]) => wordsOf(cause) + " " + duration(time)).join(", ");
}

/** How long it had waited at the moment that is shown. */
function waitedText(operation, position) {
  const added = operation.timeOf("pending", position) ?? operation.timeOf("ready", position);
  if (added === undefined) return "";
  return duration((operation.timeOf("executing", position) ?? operation.timeOf("finished", position) ?? app.time) - added);
}

/** How long it had executed at the moment that is shown. */
function ranText(operation, position) {
  const started = operation.timeOf("executing", position);
  return started === undefined ? "" : duration((operation.timeOf("finished", position) ?? app.time) - started);
}

/** The time of a tick; where duration would leave out what tells it from the next one, as a clock. */
function tickText(time, step) {
  if (step >= 60) return duration(time);
  if (time < 60) return duration(time).replace(/(\.\d)0 /, "$1 ");
  return hoursText(time, step < 1 ? Math.min(3, Math.ceil(-Math.log10(step) - 1e-9)) : 0);
}

/** A duration in one unit: `58 min`. */
function shortDuration(seconds) {
  if (seconds < 100) return Math.round(seconds) + " s";
  if (seconds < 6000) return Math.round(seconds / 60) + " min";
  return Math.round(seconds / 3600) + " h";
}
