// Queues as lanes: which are shown, and how the room is shared among them. Only those in view are in
// the document.

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
    const mark = make("span", "card-mark");
    const nameText = makeName("card-name");
    const noteText = make("span", "card-note");
    const card = makeButton("card", null, null, () => app.select(card.operation));
    card.append(sign, mark, nameText, noteText);
    return Object.assign(card, { sign, mark, nameText, noteText });
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

  /** Where everything is: each lane is as high as its cards need, as far as there is room for all. */
  layout(queues, position, hidden) {
    const size = rem();
    const { width } = this;
    const isNarrow = width < 34 * size;
    // Where columns are narrow, the few words after a name are below it.
    const hasTallCards = isNarrow || width < 58 * size;
    const card = (hasTallCards ? 2.9 : 1.9) * size;
    const isTall = app.live?.canSteer && width < 56 * size;
    const metrics = {
      size, card, gap: 0.4 * size, pitch: card + 0.3 * size, title: 1.7 * size, end: 0.4 * size, between: 0.75 * size,
      head: (isTall ? 4.6 : 2.6) * size, inner: width - 1.5 * size, isNarrow, hasTallCards, least: (hasTallCards ? 7.5 : 9.5) * size,
    };
    const lanes = queues.map((queue) => this.laneOf(queue, position, metrics));
    this.share(lanes, metrics, hidden);
    // Where cards are folded away all the same, or are narrow, empty columns give their width to full ones.
    const folds = lanes.filter((lane) => hasTallCards || lane.blocks.some((block) => block.rows < block.wish));
    if (folds.length > 0) {
      for (const lane of folds) this.widen(lane, metrics);
      this.share(lanes, metrics, hidden);
    }
    let top = 0;
    for (const lane of lanes) {
      let y = 0;
      for (const block of lane.blocks) {
        for (const column of block.columns) column.y = y;
        y += metrics.title + block.rows * metrics.pitch + block.more + metrics.end;
      }
      Object.assign(lane, metrics, { body: y, top, height: metrics.head + Math.max(y, metrics.end) });
      top += lane.height + metrics.between;
    }
    return { lanes, height: top, hasTallCards };
  }

  /** The columns of a queue in blocks: all beside one another, or where that is too narrow, in pairs of those that have cards. */
  laneOf(queue, position, { inner, gap, size, isNarrow }) {
    const width = queue.width.at(position);
    const counts = {
      pending: queue.pending.count(position), ready: queue.ready.count(position), executing: queue.executing.count(position),
      finished: queue.finished.count(position),
    };
    // Free slots are shown as far as they are few, and the queue has something to do.
    const isIdle = counts.pending + counts.ready + counts.executing === 0;
    const free = isIdle && counts.finished > 0 ? 0 : Math.min(Math.max(width, 0), 4);
    const needs = { ...counts, executing: Math.max(counts.executing, free) };
    const shown = isNarrow ? columnNames.filter((name) => counts[name] > 0) : columnNames;
    const perBlock = isNarrow ? 2 : 4;
    const between = isNarrow ? gap : 0.75 * size;
    const blocks = [];
    for (let first = 0; first < shown.length; first += perBlock) {
      const names = shown.slice(first, first + perBlock);
      const columnWidth = Math.floor((inner - (names.length - 1) * between) / names.length);
      const columns = names.map((name, index) => ({
        name, x: 0.75 * size + index * (columnWidth + between), width: columnWidth, across: isNarrow && names.length === 1 ? 2 : 1,
      }));
      blocks.push({ columns, rows: 0, more: 0, between });
    }
    const lane = { queue, counts, needs, blocks, all: blocks, isIdle };
    this.measureNeeds(lane);
    return lane;
  }

  /** How many rows a block needs for what has not finished, and how many for everything. */
  measureNeeds({ needs, all }) {
    for (const block of all) {
      const rows = block.columns.map(({ name, across }) => [name, Math.ceil(needs[name] / across)]);
      block.wish = Math.max(...rows.map(([, count]) => count));
      block.need = Math.max(0, ...rows.filter(([name]) => name !== "finished").map(([, count]) => count));
    }
  }

  /** Gives the width of empty columns to those whose cards do not fit, side by side. */
  widen(lane, { inner, gap, size, isNarrow, least }) {
    if (isNarrow) return;
    const [block] = lane.all;
    const isEmpty = ({ name }) => lane.needs[name] === 0;
    // As wide as its title.
    const slim = ({ name }) => (name === "executing" ? 7.8 : 6.8) * size;
    const empty = block.columns.filter(isEmpty).length;
    const free = inner - (block.columns.length - 1) * block.between - block.columns.filter(isEmpty).reduce((sum, one) => sum + slim(one), 0);
    const weight = (column) => (isEmpty(column) ? 0 : Math.min(3, Math.max(1, Math.ceil(lane.needs[column.name] / Math.max(1, block.rows)))));
    const weights = block.columns.reduce((sum, column) => sum + weight(column), 0);
    let x = 0.75 * size;
    // None becomes narrower than it can be read.
    const base = Math.min(least * 1.15, free / Math.max(1, block.columns.length - empty));
    const spare = Math.max(0, free - base * (block.columns.length - empty));
    for (const column of block.columns) {
      column.width = Math.floor(isEmpty(column) ? slim(column) : base + spare * weight(column) / weights);
      column.across = isEmpty(column) ? 1 : Math.max(1, Math.floor((column.width + gap) / (least + gap)));
      column.x = x;
      x += column.width + block.between;
    }
    this.measureNeeds(lane);
  }

  /** Shares the rows that there is room for: first what has not finished, then the rest. A queue that has nothing to do gives
   *  its room to others that need it. */
  share(lanes, metrics, hidden) {
    for (const lane of lanes) lane.blocks = lane.all;
    for (const block of lanes.flatMap((lane) => lane.all)) block.more = 0;
    const rows = this.shareRows(lanes, metrics, hidden);
    const idle = lanes.filter((lane) => lane.isIdle && lane.blocks.length > 0);
    if (idle.length === 0 || rows >= 0 && lanes.every((lane) => lane.isIdle || lane.blocks.every((block) => block.rows >= block.need))) return;
    for (const lane of idle) lane.blocks = [];
    for (const block of lanes.flatMap((lane) => lane.all)) block.more = 0;
    let left = this.shareRows(lanes, metrics, hidden);
    for (const lane of idle) {
      const rows = lane.all.reduce((sum, block) => sum + block.wish, 0) + lane.all.length * (metrics.title + metrics.end) / metrics.pitch;
      if (rows > left) continue;
      left -= rows;
      lane.blocks = lane.all;
      for (const block of lane.blocks) block.rows = block.wish;
    }
  }

  /** Shares rows among lanes; returns how many are left, or a negative number if the list scrolls. */
  shareRows(lanes, metrics, hidden) {
    const blocks = lanes.flatMap((lane) => lane.blocks);
    const fixed = lanes.length * (metrics.head + metrics.between) + blocks.length * (metrics.title + metrics.end) +
      (hidden > 0 ? 2.5 * metrics.size : 0);
    const more = blocks.reduce((sum, block) => sum + block.more, 0);
    let rows = Math.floor((this.box.height - fixed - more) / metrics.pitch);
    for (const block of blocks) rows -= block.rows = Math.min(block.wish, 2);
    if (rows < 0) {
      for (const block of blocks) block.rows = Math.min(block.wish, Math.max(2, Math.min(block.need, 3)));
      this.markFolded(blocks, metrics);
      return rows;
    }
    for (const goal of ["need", "wish"]) {
      let open = blocks.filter((block) => block.rows < block[goal]);
      while (rows > 0 && open.length > 0) {
        const least = Math.min(...open.map((block) => block.rows));
        for (const block of open) if (block.rows === least && rows > 0) {
          block.rows += 1;
          rows -= 1;
        }
        open = open.filter((block) => block.rows < block[goal]);
      }
    }
    // What is folded away is told in a line of its own.
    if (this.markFolded(blocks, metrics)) return this.shareRows(lanes, metrics, hidden);
    // A lane does not shrink while nothing else needs the room.
    const kept = lanes.filter((lane) => lane.blocks.length === 1 && lane.queue.shownRows > lane.blocks[0].rows);
    const wanted = kept.reduce((sum, lane) => sum + lane.queue.shownRows - lane.blocks[0].rows, 0);
    if (wanted === 0 || wanted > rows) return rows;
    for (const lane of kept) lane.blocks[0].rows = lane.queue.shownRows;
    return rows - wanted;
  }

  /** Gives the blocks whose cards do not fit room for a line that says so; returns whether that is new to one. */
  markFolded(blocks, { size }) {
    const folded = blocks.filter((block) => block.rows < block.wish && block.more === 0);
    for (const block of folded) block.more = 1.5 * size;
    return folded.length > 0;
  }

  render(position) {
    // Where much happens at once, movements would only be noise.
    const shape = this.width + "|" + rem();
    this.isFast = Math.abs(position - this.position) > mostWays || this.shape !== shape;
    this.before = this.position;
    this.position = position;
    const { queues, hidden } = this.queues(position);
    if (this.isFast) for (const queue of queues) queue.shownRows = 0;
    this.shape = shape;
    const { lanes, height, hasTallCards } = this.layout(queues, position, hidden);
    setClass(this.list, "lanes-list" + (this.isFast ? " is-fast" : "") + (hasTallCards ? " has-tall-cards" : ""));
    for (const { queue, blocks } of lanes) queue.shownRows = blocks[0]?.rows ?? 0;
    const shown = lanes.filter((lane) => lane.top + lane.height >= this.box.top && lane.top <= this.box.top + this.box.height);
    if (this.list.style.height !== height + "px") this.list.style.height = height + "px";
    setNote(this.note, counted(queues.length, "queue") + (app.isPrinting ? " at " + clockText(app.time, app.end) : ""));
    // Their operations are in the sums of the page, and in no lane.
    setHidden(this.hidden, hidden === 0);
    if (hidden > 0) setText(this.hidden, counted(hidden, "finished group") + " not shown");
    // A lane stays with its queue, so that its cards move instead of being made anew.
    const wanted = new Set(shown.map(({ queue }) => queue));
    const free = this.lanes.filter((lane) => !wanted.has(lane.queue));
    const kept = new Map(this.lanes.filter((lane) => wanted.has(lane.queue)).map((lane) => [lane.queue, lane]));
    this.lanes = shown.map((layout) => {
      let lane = kept.get(layout.queue);
      if (!lane) {
        lane = free.pop() || new Lane(this);
        lane.show(layout.queue);
        if (!lane.element.isConnected) this.list.append(lane.element);
      }
      lane.element.style.height = layout.height + "px";
      lane.place(lane.element, 0, layout.top);
      lane.body.style.height = layout.body + "px";
      lane.render(position, layout);
      return lane;
    });
    for (const lane of free) lane.remove();
    setHidden(part("lanes-empty"), queues.length > 0);
  }
}
