// What kept the ready operations of a queue from starting, over time; the same rules as in `blame`.

/** A slot that stays free longer was not wanted, or its successor was kept by something else. */
const longestHandover = 0.01;

class Conditions {
  constructor() {
    this.width = -1;
    this.paused = false;
    this.hasPace = false;
    this.group = null;
    this.groupHasBegun = false;
    this.executing = new Set();
    this.readyCount = 0;
    this.starts = [];
    this.stretches = [];
    this.endTimes = [];
    this.endings = [];
    this.members = [];
    this.barriers = [];
  }

  get condition() {
    if (this.group !== null && !this.groupHasBegun) return "group";
    if (this.paused) return "queue-paused";
    if (this.width === 0) return "width-zero";
    if (this.width > 0 && this.executing.size >= this.width) return "queue-full";
    return this.hasPace ? "pace" : "free";
  }

  add(operation) {
    this.members.push(operation);
    if (operation.isBarrier) this.barriers.push(operation);
    return this.members.length - 1;
  }

  pass(operation, from, to, time) {
    const hadReady = this.readyCount > 0;
    if (from === "ready") this.readyCount -= 1;
    if (to === "ready") this.readyCount += 1;
    if (from === "executing") this.executing.delete(operation);
    if (to === "executing") this.executing.add(operation);
    if (to === "finished") {
      this.endTimes.push(time);
      this.endings.push(operation);
    }
    // Between the end of one operation and the start of the next, its slot is handed over.
    const count = this.stretches.length;
    const last = this.stretches[count - 1];
    if (
      to === "executing" && count > 1 && last.condition === "free" && last.couldStart &&
      time - last.start < longestHandover && this.stretches[count - 2].condition === "queue-full"
    ) {
      this.stretches.pop();
      this.starts.pop();
    }
    this.update(time, hadReady);
  }

  update(time, hadReady) {
    const condition = this.condition;
    const count = this.stretches.length;
    if (count > 0 && this.stretches[count - 1].condition === condition) return;
    const couldStart = hadReady === undefined ? this.readyCount > 0 : hadReady;
    this.starts.push(time);
    this.stretches.push({ start: time, condition, couldStart });
  }

  /** The conditions from one time to another, in order and without gaps. */
  parts(start, end) {
    const parts = [];
    let position = start;
    for (
      let index = Math.max(0, upTo(this.starts, start) - 1);
      index < this.stretches.length && position < end;
      index += 1
    ) {
      const isLast = index + 1 === this.stretches.length;
      const partEnd = isLast ? end : Math.min(end, this.stretches[index + 1].start);
      if (partEnd <= position) continue;
      parts.push({ condition: this.stretches[index].condition, start: position, end: partEnd });
      position = partEnd;
    }
    if (position < end) parts.push({ condition: "free", start: position, end });
    return parts;
  }

  /** The operation that finished last before a time, or at it, other than one that finished then. */
  lastEnd(time, exception) {
    let count = upTo(this.endTimes, time);
    if (count > 0 && this.endings[count - 1] === exception) count -= 1;
    return count > 0 ? { time: this.endTimes[count - 1], operation: this.endings[count - 1] } : null;
  }
}
