import Foundation
import OpshNetworking
import PracticeServer
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSupport
import OpshTerminal

/// Shows requests of the practice server's log, as lines or as objects.
struct RequestText {
  let invocation: Invocation

  /// The width below which a line goes on below instead of being cut.
  private static let leastWidth = 60

  init(_ invocation: Invocation) { self.invocation = invocation }

  func show(_ record: RequestRecord) {
    if invocation.isJSON {
      invocation.object(.request, at: instant(of: record), fields(of: record))
    } else {
      let output = invocation.screen.output
      let line = line(of: record)
      // A narrow terminal has no room for the address in the line.
      guard let width = output.width(), width >= Self.leastWidth else {
        return invocation.print(line)
      }
      invocation.print(line.truncated(to: width, ellipsis: output.isASCII ? "..." : "…"))
    }
  }

  /// When it arrived, by the clock of the session.
  private func instant(of record: RequestRecord) -> ContinuousClock.Instant {
    let clock = invocation.run.clock
    return clock.startInstant + .seconds(record.time.timeIntervalSince(clock.startDate))
  }

  /// ` 0.312  GET   200  14.9 kB   12 ms  /2.3/questions?site=stackoverflow  [latency]`.
  private func line(of record: RequestRecord) -> StyledText {
    let elapsed = invocation.run.clock.elapsed(instant(of: record))
    let milliseconds = Int64((max(0, elapsed) * 1000).rounded())
    let time = "\(milliseconds / 1000).\((milliseconds % 1000).padded(to: 3))"
    let status = record.status.map(String.init) ?? (record.isFinished ? "none" : "…")
    var line = StyledText(right(time, 7) + "  ", style: .dim)
    line += StyledText(TextWidth.pad(VisibleText.escape(record.method), to: 6))
    line += StyledText(right(status, 5), style: style(of: record))
    line += StyledText(
      right(ByteCount(record.bytes).description, 10) + "  " + right(Self.progress(of: record), 9)
        + "  ")
    line += StyledText(VisibleText.escape(Self.target(of: record)))
    if !record.faults.isEmpty {
      line += StyledText(
        "  [\(record.faults.joined(separator: ", "))]", style: TextStyle(color: .yellow))
    }
    return line
  }

  /// How long it took, or why it has not ended.
  private static func progress(of record: RequestRecord) -> String {
    let took = DurationText(.microseconds(Int64(record.milliseconds * 1000))).description
    return switch record.progress {
    case .held(let fault, let left?): "held by \(fault), \(Self.text(left: left)) left"
    case .held(let fault, nil): "held by \(fault)"
    case .answering: "under way"
    case .ended: took
    case .cut: "cut by the client after \(took)"
    }
  }

  /// Tenths of a second are enough: it changes while it is read.
  private static func text(left: Duration) -> String {
    guard left >= .seconds(1), left < .seconds(59) else { return DurationText(left).description }
    let tenths = Int((left.seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
  }

  private static func held(_ record: RequestRecord) -> (by: String, left: Duration?)? {
    if case .held(let fault, let left) = record.progress { (fault, left) } else { nil }
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - TextWidth.columns(of: text))) + text
  }

  private func style(of record: RequestRecord) -> TextStyle {
    switch record.status {
    case nil: TextStyle(color: record.isFinished ? .red : .yellow)
    case let status? where status >= 400: TextStyle(color: .red)
    default: .plain
    }
  }

  private static func target(of record: RequestRecord) -> String {
    record.path + (record.query.map { "?" + $0 } ?? "")
  }

  private func fields(of record: RequestRecord) -> [String: JSONValue] {
    [
      "number": .number(record.number), "method": .string(record.method),
      "target": .string(Self.target(of: record)), "status": .optional(record.status),
      "bytes": .number(record.bytes), "duration": .seconds(record.milliseconds / 1000),
      "faults": .array(record.faults.map(JSONValue.string)),
      "finished": .boolean(record.isFinished), "cut": .boolean(record.progress == .cut),
      "heldBy": .optional(Self.held(record)?.by),
      "left": Self.held(record)?.left.map { .seconds($0 / .seconds(1)) } ?? .null,
    ]
  }

  /// A request as a value of the language.
  static func value(of record: RequestRecord) -> Value {
    .record([
      .init("number", .integer(Int64(record.number))), .init("method", .string(record.method)),
      .init("target", .string(target(of: record))), .init("path", .string(record.path)),
      .init("status", record.status.map { .integer(Int64($0)) } ?? .null),
      .init("bytes", .integer(Int64(record.bytes))),
      .init("duration", .duration(.microseconds(Int64(record.milliseconds * 1000)))),
      .init("faults", .list(record.faults.map(Value.string))),
      .init("finished", .boolean(record.isFinished)),
      .init("cut", .boolean(record.progress == .cut)),
      .init("heldBy", held(record).map { .string($0.by) } ?? .null),
      .init("left", held(record)?.left.map(Value.duration) ?? .null),
    ])
  }
}

extension ObjectKind {
  package static let request = ObjectKind(
    type: "request", commands: "`server log`, one for each request",
    keys: [
      ("number", "its number, from 1"), ("method", "its method"),
      ("target", "the path and the query, secrets masked"),
      ("status", "the status of the response, or null"), ("bytes", "how much of the body was sent"),
      ("duration", "how long it took, or has taken, in seconds"),
      ("faults", "the names of the faults that struck it"),
      ("finished", "whether it was answered or has failed"),
      ("cut", "whether the client closed the connection before the end of the response"),
      ("heldBy", "the name of the fault that holds the response back, or null"),
      ("left", "for how many more seconds, or null"),
    ])
}
