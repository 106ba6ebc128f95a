// Queues as lanes. Each lane has four columns, in which cards move from pending to finished. Only
// the lanes in view are in the document, and of each column only the nearest cards.

const columnNames = ["pending", "ready", "executing", "finished"];

/** A lane in the document: it is used for one queue after the other. */
class Lane {
  constructor(panel) {
    this.panel = panel;
    this.queue = null;
    this.cards = new Map();
    this.name = make("h3", "lane-name");
    this.badges = make("span", "lane-badges");
    this.controls = make("span", "lane-controls");
    this.layer = make("div", "lane-cards");
    this.columns = columnNames.map((name) => {
      const count = make("span", "column-count");
      const title = make("div", "column-title " + name, null, [makeSign(name), make("span", "column-name", name), count]);
      const more = make("div", "column-more");
      more.hidden = true;
      return { name, title, count, more };
    });
    this.body = make("div", "lane-body", null, [
      ...this.columns.flatMap((column) => [column.title, column.more]), this.layer,
    ]);
    this.slotMarks = [];
    this.element = make("section", "lane", null, [
      make("div", "lane-head", null, [this.name, this.badges, this.controls]), this.body,
    ]);
  }

  show(queue) {
    if (this.queue === queue) return;
    this.queue = queue;
    for (const card of this.cards.values()) card.remove();
    this.cards.clear();
    this.controls.textContent = "";
    this.controlsFor = null;
  }

  remove() {
    this.element.remove();
  }

  render(position, layout) {
    const queue = this.queue;
    this.renderHead(position);
    const rows = layout.rows;
    const slots = this.slotRows(position, rows);
    const finishedCount = queue.finished.count(position);
    const content = {
      pending: { count: queue.pending.count(position), list: queue.pending.list(position, rows) },
      ready: { count: queue.readyCount(position), list: queue.readyList(position, rows) },
      executing: { count: queue.executing.count(position), list: slots.shown },
      finished: { count: finishedCount, list: queue.finished.latest(position, rows) },
    };
    const placed = new Set();
    this.spare = this.panel.isFast ? this.cardsWithout(content, rows) : [];
    this.columns.forEach((column, index) => {
      const place = layout.columns[index];
      const { count, list } = content[column.name];
      this.place(column.title, place.x, place.y);
      column.title.style.width = place.width + "px";
      setText(column.count, grouped(count));
      let shown = list;
      const more = column.name === "executing" ? slots.more : count - list.length;
      if (more > 0 && column.name !== "executing") shown = list.slice(0, rows - 1);
      setHidden(column.more, more <= 0);
      if (more > 0) {
        const row = column.name === "executing" ? slots.rows : shown.length;
        this.place(column.more, place.x, place.y + layout.title + row * layout.pitch);
        column.more.style.width = place.width + "px";
        setNote(column.more, column.name === "executing"
          ? slots.text : "+ " + grouped(count - shown.length) +
            (column.name === "finished" ? " earlier" : " more"));
      }
      shown.forEach((operation, row) => {
        const slotRow = column.name === "executing" ? slots.rowOf.get(operation) : row;
        this.placeCard(operation, position, column.name, place,
          place.y + layout.title + slotRow * layout.pitch, layout, slots.slotOf.get(operation));
        placed.add(operation);
      });
    });
    this.renderSlots(slots, layout);
    for (const card of this.spare) card.remove();
    for (const [operation, card] of this.cards) {
      if (placed.has(operation)) continue;
      card.remove();
      this.cards.delete(operation);
    }
  }

  /** Takes the cards of operations that are no longer shown, for others to use. */
  cardsWithout(content, rows) {
    const shown = new Set(columnNames.flatMap((name) => content[name].list.slice(0, rows)));
    const spare = [];
    for (const [operation, card] of this.cards) {
      if (shown.has(operation)) continue;
      spare.push(card);
      this.cards.delete(operation);
    }
    return spare;
  }

  /** Which slots are shown, each in its row. */
  slotRows(position, most) {
    const queue = this.queue;
    const width = queue.width.at(position);
    const executing = queue.executing.count(position);
    const rowOf = new Map();
    const slotOf = new Map();
    const shown = [];
    const highest = Math.min(queue.slots.slots.length, 64);
    const slots = [];
    for (let slot = 0; slot < Math.max(highest, Math.min(Math.max(width, 0), most)); slot += 1) {
      const operation = queue.slots.at(slot, position);
      if (operation || slot < width) slots.push({ slot, operation });
    }
    const all = Math.max(slots.length, Math.max(width, executing));
    const limit = all > most ? most - 1 : most;
    // Where not all fit, the taken ones come first.
    if (slots.length > limit) slots.sort((one, other) => (one.operation ? 0 : 1) - (other.operation ? 0 : 1));
    slots.splice(limit);
    slots.forEach(({ slot, operation }, row) => {
      if (!operation) return;
      rowOf.set(operation, row);
      slotOf.set(operation, slot);
      shown.push(operation);
    });
    const moreTaken = executing - shown.length;
    const moreFree = Math.max(0, width - executing - (slots.length - shown.length));
    const text = [];
    if (moreTaken > 0) text.push("+ " + grouped(moreTaken) + " executing");
    if (moreFree > 0) text.push("+ " + grouped(moreFree) + " free");
    return { shown, rowOf, slotOf, slots, rows: slots.length, more: text.length, text: text.join(", ") };
  }

