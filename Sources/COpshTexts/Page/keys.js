// The keys. All that they do has a control as well.

const keyActions = {
  ArrowLeft: () => app.player.step(-1),
  ArrowRight: () => app.player.step(1),
  ArrowUp: () => app.selectNext(-1),
  ArrowDown: () => app.selectNext(1),
  Home: () => app.seek(0),
  End: () => app.player.toEnd(),
  "+": () => app.player.changeSpeed(1),
  "=": () => app.player.changeSpeed(1),
  "-": () => app.player.changeSpeed(-1),
  "/": () => {
    const filter = part("filter");
    filter.focus();
    filter.select();
  },
  "?": openHelp,
  "1": () => showView("lanes"),
  "2": () => showView("timeline"),
  "3": () => showView("graph"),
  "4": () => showView("inspector"),
  "[": () => app.timeline.zoomBy(0.5),
  "]": () => app.timeline.zoomBy(2),
  f: () => app.timeline.switchFolding(),
  h: () => app.switchFuture(),
  n: () => app.live?.canStep && app.live.act({ action: "next" }),
  PageUp: () => app.commands.step(-1),
  PageDown: () => app.commands.step(1),
  p: switchPresenter,
  t: switchTheme,
};

/** Escape ends the nearest thing: the help, the filter, the selection. */
function escape() {
  const filter = part("filter");
  if (filter.value !== "") {
    filter.value = "";
    app.setFilter("");
  } else if (document.activeElement === filter) {
    filter.blur();
  } else if (app.selected) {
    app.select(null);
  }
}

function bindKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") app.lastPointer = false;
    if (event.ctrlKey || event.metaKey || event.altKey || part("help").open) return;
    if (event.key === "Escape") return escape();
    const target = event.target;
    const isText = target instanceof HTMLInputElement && target.type !== "range";
    if (isText || target instanceof HTMLSelectElement) return;
    if (event.key === " ") {
      // A button that was reached by keys is pressed by Space, as everywhere.
      if (target instanceof HTMLButtonElement && !app.lastPointer) return;
      event.preventDefault();
      if (target instanceof HTMLButtonElement) target.blur();
      app.player.toggle();
      return;
    }
    // In a box that scrolls, the vertical arrows scroll.
    const scrolls = target.classList?.contains("scroll") || target.classList?.contains("is-long");
    if (scrolls && ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"].includes(event.key)) return;
    const action = keyActions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

app.start();
// For checks of the page; nothing in it needs this name.
window.opshPage = Object.assign(app, { phasesOf, whyOf });
