// A lane of the document: a queue with four columns, in which cards move from pending to finished. Of
// each column only the nearest cards are in it.

const columnNames = ["pending", "ready", "executing", "finished"];
/** How long a card is on its way, in milliseconds. */
const wayTime = 300;
/** More cards than a column has. */
const mostCards = 1e6;
/** With more events between two frames no way is shown. */
const mostWays = 40;

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
    const { queue } = this;
    this.layout = layout;
    this.renderHead(position);
    const columns = new Map(layout.blocks.flatMap((block) => block.columns.map((column) => [column.name, { ...column, rows: block.rows, more: block.more }])));
    const room = (name) => (columns.has(name) ? columns.get(name).rows * columns.get(name).across : 0);
    const slots = this.slotPlaces(position, columns.get("executing"));
    const content = {
      pending: queue.pending.list(position, room("pending")),
      ready: queue.ready.line(position, room("ready")), executing: slots.shown,
      finished: queue.finished.latest(position, room("finished")),
    };
    const placed = new Set();
    this.spare = this.panel.isFast ? this.cardsWithout(content) : [];
    for (const { name, title, count, more } of this.columns) {
      const column = columns.get(name);
      setHidden(title, !column || app.isPrinting && layout.counts[name] === 0);
      title.style.order = app.isPrinting ? columnNames.indexOf(name) * mostCards : "";
      setHidden(more, true);
      if (!column) continue;
      this.place(title, column.x, column.y);
      title.style.width = column.width + "px";
      setText(count, grouped(layout.counts[name]));
      const folded = name === "executing" ? slots.text : this.foldedText(name, layout.counts[name], column);
      if (folded && column.more > 0) this.placeMore(more, folded, column, layout);
      content[name].forEach((operation, index) => {
        const place = name === "executing" ? slots.placeOf.get(operation) : index;
        this.placeCard(operation, position, column, this.cell(column, place, layout), index, layout);
        placed.add(operation);
      });
    }
    this.renderSlots(slots, columns.get("executing"), layout);
    for (const card of this.spare) card.remove();
    for (const [operation, card] of this.cards) {
      if (placed.has(operation)) continue;
      card.remove();
      this.cards.delete(operation);
    }
  }

  /** The place of a card in a column: row by row, several beside one another where there is room. */
  cell(column, index, layout) {
    const width = (column.width - (column.across - 1) * layout.gap) / column.across;
    const row = Math.floor(index / column.across);
    return {
      x: column.x + (index % column.across) * (width + layout.gap), y: column.y + layout.title + row * layout.pitch, width,
    };
  }

  /** What a column says of the cards for which it has no room; nothing if it has room for all. */
  foldedText(name, count, column) {
    if (count <= column.rows * column.across) return "";
    return "+ " + grouped(count - column.rows * column.across) + (name === "finished" ? " earlier" : " more");
  }

  placeMore(more, text, column, layout) {
    more.hidden = false;
    this.place(more, column.x, column.y + layout.title + column.rows * layout.pitch);
    more.style.width = column.width + "px";
    setNote(more, text);
  }

  /** Takes the cards of operations that are no longer shown, for others to use. */
  cardsWithout(content) {
    const shown = new Set(columnNames.flatMap((name) => content[name]));
    const spare = [];
    for (const [operation, card] of this.cards) {
      if (shown.has(operation)) continue;
      spare.push(card);
      this.cards.delete(operation);
    }
    return spare;
  }

  /** Which slots are shown, each in its place. */
  slotPlaces(position, column) {
    const { queue } = this;
    const placeOf = new Map();
    if (!column) return { shown: [], slots: [], placeOf, text: "" };
    const room = column.rows * column.across;
    const width = queue.width.at(position);
    const executing = queue.executing.count(position);
    const highest = Math.min(queue.slots.slots.length, 64);
    const slots = [];
    for (let slot = 0; slot < Math.max(highest, Math.min(Math.max(width, 0), room)); slot += 1) {
      const operation = queue.slots.at(slot, position);
      if (operation || slot < width) slots.push({ slot, operation });
    }
    // Where not all fit, the taken ones come first.
    if (slots.length > room) slots.sort((one, other) => (one.operation ? 0 : 1) - (other.operation ? 0 : 1));
    slots.splice(room);
    const shown = [];
    slots.forEach(({ operation }, place) => {
      if (!operation) return;
      placeOf.set(operation, place);
      shown.push(operation);
    });
    const moreTaken = executing - shown.length;
    const moreFree = Math.max(0, width - executing - (slots.length - shown.length));
    const text = [];
    if (moreTaken > 0) text.push("+ " + grouped(moreTaken) + " executing");
    if (moreFree > 0) text.push("+ " + grouped(moreFree) + " free");
    return { shown, placeOf, slots, text: text.join(", ") };
  }

  renderSlots({ slots }, column, layout) {
    while (this.slotMarks.length < slots.length) {
      const mark = make("div", "slot");
      this.slotMarks.push(mark);
      this.body.insertBefore(mark, this.layer);
    }
    while (this.slotMarks.length > slots.length) this.slotMarks.pop().remove();
    slots.forEach(({ slot, operation }, index) => {
      const mark = this.slotMarks[index];
      const { x, y, width } = this.cell(column, index, layout);
      this.place(mark, x, y);
      mark.style.width = width + "px";
      mark.style.height = layout.card + "px";
      setText(mark, "slot " + (slot + 1) + (operation ? "" : " · free"));
    });
    this.slotsShown = { slots, column };
  }

  /** Where the slot is that an operation had, for its way to the end; nil where that is not shown. */
  slotCell(operation) {
    const { slots, column } = this.slotsShown ?? {};
    const index = slots ? slots.findIndex(({ slot }) => slot === operation.lastSlot) : -1;
    // Without a limit to the width only taken slots have a place.
    return column ? this.cell(column, index < 0 ? Math.min(operation.lastSlot, slots.length) : index, this.layout) : null;
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
    if (queue.finished.count(position) > 0 && this.layout.blocks.length === 0) {
      badges.push(["finished", grouped(queue.finished.count(position)) + " finished"]);
    }
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

  placeCard(operation, position, column, cell, index, layout) {
    let card = this.cards.get(operation);
    if (!card) {
      card = this.spare.pop() || this.panel.makeCard();
      card.operation = operation;
      card.shownColumn = null;
      this.cards.set(operation, card);
    }
    const look = operation.lookAt(position);
    const slot = column.name === "executing" ? operation.lastSlot : null;
    const note = this.noteOf(operation, position, column.name, index + 1);
    const priority = operation.priority.at(position);
    const isCancelled = operation.cancelled < position || look === "cancelled";
    setClass(card, "card " + look + (app.selected === operation ? " is-selected" : "") +
      (app.matches(operation) ? "" : " is-dim") + (isCancelled ? " is-cancelled" : ""));
    if (card.look !== look) {
      card.look = look;
      setSign(card.sign, look);
    }
    const name = visible(operation.name);
    setName(card.nameText, name);
    setText(card.mark, priorityMarks[priority] ?? "");
    setText(card.noteText, note);
    setTitle(card, [name, priority === "normal" ? "" : "priority " + priority, note].filter(Boolean).join(" · "));
    setLabel(card, [name, look, slot === null ? "" : "slot " + (slot + 1), isCancelled && look !== "cancelled" ? "cancelled" : "",
      priority === "normal" ? "" : "priority " + priority, note].filter(Boolean).join(", "));
    if (card.shownWidth !== cell.width) {
      card.shownWidth = cell.width;
      card.style.width = cell.width + "px";
      card.style.height = layout.card + "px";
    }
    card.style.order = app.isPrinting ? columnNames.indexOf(column.name) * mostCards + index + 1 : "";
    const from = card.shownPlace;
    this.place(card, cell.x, cell.y);
    const isNew = !card.isConnected;
    if (isNew) this.layer.append(card);
    this.showWay(card, operation, column, from, isNew);
  }

  /** Lets a card that has passed through a slot since the last frame be seen on its way; a new one appears. */
  showWay(card, operation, column, from, isNew) {
    const before = isNew ? null : card.shownColumn;
    card.shownColumn = column.name;
    if (this.panel.isFast || reducedMotion.matches || app.isPrinting || before === column.name) return;
    const hasPassed = column.name === "finished" && before !== "executing" && operation.entered.executing >= this.panel.before;
    const slot = hasPassed ? this.slotCell(operation) : null;
    if (slot) {
      const by = "translate(" + slot.x + "px," + slot.y + "px)";
      card.animate({ transform: [isNew ? by : from, by, card.shownPlace] }, { duration: wayTime, easing: "ease-in-out" });
    } else if (isNew) {
      card.animate({ opacity: [0, 1] }, wayTime);
    }
  }

  /** The few words after a name: its place in line, what it waits for, or how long it has lasted. */
  noteOf(operation, position, column, place) {
    const started = operation.timeOf("executing", position);
    if (column === "finished") {
      return started === undefined ? "" : duration(operation.timeOf("finished", position) - started);
    }
    const isInLine = operation.spans.at(position, app.time).cause === "queue";
    if (column === "ready" && isInLine) return ordinal(place);
    const { cause, culprit } = spanAt(operation, position, app.time);
    const other = app.model.operations.get(culprit);
    const isHeld = cause !== null && cause !== "members" && !causes.get(cause)?.isWork;
    if (isHeld && other) return (column === "executing" ? "waits for " : "after ") + visible(other.name, 40);
    if (isHeld) return shortWordsOf(cause);
    if (column !== "executing") return "";
    const attempts = operation.attempts.at(position);
    const spent = duration(app.time - started);
    return attempts > 1 ? "attempt " + attempts + " · " + spent : spent;
  }
}

/** `1st`, `2nd`, `3rd`, `11th` */
function ordinal(number) {
  const last = number % 100 > 10 && number % 100 < 14 ? 0 : number % 10;
  return grouped(number) + (["th", "st", "nd", "rd"][last] ?? "th");
}
