// The player: a time that runs or is moved, and the position that belongs to it.

const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10];
/** A recording of another length is stretched or pressed, so that it can be watched. */
const shortestPlay = 5;
const longestPlay = 120;
const comfortablePlay = 20;

class Player {
  constructor() {
    this.isPlaying = false;
    this.speed = 3;
    this.isStretched = null;
    this.slider = part("slider");
    this.playButton = part("play");
    this.eventText = part("event-text");
    this.clock = part("clock");
    this.announcement = part("announcement");
    this.announced = 0;
    this.strip = part("strip");
    this.playButton.addEventListener("click", () => this.toggle());
    part("step-back").addEventListener("click", () => this.step(-1));
    part("step-forward").addEventListener("click", () => this.step(1));
    part("to-start").addEventListener("click", () => app.seek(0));
    part("to-end").addEventListener("click", () => this.toEnd());
    part("slower").addEventListener("click", () => this.changeSpeed(-1));
    part("faster").addEventListener("click", () => this.changeSpeed(1));
    part("future").addEventListener("click", () => app.switchFuture());
    part("next").addEventListener("click", () => app.live.act({ action: "next" }));
    part("stretch").addEventListener("click", () => this.toggleStretch());
    this.slider.addEventListener("input", () => {
      if (Number(this.slider.value) === 0) app.seek(0);
      else app.seekTime(app.scale.timeAt(this.slider.value / 10000 * app.scale.length));
    });
  }

  /** Whether one second of the player is not one second of the recording. */
  get stretched() {
    if (app.live) return false;
    return this.isStretched ?? (app.scale.length < shortestPlay || app.scale.length > longestPlay);
  }

  /** Seconds of the recording in one second at the speed of 1. */
  get rate() {
    const { length } = app.scale;
    if (!this.stretched || length <= 0) return 1;
    return length / (length > longestPlay ? longestPlay : comfortablePlay);
  }

  toggleStretch() {
    this.isStretched = !this.stretched;
    this.showSpeed();
  }

  toggle() {
    if (this.isPlaying) this.pause();
    // The present is held, as a film is: the session goes on.
    else if (this.wasFollowing) app.hold();
    else this.play();
  }

  play() {
    if (app.position >= app.model.length && app.time >= app.end - 1e-9) app.seek(0);
    this.isPlaying = true;
    this.last = null;
    this.showPlaying();
    app.invalidate();
  }

  pause() {
    this.isPlaying = false;
    this.showPlaying();
  }

  step(count) {
    this.pause();
    app.seek(Math.max(0, Math.min(app.model.length, app.position + count)));
    this.announce(true);
  }

  toEnd() {
    if (app.live) {
      this.pause();
      app.follow();
    } else {
      app.seek(app.model.length);
    }
  }

  changeSpeed(direction) {
    this.speed = Math.max(0, Math.min(speeds.length - 1, this.speed + direction));
    this.showSpeed();
  }

  showPlaying() {
    const moves = this.isPlaying || this.wasFollowing === true;
    const words = this.wasFollowing && !this.isPlaying ? "Hold the picture; the session goes on"
      : moves ? "Pause" : "Play";
    this.playButton.setAttribute("aria-label", words);
    this.playButton.title = words + " (Space)";
    part("play-sign").firstElementChild.setAttribute("href", moves ? "#sign-pause" : "#sign-play");
  }

  showSpeed() {
    setText(part("speed"), speeds[this.speed] + "×");
    const stretch = part("stretch");
    setHidden(stretch, app.live !== null);
    stretch.setAttribute("aria-pressed", String(this.stretched));
    const second = speeds[this.speed] * this.rate;
    const words = this.stretched ? "1 s shows " + duration(second) : "real time";
    setText(stretch, words);
    setTitle(stretch, this.stretched
      ? "The recording lasts " + duration(app.end) + " and is played slower or faster than it was; press for real time"
      : "One second shows " + duration(second) + " of the recording; press to fit its length");
    part("slower").disabled = this.speed === 0;
    part("faster").disabled = this.speed === speeds.length - 1;
  }

