import ShellOutput
import OpshSupport
import OpshTerminal

/// The rows of the screen of `watch`, from what it shows and what the user has chosen.
struct WatchLayout {
  let model: WatchModel
  let view: WatchView
  let geometry: WatchGeometry
  let isASCII: Bool

  var width: Int { geometry.columns }
  private var ellipsis: String { isASCII ? "..." : "…" }

  /// As many lines as the screen has rows, none wider than it.
  var lines: [StyledText] {
    var lines = [title]
    if view.panel != .help {
      lines += queueLines + stripLines
    }
    if geometry.operationRows > 0 { lines += operationLines }
    lines += panelLines
    let bottom = [keys, commandLine, informationLine]
    let body = max(0, geometry.rows - bottom.count)
    lines = Array(lines.prefix(body))
    lines += Array(repeating: StyledText(), count: body - lines.count)
    lines += bottom
    return lines.prefix(geometry.rows).map { line in
      let line = (isASCII ? ASCIIText.replacing(line) : line).onOneLine
      return line.truncated(to: width, ellipsis: ellipsis)
    }
  }

  // MARK: The title

  private var title: StyledText {
    let counts = model.counts
    var parts: [StyledText] = []
    if view.isFrozen { parts.append(StyledText("frozen", style: TextStyle(color: .yellow))) }
    parts.append(StyledText("\(GroupedNumber.text(counts.executing)) executing"))
    parts.append(StyledText("\(GroupedNumber.text(counts.waiting)) waiting"))
    if !view.filter.isEmpty, !view.isTypingFilter {
      parts.append(
        StyledText("filter ", style: .dim) + StyledText(VisibleText.escape(view.filter)))
    }
    if counts.failed > 0 {
      parts.append(
        StyledText("\(GroupedNumber.text(counts.failed)) failed", style: TextStyle(color: .red)))
    }
    parts.append(StyledText("\(GroupedNumber.text(counts.finished)) finished"))
    parts.append(StyledText("by \(view.order.rawValue)", style: .dim))
    let clock = model.isReplay ? "recorded " : model.isVirtual ? "virtual time " : ""
    parts.append(StyledText(clock + Self.elapsed(model.elapsed), style: .dim))
    return fitting(parts, after: StyledText("opsh watch", style: .bold), gap: "  ")
  }

  private static func elapsed(_ seconds: Double) -> String {
    seconds < 60
      ? "\((seconds * 10).rounded(.down) / 10) s" : DurationText(age: seconds).description
  }

  /// The parts that fit into the row as a whole.
  private func fitting(
    _ parts: [StyledText], after start: StyledText, gap: StyledText
  ) -> StyledText {
    var line = start
    for part in parts {
      let next = line.isEmpty ? part : line + gap + part
      if next.columns <= width { line = next }
    }
    return line
  }

  // MARK: The chart

  private var stripLines: [StyledText] {
    guard geometry.stripRows > 0 else { return [] }
    let label = "executing \(model.counts.executing) "
    let chart = WatchStrip.rows(
      model.strip, columns: width - label.count, rows: geometry.stripRows, isASCII: isASCII)
    let peak = "most \(model.strip.suffix(max(0, width - label.count)).max() ?? 0) "
    let time = model.stripSlot * max(0, width - label.count)
    let span = "in \(DurationText(time)) "
    return chart.enumerated().map { row, text in
      let isLast = row == chart.count - 1
      let lead = isLast ? label : row == 0 ? peak : row == 1 ? span : ""
      return StyledText(TextWidth.pad(lead, to: label.count), style: .dim)
        + StyledText(text, style: TextStyle(color: .blue))
    }.map(\.withoutTrailingBlanks)
  }

  // MARK: The bottom

  private static let helpKeys = [("?", "help"), ("q", "quit")]

