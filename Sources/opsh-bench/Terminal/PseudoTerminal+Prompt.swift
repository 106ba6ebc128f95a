import TestSupport

/// Why a terminal gave no figures.
struct TerminalFailure: Error, CustomStringConvertible {
  let description: String
}

/// A terminal at opsh's prompt, for measuring how soon keys take effect.
extension PseudoTerminal {
  /// Starts opsh in a terminal and waits for its prompt.
  static func atPrompt(of opsh: String, columns: Int, rows: Int) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: columns, rows: rows)
    try terminal.start(
      opsh, arguments: ["--no-rc", "--no-history"],
      environment: ["PATH": "/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8", "HOME": "/"])
    try terminal.expect("no prompt") { $0.marksPastes && $0.cursorLine.hasPrefix("opsh") }
    return terminal
  }

  /// Waits for a condition of the screen, up to a minute.
  func expect(_ message: String, _ condition: (ScreenModel) -> Bool) throws {
    // Not asleep between two looks: what is measured are milliseconds.
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition(screen) {
      guard ContinuousClock.now < deadline else { throw TerminalFailure(description: message) }
      pump(for: .milliseconds(1))
    }
  }

  /// Reads output for the whole of a time.
  func rest(_ time: Duration) {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end { pump(for: .milliseconds(1)) }
  }
}