  renderSlots({ slots }, layout) {
    const place = layout.columns[2];
    while (this.slotMarks.length < slots.length) {
      const mark = make("div", "slot");
      this.slotMarks.push(mark);
      this.body.insertBefore(mark, this.layer);
    }
    while (this.slotMarks.length > slots.length) this.slotMarks.pop().remove();
    slots.forEach(({ slot, operation }, row) => {
      const mark = this.slotMarks[row];
      this.place(mark, place.x, place.y + layout.title + row * layout.pitch);
      mark.style.width = place.width + "px";
      mark.style.height = layout.card + "px";
      setText(mark, "slot " + (slot + 1) + (operation ? "" : " · free"));
    });
  }

  renderHead(position) {
    const queue = this.queue;
    const width = queue.width.at(position);
    const paused = queue.paused.at(position);
    const pace = queue.pace.at(position);
    const name = visible(queue.name);
    setText(this.name, name);
    setTitle(this.name, name);
    const badges = [];
    if (paused) badges.push(["paused", "paused"]);
    badges.push(["width", width < 0 ? "unlimited width"
      : queue.executing.count(position) + " of " + counted(width, "slot") + " taken"]);
    if (pace > 0) badges.push(["pace", "a start each " + duration(pace)]);
    if (queue.group) badges.push(["group", "members of '" + visible(queue.group.name, 40) + "'"]);
    const text = badges.map((badge) => badge.join(" ")).join("|");
    if (this.badges.shownText !== text) {
      this.badges.shownText = text;
      this.badges.replaceChildren(...badges.map(([kind, words]) => {
        const badge = make("span", "badge " + kind, words);
        badge.title = words;
        if (kind === "paused") badge.prepend(makeSign("paused"));
        return badge;
      }));
    }
    setClass(this.element, paused ? "lane is-paused" : "lane");
    setLabel(this.element, "Queue " + name);
    if (app.live?.canSteer) app.live.renderQueueControls(this, queue, position);
  }

  place(element, x, y) {
    const transform = "translate(" + x + "px," + y + "px)";
    if (element.shownPlace === transform) return;
    element.shownPlace = transform;
    element.style.transform = transform;
  }

  placeCard(operation, position, column, place, y, layout, slot) {
    let card = this.cards.get(operation);
    if (!card) {
      card = this.spare.pop() || this.panel.makeCard();
      card.operation = operation;
      this.cards.set(operation, card);
    }
    const look = operation.lookAt(position);
    const note = this.noteOf(operation, position, column);
    const chosen = app.selected === operation;
    const matches = app.matches(operation);
    setClass(card, "card " + look + (chosen ? " is-selected" : "") + (matches ? "" : " is-dim") +
      (operation.cancelled < position && look !== "cancelled" ? " is-cancelled" : ""));
    if (card.look !== look) {
      card.look = look;
      setSign(card.sign, look);
    }
    const name = visible(operation.name);
    setName(card.nameText, name);
    setText(card.noteText, note);
    setTitle(card, name + (note ? " · " + note : ""));
    setLabel(card, name + ", " + look + (slot === undefined ? "" : ", slot " + (slot + 1)) +
      (note ? ", " + note : ""));
    if (card.shownWidth !== place.width) {
      card.shownWidth = place.width;
      card.style.width = place.width + "px";
      card.style.height = layout.card + "px";
    }
    this.place(card, place.x, y);
    if (card.isConnected) return;
    this.layer.append(card);
    if (!this.panel.isFast && !reducedMotion.matches) card.animate({ opacity: [0, 1] }, 300);
  }

  /** The few words after a name. */
  noteOf(operation, position, column) {
    const started = operation.timeOf("executing", position);
    if (column === "finished") {
      return started === undefined ? "" : duration(operation.timeOf("finished", position) - started);
    }
    const priority = operation.priority.at(position);
    if (column === "ready") return priority === "normal" ? "" : priority;
    const { cause } = spanAt(operation, position, app.time);
    const isHeld = cause !== null && cause !== "members" && !causes.get(cause)?.isWork;
    if (isHeld) return shortWordsOf(cause);
    if (column === "pending") return "";
    const attempts = operation.attempts.at(position);
    const spent = duration(app.time - started);
    return attempts > 1 ? "attempt " + attempts + " · " + spent : spent;
  }
}