  private var keys: StyledText {
    if view.isTypingFilter {
      return fitting(
        Self.labels([("Enter", "keep"), ("Esc", "clear")]), after: StyledText(), gap: "  ")
    }
    var all = [
      ("w", "why"), ("Enter", "show"), ("/", "filter"), ("o", "sort"), ("Tab", "queue"),
      ("f", view.isFrozen ? "unfreeze" : "freeze"),
    ]
    // In a replay the others are refused.
    if !model.isReplay {
      let steering = [
        ("p", "pause"), ("r", "resume"), ("s", "step"), ("c", "cancel"), ("+", "raise"),
        ("-", "lower"),
      ]
      all.insert(contentsOf: steering, at: 0)
      if model.isVirtual { all.insert(contentsOf: [("n", "next"), ("t", "time")], at: 4) }
    }
    if view.panel != .none {
      all.insert(("Esc", "close"), at: 0)
    } else if !view.filter.isEmpty {
      all.insert(("Esc", "clear"), at: 0)
    }
    let last = Self.labels(Self.helpKeys)
    let room = width - last.reduce(0) { $0 + $1.columns + 2 }
    var line = StyledText()
    for label in Self.labels(all) {
      let next = line.isEmpty ? label : line + "  " + label
      if next.columns <= room { line = next }
    }
    return fitting(last, after: line, gap: "  ")
  }

  private static func labels(_ keys: [(String, String)]) -> [StyledText] {
    keys.map {
      StyledText($0, style: TextStyle(color: .cyan, bold: true)) + StyledText(" " + $1)
    }
  }

  private var commandLine: StyledText {
    guard !view.command.isEmpty else { return StyledText() }
    return
      (StyledText("opsh> ", style: .dim)
      + StyledText(VisibleText.escape(view.command), style: .bold))
      .words(within: width, isASCII: isASCII)
  }

  private var informationLine: StyledText {
    if view.isTypingFilter {
      let text = VisibleText.escape(view.filter)
      let room = max(0, width - 2)
      // The end is what is being typed.
      var shown = text
      while TextWidth.columns(of: shown) > room { shown.removeFirst() }
      return StyledText("/" + shown) + StyledText(isASCII ? "_" : "▏")
    }
    if !view.message.isEmpty {
      let text = StyledText(
        VisibleText.escape(view.message),
        style: view.isError ? TextStyle(color: .red) : .plain)
      return text.words(within: width, isASCII: isASCII)
    }
    guard view.queue == nil, geometry.whyRows == 0, view.panel != .why,
      let item = model.items.first(where: { $0.id == view.operation }),
      !item.cause.isEmpty
    else { return StyledText() }
    let name = StyledText(item.name, style: .dim).onOneLine
      .withoutMiddle(to: max(1, width / 2), ellipsis: ellipsis)
    return (name + StyledText(": \(item.cause)", style: .dim)).onOneLine
      .words(within: width, isASCII: isASCII)
  }

  // MARK: The panel

  private var panelLines: [StyledText] {
    guard geometry.panelRows > 0 else { return [] }
    let isHelp = view.panel == .help
    let lines =
      isHelp
      ? WatchHelp.lines(width: width, isVirtual: model.isVirtual).map(WatchPanelLine.init)
      : model.panel
    let rows = lines.flatMap { $0.rows(width: width) }
    let room = geometry.panelRows - 1
    let start = min(view.panelStart, max(0, rows.count - room))
    let shown = Array(rows.dropFirst(start).prefix(room))
    let below = rows.count - start - shown.count
    var heading = isHelp ? "keys" : view.panel == .show ? "show" : "why"
    if geometry.whyRows > 0, !model.panelName.isEmpty {
      let name = StyledText(model.panelName).withoutMiddle(
        to: max(1, min(40, width - heading.count - 1)), ellipsis: ellipsis)
      heading += " " + name.plain
    }
    if below > 0 {
      heading += ", \(below) more \(below == 1 ? "line" : "lines")"
      if isHelp { heading += " (arrow keys)" }
      if view.panel == .show { heading += " (PgUp PgDn)" }
    }
    return [StyledText(heading, style: TextStyle(dim: true, underlined: true))] + shown
  }
}
