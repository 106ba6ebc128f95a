import OpshSupport
import TestSupport

/// How soon a key of `watch` is on the screen while 10,000 transitions happen in a second.
///
/// It is measured at the terminal: from the byte of the key to the row that it selects, with the
/// release binary in a pseudo terminal.
struct WatchGroup {
  static let key = "terminal/watch/key/p99"
  private static let keys = 200
  /// 50 slots of 10 ms start and finish 5,000 operations in a second.
  private static let flood = "events off; queue width 50; delay 10ms --count 150000; watch"

  let report: Report
  let opsh: String?

  func run() throws {
    guard report.selection.includes(Self.key) else { return }
    guard let opsh else {
      report.note("\(Self.key): needs --opsh PATH; scripts/bench gives it")
      return
    }
    report.note("\(Self.key): \(Self.keys) keys")
    let value = try keyTimes(opsh).sorted()[Self.keys * 99 / 100 - 1]
    report.add(Measurement(bench: Self.key, value: value, unit: .seconds))
    report.endGroup("'watch' on 120 columns and 40 rows, with 10,000 transitions a second")
  }

  private func keyTimes(_ opsh: String) throws -> [Double] {
    let terminal = try PseudoTerminal.atPrompt(of: opsh, columns: 120, rows: 40)
    terminal.write(Self.flood + "\r")
    try terminal.expect("no picture") { $0.isAlternate && $0.lines[0].contains("50 executing") }
    // By id, so that only a key changes the selected row.
    terminal.write("o")
    try terminal.expect("not in the order of ids") { $0.lines[0].contains("by id") }
    let times = try (0..<Self.keys).map { number in
      // Keys come as a person types them; what the terminal shows meanwhile is read.
      terminal.rest(.milliseconds(40))
      let before = Self.selected(terminal.screen)
      let start = ContinuousClock.now
      terminal.write(number % 40 < 20 ? "j" : "k")
      try terminal.expect("the key has no effect") { screen in
        let selected = Self.selected(screen)
        return selected != nil && selected != before
      }
      return start.duration(to: .now).seconds
    }
    // Four transitions an operation, two of them when it starts and ends.
    let rate = terminal.screen.lines.first { $0.contains("network") }?
      .split(separator: " ").first { $0.hasSuffix("/s") }
    report.note("\(Self.key): \(rate ?? "no") operations finished")
    return times
  }

  /// The id and the name in the selected row.
  private static func selected(_ screen: ScreenModel) -> [Substring]? {
    screen.lines.first { $0.hasPrefix("▸") }.map { $0.split(separator: " ").prefix(3) }
      .map(Array.init)
  }
}
