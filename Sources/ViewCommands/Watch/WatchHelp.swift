import OpshTerminal

/// The keys of `watch`, as its help panel and its page show them.
enum WatchHelp {
  static let keys: [(key: String, meaning: String)] = [
    ("arrows j k", "select an operation"),
    ("PgUp PgDn", "select a screen further"),
    ("Home End", "select first or last"),
    ("Tab", "select a queue"),
    ("p r", "pause or resume the queue"),
    ("s", "step the paused queue"),
    ("c", "cancel the operation"),
    ("+ -", "raise or lower priority"),
    ("Enter", "show all about it"),
    ("w", "show all of why it waits"),
    ("/", "filter by words of a row"),
    ("o", "change the order"),
    ("f", "freeze the view, or go on"),
    ("q Ctrl-C", "leave"),
    ("Esc", "close, clear, or leave"),
  ]

  static let timeKeys: [(key: String, meaning: String)] = [
    ("n", "take the next step"),
    ("t T", "let 100 ms or 10 s pass"),
  ]

  /// The lines of the panel: in two columns where there is room.
  static func lines(width: Int, isVirtual: Bool) -> [StyledText] {
    let all = keys + (isVirtual ? timeKeys : [])
    let keyWidth = all.map(\.key.count).max() ?? 0
    let rows = all.map { key, meaning in
      StyledText(TextWidth.pad(key, to: keyWidth), style: TextStyle(color: .cyan))
        + StyledText("  " + meaning)
    }
    let cell = (rows.map(\.columns).max() ?? 0) + 3
    guard width >= 2 * cell else { return rows }
    let half = (rows.count + 1) / 2
    return (0..<half).map { row in
      guard row + half < rows.count else { return rows[row] }
      return rows[row].padded(to: cell) + rows[row + half]
    }
  }
}
