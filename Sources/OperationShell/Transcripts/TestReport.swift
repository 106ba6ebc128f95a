import CommandParts
import Foundation
import OpshNetworking
import ShellCommands
import OpshSupport
import OpshTerminal

/// The reports of `--test`: TAP line by line as the files end, and JUnit XML at the end.
enum TestReport {
  /// The lines of one file in the Test Anything Protocol, version 14.
  static func tap(_ outcome: TestOutcome, number: Int) -> [String] {
    let name = visible(outcome.path).replacingOccurrences(of: "#", with: "\\#")
    var line = outcome.status == 0 ? "ok" : "not ok"
    line += " \(number) - \(name)"
    if outcome.verdict == .updated { line += " # updated" }
    if outcome.expectsNothing { line += " # no expectation" }
    var lines = [line]
    guard outcome.verdict != .passed else { return lines }
    lines.append("  ---")
    lines.append("  message: " + JSONValue.string(visible(outcome.message)).text)
    lines.append("  duration_ms: \(milliseconds(outcome.time))")
    if !outcome.details.isEmpty {
      lines.append("  details: |2")
      lines += outcome.details.map { "    " + visible($0) }
    }
    lines.append("  ...")
    return lines
  }

  /// All files as a JUnit test suite.
  static func junit(_ outcomes: [TestOutcome], time: Duration) -> String {
    let failed = outcomes.count { $0.verdict == .failed }
    let errors = outcomes.count { $0.verdict == .unusable }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let counts =
      "tests=\"\(outcomes.count)\" failures=\"\(failed)\" errors=\"\(errors)\""
      + " time=\"\(seconds(time))\""
    text += "<testsuites \(counts)>\n  <testsuite name=\"opsh\" \(counts)>\n"
    for outcome in outcomes {
      let url = URL(fileURLWithPath: outcome.path)
      text += "    <testcase name=\"\(XMLText.escape(url.lastPathComponent))\""
      text += " classname=\"\(XMLText.escape(url.deletingLastPathComponent().relativePath))\""
      text += " file=\"\(XMLText.escape(outcome.path))\" time=\"\(seconds(outcome.time))\""
      guard outcome.status != 0 else {
        text +=
          outcome.expectsNothing
          ? ">\n      <system-out>no expectation</system-out>\n    </testcase>\n" : "/>\n"
        continue
      }
      let element = outcome.verdict == .unusable ? "error" : "failure"
      text += ">\n      <\(element) message=\"\(XMLText.escape(outcome.message))\">"
      text += XMLText.escape(outcome.details.joined(separator: "\n"))
      text += "</\(element)>\n    </testcase>\n"
    }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func milliseconds(_ time: Duration) -> String {
    String(format: "%.1f", time.seconds * 1000)
  }

  private static func seconds(_ time: Duration) -> String { String(format: "%.3f", time.seconds) }

  private static func visible(_ text: String) -> String { VisibleText.escape(text) }
}
