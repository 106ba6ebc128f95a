import Foundation
import TestSupport
import Testing

/// One line that `--json` wrote.
struct JSONLine {
  let text: String
  let members: [String: Any]

  var type: String { string("type") ?? "" }
  var sequence: Int { members["sequence"] as? Int ?? -1 }
  var elapsed: Double { (members["elapsed"] as? NSNumber)?.doubleValue ?? -1 }

  func string(_ key: String) -> String? { members[key] as? String }

  func integer(_ key: String) -> Int? { (members[key] as? NSNumber)?.intValue }

  func flag(_ key: String) -> Bool? { members[key] as? Bool }

  func object(_ key: String) -> [String: Any] { members[key] as? [String: Any] ?? [:] }

  func isNull(_ key: String) -> Bool { members[key] is NSNull }

  /// The name of the operation in the line.
  var operationName: String { object("operation")["name"] as? String ?? string("name") ?? "" }

  /// The change of state, such as `questions-1: ready → executing`.
  var change: String {
    "\(operationName): \(string("from") ?? "?") → \(string("to") ?? "?")"
  }
}

@available(*, unavailable)
extension JSONLine: Sendable {}

/// Checks each line of `--json` output against its documented format.
enum JSONContract {
  /// The keys of each type, in addition to the four keys of every object.
  static let keys: [String: Set<String>] = [
    "transition": ["operation", "queue", "from", "to", "cancelled", "outcome", "reason"],
    "operation": [
      "id", "name", "kind", "queue", "state", "cancelled", "outcome", "error", "priority", "qos",
      "dependencies", "dependents", "created", "ready", "started", "finished", "attempts", "bytes",
      "status", "items", "joined",
    ],
    "queue": [
      "name", "width", "paused", "pending", "ready", "executing", "finished", "qos", "pace",
      "coalesces",
      "operations",
    ],
    "order": ["place", "operation", "state", "priority", "waits"],
    "route": ["kind", "queue", "set"],
    "threads": ["threads", "executing", "holders", "purposes", "pools"],
    "why": ["operation", "reasons", "position"],
    "result": ["operation", "value"],
    "record": ["transition", "position"],
    "expectation": ["met", "expression", "seen"],
    "error": ["code", "message", "file", "line", "column", "help"],
    "diagnostic": [
      "severity", "code", "message", "file", "line", "column", "help", "end", "labels",
    ],
    "message": ["command", "text"],
    "fault": [
      "name", "summary", "report", "active", "share", "route", "duration", "spread", "size",
      "struck",
    ],
    "request": [
      "number", "method", "target", "status", "bytes", "duration", "faults", "finished",
      "cut", "heldBy", "left",
    ],
    "stats": [
      "queue", "kind", "operations", "succeeded", "failed", "cancelled", "skipped", "unfinished",
      "rate", "bytes", "joined", "retries", "causes", "waited", "waited90", "waited99",
      "longestWait", "ran",
      "ran90",
      "ran99", "longestRun", "exact",
    ],
    "timeline": [
      "operation", "depth", "state", "outcome", "pending", "ready", "started", "finished",
      "waited", "ran", "pauses", "phases",
    ],
    "tree": [
      "operation", "kind", "state", "outcome", "depth", "relation", "parent", "policy", "waits",
    ],
    "deps": [
      "operation", "relation", "other", "state", "outcome", "policy", "ignored",
    ],
    "diagram": [
      "operation", "event", "from", "to", "at", "reason", "outcome", "notifications",
    ],
    "serve": ["url", "readers", "followers"],
    "quote": [
      "id", "text", "author", "reads", "created", "updated",
    ],
    "tag": ["text"],
    "cache": [
      "id", "method", "url", "status", "age", "state", "size", "bytes", "hits", "confirmed",
    ],
    "server": [
      "address", "faults", "seed", "requests", "sent",
    ],
    "endpoint": [
      "api", "service", "address", "remarks",
    ],
    "setting": [
      "name", "value", "summary",
    ],
    "recording": [
      "file", "on", "lines",
    ],
    "summary": [
      "operations", "succeeded", "failed", "cancelled", "skipped", "unfinished", "status",
    ],
  ]
  static let common: Set<String> = ["type", "sequence", "time", "elapsed"]
  /// The keys of a `change`, whose subject is an operation or a queue; that of a command has a reason.
  static let changeKeys: Set<String> = ["keyPath", "initial", "prior", "old", "new"]

  /// Parses standard output and records an issue for each violation.
  static func lines(
    of outcome: ChildProcess.Outcome, sourceLocation: SourceLocation = #_sourceLocation
  ) -> [JSONLine] {
    let output = outcome.output
    #expect(
      output.isEmpty || output.hasSuffix("\n"), "the last line is not ended",
      sourceLocation: sourceLocation)
    var lines: [JSONLine] = []
    for text in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
      guard let members = value as? [String: Any] else {
        Issue.record("no JSON object: \(text)", sourceLocation: sourceLocation)
        continue
      }
      lines.append(JSONLine(text: String(text), members: members))
    }
    for line in lines { check(line, sourceLocation) }
    for (earlier, later) in zip(lines, lines.dropFirst()) {
      #expect(
        earlier.sequence < later.sequence, "the sequence falls at: \(later.text)",
        sourceLocation: sourceLocation)
    }
    checkClock(lines, sourceLocation)
    #expect(lines.last?.type == "summary", "the last line", sourceLocation: sourceLocation)
    #expect(
      lines.last?.integer("status") == Int(outcome.shellStatus),
      "the summary's status is not the exit status \(outcome.shellStatus)",
      sourceLocation: sourceLocation)
    #expect(
      lines.count { $0.type == "summary" } == 1, "one summary", sourceLocation: sourceLocation)
    return lines
  }

  private static func check(_ line: JSONLine, _ sourceLocation: SourceLocation) {
    #expect(
      (try? RepeatedKeys.of(line.text)) == [], "repeated keys: \(line.text)",
      sourceLocation: sourceLocation)
    #expect(
      line.text.hasPrefix(#"{"type":"\#(line.type)","sequence":\#(line.sequence),"time":"#),
      "the order of the first keys: \(line.text)", sourceLocation: sourceLocation)
    let names = Set(line.members.keys)
    if line.type == "change" {
      let subjects = names.intersection(["operation", "queue"])
      #expect(subjects.count == 1, "whose change: \(line.text)", sourceLocation: sourceLocation)
      #expect(
        names.subtracting(["reason"]) == common.union(changeKeys).union(subjects),
        "keys of: \(line.text)", sourceLocation: sourceLocation)
      return
    }
    guard let wanted = keys[line.type] else {
      Issue.record("an unknown type: \(line.text)", sourceLocation: sourceLocation)
      return
    }
    #expect(names == common.union(wanted), "keys of: \(line.text)", sourceLocation: sourceLocation)
  }

  /// `time` and `elapsed` show one instant, so their difference is the same for all lines.
  private static func checkClock(_ lines: [JSONLine], _ sourceLocation: SourceLocation) {
    let shape = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var starts: [Double] = []
    for line in lines {
      let text = line.string("time") ?? ""
      #expect(
        text.wholeMatch(of: shape) != nil, "the time of: \(line.text)",
        sourceLocation: sourceLocation)
      guard let date = try? format.parse(text) else { continue }
      starts.append(date.timeIntervalSince1970 - line.elapsed)
    }
    guard let least = starts.min(), let greatest = starts.max() else { return }
    #expect(greatest - least < 0.003, "the two times disagree", sourceLocation: sourceLocation)
  }
}