  /** Moves the time by what has passed since the last frame. */
  advance(now) {
    if (!this.isPlaying) return;
    const passed = this.last === null ? 0 : Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    // What is shortened on the scale is played in a moment.
    const place = app.scale.at(app.time) + passed * speeds[this.speed] * this.rate;
    const time = app.scale.timeAt(place);
    if (place >= app.scale.length || time >= app.end) {
      if (app.live) {
        app.follow();
        this.pause();
      } else {
        app.moveTo(app.model.length, app.end);
        this.pause();
        this.announce(true);
      }
      return;
    }
    app.moveTo(Math.max(app.position, app.model.positionAt(time)), time);
  }

  measure() {
    this.stripWidth = this.strip.clientWidth;
  }

  render(position) {
    const end = app.end;
    const { length } = app.scale;
    const value = String(length > 0 ? Math.round((app.scale.at(app.time) / length) * 10000) : 0);
    if (this.slider.value !== value) this.slider.value = value;
    const clock = clockText(app.time, end);
    setText(this.clock, clock + " of " + clockText(end, end));
    setText(part("place"), "event " + grouped(position) + " of " + grouped(app.model.length));
    const text = this.currentText(position);
    if (this.slider.shownValue !== clock + text) {
      this.slider.shownValue = clock + text;
      this.slider.setAttribute("aria-valuetext", clock + ", event " + position + " of " + app.model.length);
    }
    setNote(this.eventText, text);
    const following = app.live !== null && app.isFollowing && !app.live.isOver;
    setHidden(part("live-mark"), !following);
    if (this.wasFollowing !== following) {
      this.wasFollowing = following;
      this.showPlaying();
    }
    part("step-back").disabled = position === 0;
    part("step-forward").disabled = position >= app.model.length;
    setHidden(part("session-steps"), !app.live?.canStep);
    this.announce(false);
    this.renderStrip();
    const shown = app.showsFuture || length <= 0 ? 1 : app.scale.at(app.time) / length;
    this.strip.style.clipPath = "inset(0 " + ((1 - shown) * 100).toFixed(2) + "% 0 0)";
  }

  currentText(position) {
    if (position === 0) {
      return app.model.dropped.count > 0 ? "What happened before was left out." : "Nothing has happened yet.";
    }
    const event = app.model.events[position - 1];
    return eventSubject(event) + "  " + eventText(event);
  }

  /** Tells a screen reader of the current event, at most each two seconds while it plays. */
  announce(atOnce) {
    const now = performance.now();
    if (!atOnce && now - this.announced < 2000) return;
    this.announced = now;
    setText(this.announcement, clockText(app.time, app.end) + ": " + this.currentText(app.position));
  }

  /** Draws how many operations executed at each time, behind the slider. */
  renderStrip() {
    const width = this.stripWidth;
    const model = app.model;
    const stamp = width + "|" + app.scale.version + "|" +
      (app.live ? Math.floor(model.length / 20) + "|" + Math.floor(app.end) : model.length);
    if (this.strip.stamp === stamp || width === 0) return;
    this.strip.stamp = stamp;
    const steps = Math.min(240, Math.floor(width / 4));
    const counts = [];
    for (let index = 0; index <= steps; index += 1) {
      counts.push(model.count("executing", model.positionAt(app.scale.timeAt((index / steps) * app.scale.length))));
    }
    const most = Math.max(1, ...counts);
    const points = counts.map((count, index) =>
      (index / steps * 100).toFixed(2) + "," + (20 - (count / most) * 19).toFixed(2));
    this.strip.firstElementChild.setAttribute("d", "M0,20 L" + points.join(" L") + " L100,20 Z");
    setLabel(this.strip, "At most " + counted(most, "operation") + " executed at once");
  }
}
