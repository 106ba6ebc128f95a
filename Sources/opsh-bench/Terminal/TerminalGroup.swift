import Foundation
import OpshSupport
import TestSupport

/// How soon the prompt answers while thousands of events a second come in, in a terminal that takes
/// 50 kB a second.
struct TerminalGroup {
  private static let keys = 200
  private static let rounds = 5
  /// What the terminal takes: 50 bytes in a millisecond.
  private static let slowness: (bytes: Int, pause: Duration) = (50, .milliseconds(1))
  private static let flood = "delay 1ms --count 100000"

  let report: Report
  let opsh: String?

  func run() throws {
    let key = "terminal/key/50kB/p99"
    let interrupt = "terminal/interrupt/50kB"
    guard report.selection.includes(key) || report.selection.includes(interrupt) else { return }
    guard let opsh else {
      report.note("terminal: needs --opsh PATH; scripts/bench gives it")
      return
    }
    if report.selection.includes(key) {
      report.note("\(key): \(Self.keys) keys")
      let value = try keyTimes(opsh).sorted()[Self.keys * 99 / 100 - 1]
      report.add(Measurement(bench: key, value: value, unit: .seconds))
    }
    if report.selection.includes(interrupt) {
      report.note("\(interrupt): \(Self.rounds) rounds")
      let times = try (0..<Self.rounds).map { _ in try interruptTime(opsh) }
      guard let value = times.median else { return }
      report.add(Measurement(bench: interrupt, value: value, unit: .seconds))
    }
    report.endGroup("A flood of events, in a terminal that takes 50 kB a second")
  }

  private func start(_ opsh: String) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal.atPrompt(of: opsh, columns: 100, rows: 30)
    terminal.slowness = Self.slowness
    return terminal
  }

  /// The seconds from each key to its echo, while the flood goes on.
  private func keyTimes(_ opsh: String) throws -> [Double] {
    let terminal = try start(opsh)
    terminal.write(Self.flood + "\r")
    try terminal.expect("no flood") { screen in
      screen.marksPastes && screen.logicalLines.contains { $0.contains("more; 'log' shows them") }
    }
    var typed = ""
    return try (0..<Self.keys).map { number in
      // Keys come as a person types them; what the terminal shows meanwhile is read.
      terminal.rest(.milliseconds(40))
      if typed.count == 60 {
        terminal.write("\u{15}")
        typed = ""
        try terminal.expect("the line is not empty") { $0.cursorLine.hasSuffix(">") }
      }
      let letter = String(UnicodeScalar(UInt8(97 + number % 26)))
      typed += letter
      let start = ContinuousClock.now
      terminal.write(letter)
      try terminal.expect("no echo") { $0.cursorLine.hasSuffix("> " + typed) }
      return start.duration(to: .now).seconds
    }
  }

  /// The seconds from Ctrl-C, half a second into the flood, to the prompt.
  private func interruptTime(_ opsh: String) throws -> Double {
    let terminal = try start(opsh)
    terminal.write(Self.flood + "; wait\r")
    terminal.rest(.milliseconds(500))
    let start = ContinuousClock.now
    terminal.write("\u{3}")
    try terminal.expect("no prompt after Ctrl-C") {
      $0.marksPastes && $0.cursorLine.hasPrefix("opsh") && $0.cursorLine.hasSuffix(">")
    }
    return start.duration(to: .now).seconds
  }
}
