// What was typed: a strip of commands, each with its time and the first line that it printed, and the
// chapters, which are marks on the slider.

/** How many commands of the strip are in the document, around the present one. */
const mostCommands = 40;

class CommandStrip {
  constructor() {
    this.box = part("typed");
    this.list = part("typed-list");
    this.title = part("chapter");
    this.marks = part("chapters");
    this.items = new Map();
  }

  clear() {
    this.items.clear();
    this.list.replaceChildren();
    this.marksStamp = this.stamp = "";
  }

  measure() {
    this.markWidth = this.marks.clientWidth;
    this.width = this.list.clientWidth;
    return true;
  }

  /** How much of what was typed is before a moment. */
  countAt(position, time) {
    const { typed } = app.model;
    if (app.shownItem) return typed.indexOf(app.shownItem) + 1;
    let [low, high] = [0, typed.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (typed[middle].position <= position && typed[middle].time <= time + 1e-9) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  render(position) {
    const { typed, chapters } = app.model;
    const present = this.countAt(position, app.time);
    const last = app.showsFuture ? typed.length : present;
    const chapter = typed.slice(0, present).findLast((item) => item.isChapter);
    setNote(this.title, chapter ? visible(chapter.text) : "");
    setHidden(this.title, !chapter);
    setHidden(this.box, typed.length === 0);
    const first = app.isPrinting ? 0 : Math.max(0, present - mostCommands);
    const shown = typed.slice(first, app.isPrinting ? last : Math.min(last, present + mostCommands));
    const stamp = [first, shown.length, present, app.model.commands.size, shown.at(-1)?.output, this.width, rem()].join("|");
    if (this.stamp !== stamp) {
      this.stamp = stamp;
      this.list.replaceChildren(...shown.map((item, index) => this.itemFor(item, first + index + 1, present)));
      const current = this.list.querySelector("[aria-current]");
      if (current) this.list.scrollLeft = current.offsetLeft + current.offsetWidth - this.list.clientWidth;
    }
    this.renderMarks(chapters);
  }

  itemFor(item, number, present) {
    let shown = this.items.get(item);
    if (!shown) {
      const button = makeButton(item.isChapter ? "typed-chapter" : "typed-command", null, null, () => app.showMoment(item));
      if (item.isChapter) button.append(make("span", "typed-title", visible(item.text)));
      else {
        button.append(make("span", "typed-time"), make("code", "typed-text"), make("span", "typed-output"));
      }
      shown = make("li", "", null, [button]);
      this.items.set(item, shown);
    }
    const [button] = shown.children;
    if (!item.isChapter) {
      const [time, text, output] = button.children;
      setText(time, clockText(item.time, app.end));
      setText(text, visible(item.text.split("\n", 1)[0]) + (item.text.includes("\n") ? " …" : ""));
      setText(output, visible(item.output));
    }
    setTitle(button, [visible(item.text, 1000), visible(item.output)].filter(Boolean).join("\n"));
    setClass(button, (item.isChapter ? "typed-chapter" : "typed-command") + (number > present ? " is-future" : ""));
    // One of them is enough for Tab.
    button.tabIndex = number === present ? 0 : -1;
    if (number === present) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    return shown;
  }

  /** The chapters on the slider: each a mark, with its title as far as there is room up to the next one. */
  renderMarks(chapters) {
    const { scale } = app;
    const stamp = [chapters.length, scale.version, app.live ? Math.floor(app.end) : scale.length, this.markWidth, rem()].join("|");
    if (this.marksStamp === stamp) return;
    this.marksStamp = stamp;
    const place = (item) => (scale.length > 0 ? Math.min(1, scale.at(item.time) / scale.length) : 0);
    this.marks.replaceChildren(...chapters.map((chapter, index) => {
      const next = index + 1 < chapters.length ? place(chapters[index + 1]) : 1;
      const room = (next - place(chapter)) * this.markWidth;
      const title = visible(chapter.text);
      const mark = makeButton("chapter-mark", room > 3 * rem() ? title : "", "Chapter " + title, () => app.showMoment(chapter));
      mark.title = title;
      mark.style.left = place(chapter) * 100 + "%";
      mark.style.maxWidth = Math.max(0.4 * rem(), room - 2) + "px";
      return mark;
    }));
  }

  /** The next chapter, or the one before. */
  step(direction) {
    const { chapters } = app.model;
    const present = this.countAt(app.position, app.time);
    const begun = chapters.filter((chapter) => app.model.typed.indexOf(chapter) < present).length;
    // From within a chapter, the way back leads to its beginning.
    const isBeginning = begun > 0 && app.shownItem === chapters[begun - 1];
    const found = direction > 0 ? chapters[begun] : chapters[begun - (isBeginning ? 2 : 1)];
    if (found) app.showMoment(found);
  }
}
