// Words, numbers and elements. What a recording says is never taken for markup: it reaches the
// document only as text, and characters that would act on a reader are made visible first.

/** The longest name that is shown; the whole of it is in the inspector. */
const longestName = 120;
const longestText = 20000;

const hiddenCharacters =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** A text with its control characters shown as symbols, cut after a number of characters. */
function visible(text, most = longestName) {
  let shown = typeof text === "string" ? text : text === null || text === undefined ? "" : String(text);
  let more = 0;
  if (shown.length > most) {
    more = shown.length - most;
    shown = shown.slice(0, most).replace(/[\ud800-\udbff]$/, "");
  }
  shown = shown.replace(hiddenCharacters, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return "‹U+" + code.toString(16).toUpperCase().padStart(4, "0") + "›";
  });
  if (more === 0) return shown;
  return most <= longestName ? shown + "…" : shown + "\n… " + grouped(more) + " more characters";
}

/** A number with thin groups of three digits. */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** `3 operations`, `1 operation`. */
function counted(number, word) {
  return grouped(number) + " " + word + (number === 1 ? "" : "s");
}

function trimmed(number, digits) {
  return String(Number(number.toFixed(digits)));
}

/** A whole number of tenths or hundredths; a fraction of zeros is left out. */
function withDecimals(number, decimals) {
  return (number / 10 ** decimals).toFixed(decimals).replace(/\.0+$/, "");
}

/** A number of seconds in the unit that fits, as the shell writes it. */
function duration(seconds) {
  if (!(seconds > 0)) return "0 s";
  const microseconds = Math.round(seconds * 1e6);
  if (microseconds === 0) return "0 s";
  if (microseconds < 1000) return microseconds + " µs";
  if (microseconds < 9950) return withDecimals(Math.floor((microseconds + 50) / 100), 1) + " ms";
  if (microseconds < 999500) return Math.floor((microseconds + 500) / 1000) + " ms";
  if (microseconds < 59995000) return withDecimals(Math.floor((microseconds + 5000) / 10000), 2) + " s";
  const whole = Math.round(seconds);
  if (whole < 3600) return Math.floor(whole / 60) + " min " + (whole % 60) + " s";
  if (whole < 172800) return Math.floor(whole / 3600) + " h " + (Math.floor(whole / 60) % 60) + " min";
  return Math.floor(whole / 86400) + " days";
}

/** A point in time, with a constant number of decimals for a whole length. */
function clockText(seconds, length) {
  if (length >= 600) return hoursText(seconds, 1);
  const decimals = length < 0.1 ? 4 : length < 100 ? 3 : 1;
  return seconds.toFixed(decimals) + " s";
}

/** `1:30:04`, `30:00.5` */
function hoursText(seconds, decimals) {
  const whole = Number(seconds.toFixed(decimals));
  const minutes = Math.floor(whole / 60);
  const two = (text, length) => String(text).padStart(length, "0");
  const rest = two((whole - minutes * 60).toFixed(decimals), decimals > 0 ? 3 + decimals : 2);
  return minutes < 60 ? minutes + ":" + rest
    : Math.floor(minutes / 60) + ":" + two(minutes % 60, 2) + ":" + rest;
}

function byteCount(bytes) {
  if (bytes < 1000) return bytes + " bytes";
  if (bytes < 1e6) return trimmed(bytes / 1e3, 1) + " kB";
  return trimmed(bytes / 1e6, 1) + " MB";
}

// Elements

const svgNamespace = "http://www.w3.org/2000/svg";

/** The element of the page with an id. */
function part(id) {
  return document.getElementById(id);
}

/** Creates an element with a class, a text and children. */
function make(tag, className, text, children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  if (children) element.append(...children);
  return element;
}

/** Creates a button. */
function makeButton(className, text, label, action) {
  const button = make("button", className, text);
  button.type = "button";
  if (label) button.setAttribute("aria-label", label);
  if (action) button.addEventListener("click", action);
  return button;
}

function makeSVG(tag, attributes) {
  const element = document.createElementNS(svgNamespace, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  return element;
}

/** The sign of a state: a shape, so that it can be told without its colour. */
function makeSign(look) {
  const svg = makeSVG("svg", { class: "sign", viewBox: "0 0 16 16", "aria-hidden": "true" });
  svg.append(makeSVG("use", { href: "#sign-" + look }));
  return svg;
}

function setSign(svg, look) {
  svg.firstChild.setAttribute("href", "#sign-" + look);
}

/** Sets a text if it is another one, since writing the same would cost a layout. */
function setText(element, text) {
  if (element.shownText === text) return;
  element.shownText = text;
  element.textContent = text;
}

/** Creates the place of a name, which where there is little room loses its middle: its number tells it apart. */
function makeName(className) {
  const [stem, tail] = [make("span", "name-stem"), make("span", "name-tail")];
  return Object.assign(make("span", "name " + className, null, [stem, tail]), { stem, tail });
}

function setName(element, name) {
  const [, stem, tail] = /^(.*?)(-?\d{0,6})$/s.exec(name);
  setText(element.stem, stem);
  setText(element.tail, tail);
}

/** Sets a text that may be cut where there is little room, with the whole of it as a title. */
function setNote(element, text) {
  setText(element, text);
  setTitle(element, text);
}

function setClass(element, className) {
  if (element.shownClass === className) return;
  element.shownClass = className;
  element.setAttribute("class", className);
}

function setTitle(element, title) {
  if (element.shownTitle === title) return;
  element.shownTitle = title;
  element.title = title;
}

function setLabel(element, label) {
  if (element.shownLabel === label) return;
  element.shownLabel = label;
  element.setAttribute("aria-label", label);
}

function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** The size of one `rem` in pixels, as it was when the frame began. */
function rem() {
  return app.rem;
}

/** What a box shows. It is read before anything is written, so that no frame lays out twice. */
function measured(element) {
  return {
    width: element.clientWidth, height: app.isPrinting ? Infinity : element.clientHeight, top: app.isPrinting ? 0 : element.scrollTop,
    isShown: element.offsetParent !== null,
  };
}

const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