class LanesPanel {
  constructor() {
    this.scroll = part("lanes-scroll");
    this.list = part("lanes-list");
    this.note = part("lanes-note");
    this.hidden = part("lanes-hidden");
    this.lanes = [];
    this.position = 0;
    this.isFast = false;
    this.scroll.addEventListener("scroll", () => app.invalidate(), { passive: true });
  }

  clear() {
    for (const lane of this.lanes) lane.remove();
    this.lanes = [];
  }

  makeCard() {
    const sign = makeSign("pending");
    const nameText = makeName("card-name");
    const noteText = make("span", "card-note");
    const card = makeButton("card", null, null, () => app.select(card.operation));
    card.append(sign, nameText, noteText);
    return Object.assign(card, { sign, nameText, noteText });
  }

  /** The queues that are shown: those of the session, and those of groups while they have work. */
  queues(position) {
    const shown = [];
    let hidden = 0;
    for (const queue of app.model.queueList) {
      if (queue.seen >= position && position < app.model.length) continue;
      // The shell's own queues, of which most sessions use neither.
      if (["main", "system"].includes(queue.name) && queue.members.length === 0) continue;
      if (queue.group && queue.group.stateAt(position) === "finished") {
        hidden += 1;
        continue;
      }
      shown.push(queue);
    }
    const own = shown.filter((queue) => !queue.group);
    const groups = shown.filter((queue) => queue.group);
    return { queues: [...own, ...groups], hidden };
  }

  measure() {
    this.box = measured(this.scroll);
    this.width = this.list.clientWidth;
    return this.box.isShown;
  }

  layout(count, hidden) {
    const size = rem();
    const width = this.width;
    const padding = 0.75 * size;
    const gap = 0.75 * size;
    const title = 1.7 * size;
    const card = 1.9 * size;
    const pitch = card + 0.3 * size;
    const isNarrow = width < 34 * size;
    const isTall = isNarrow || app.live?.canSteer && width < 56 * size;
    const head = (isTall ? 4.6 : 2.6) * size;
    const blocks = isNarrow ? 2 : 1;
    const height = this.box.height - (hidden > 0 ? 2.5 * size : 0);
    const space = height / Math.max(1, count) - head - 0.75 * size;
    const fitting = Math.floor((space / blocks - title - 0.4 * size) / pitch);
    // Fewer rows if that shows every lane; otherwise the list of lanes scrolls.
    const rows = fitting >= 2 ? Math.min(12, fitting) : 3;
    const block = title + rows * pitch + 0.4 * size;
    const perRow = isNarrow ? 2 : 4;
    const columnWidth = Math.floor((width - 2 * padding - (perRow - 1) * gap) / perRow);
    const columns = columnNames.map((_, index) => ({
      x: padding + (index % perRow) * (columnWidth + gap),
      y: Math.floor(index / perRow) * block,
      width: columnWidth,
    }));
    return { rows, title, card, pitch, columns, head, body: blocks * block, lane: head + blocks * block + 0.75 * size };
  }

  render(position) {
    // Where much happens at once, movements would only be noise.
    this.isFast = Math.abs(position - this.position) > 8;
    this.position = position;
    setClass(this.list, this.isFast ? "lanes-list is-fast" : "lanes-list");
    const { queues, hidden } = this.queues(position);
    const layout = this.layout(queues.length, hidden);
    const first = Math.max(0, Math.floor(this.box.top / layout.lane));
    const visibleCount = Math.ceil(this.box.height / layout.lane) + 1;
    const shown = queues.slice(first, first + visibleCount);
    const height = queues.length * layout.lane + "px";
    if (this.list.style.height !== height) this.list.style.height = height;
    setNote(this.note, counted(queues.length, "queue"));
    // Their operations are in the sums of the page, and in no lane.
    setHidden(this.hidden, hidden === 0);
    if (hidden > 0) setText(this.hidden, counted(hidden, "finished group") + " not shown");
    // A lane stays with its queue, so that its cards move instead of being made anew.
    const free = this.lanes.filter((lane) => !shown.includes(lane.queue));
    const kept = new Map(this.lanes.filter((lane) => shown.includes(lane.queue))
      .map((lane) => [lane.queue, lane]));
    this.lanes = shown.map((queue, index) => {
      let lane = kept.get(queue);
      if (!lane) {
        lane = free.pop() || new Lane(this);
        lane.show(queue);
        if (!lane.element.isConnected) this.list.append(lane.element);
      }
      lane.element.style.height = layout.lane - 0.75 * rem() + "px";
      lane.place(lane.element, 0, (first + index) * layout.lane);
      lane.body.style.height = layout.body + "px";
      lane.render(position, layout);
      return lane;
    });
    for (const lane of free) lane.remove();
    part("lanes-empty").hidden = queues.length > 0;
  }
}
