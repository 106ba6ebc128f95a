package import Foundation
import OpshJSON
import OpshNetworking
import Operations

/// What the lines of a recording say of the session as a whole, and each for itself.
package struct Recording {
  /// What one line tells that decides what the session was.
  enum Event {
    case operation(JSONValue)
    case attempt(RequestAttempt, of: Int)
    case change(EventLog.Change.Event, of: EventLog.Change.Subject, queueName: String?)
    case entry(WorldFold.Entry)
    case queue(JSONValue)
    case typed(JSONValue)
  }

  /// Why a file is not a recording.
  package enum Problem: Error {
    /// A line is not what the format requires there.
    case line(Int, String)
    /// The file has a later format.
    case format(Int)
  }

  /// When the session started.
  package private(set) var started = Date(timeIntervalSince1970: 0)
  /// Whether the session went by the virtual clock.
  package private(set) var isVirtual = false
  /// How long the session was.
  package private(set) var length = Duration.zero
  /// Whether it was ended, and has not merely stopped.
  package private(set) var isComplete = false
  /// Whether the last line breaks off, as after a crash.
  package private(set) var isCutOff = false

  /// Reads the bytes of a file, line by line.
  ///
  /// It takes time in proportion to their number.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - start: When the session that shows it started.
  ///   - handle: Called for each event, with what is known of the recording by then.
  /// - Throws: ``Problem`` at the first line that is wrong, and what `handle` throws.
  mutating func read(
    _ bytes: [UInt8], since start: ContinuousClock.Instant,
    _ handle: (_ line: Int, _ elapsed: Duration, Event, Recording) throws -> Void
  ) throws {
    // What was before the session went back to an earlier time is not part of it.
    var position = RecordingFormat.start(of: bytes)
    var number = bytes[..<position].count { $0 == UInt8(ascii: "\n") }
    let header = number + 1
    while position < bytes.endIndex {
      number += 1
      let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
      let line: JSONValue
      do throws(JSONError) {
        line = try JSONValue(parsing: Array(bytes[position..<end]), maximumDepth: 16)
      } catch {
        if end == bytes.endIndex, number > header {
          isCutOff = true
          return
        }
        throw Problem.line(number, number == header ? "it is not JSON" : "it is not JSON: \(error)")
      }
      if number == header {
        try readHeader(line)
      } else if let (elapsed, event) = try read(line, number, since: start) {
        try handle(number, elapsed, event, self)
      }
      position = end + 1
    }
    if number < header { throw Problem.line(1, "the file is empty") }
  }

  private mutating func readHeader(_ line: JSONValue) throws(Problem) {
    guard line["type"]?.string == "recording", let format = line["format"]?.exactInteger(Int.self)
    else { throw .line(1, "it is not the header of a recording") }
    guard format == RecordingFormat.version else { throw .format(format) }
    guard format > 0, let date = line["started"]?.string.flatMap(RecordingFormat.date) else {
      throw .line(1, "the header of a recording has 'format' and 'started'")
    }
    started = date
    isVirtual = line["clock"]?.string == "virtual"
  }

  private mutating func read(
    _ line: JSONValue, _ number: Int, since start: ContinuousClock.Instant
  ) throws(Problem) -> (Duration, Event)? {
    guard let type = line["type"]?.string, let elapsed = RecordingFormat.duration(line["elapsed"])
    else { throw .line(number, "every line has 'type' and 'elapsed'") }
    length = max(length, elapsed)
    let event: Event?
    switch type {
    case "operation":
      guard line["id"]?.exactInteger(UInt32.self) ?? 0 > 0 else {
        throw .line(number, "an operation has an 'id', a whole number from 1")
      }
      event = .operation(line)
    case "attempt":
      event = line["operation"]?["id"]?.exactInteger(Int.self).flatMap { id in
        RequestAttempt(recorded: line, since: start).map { .attempt($0, of: id) }
      }
    case "change": event = change(line)
    case "transition": event = entry(line)
    case "queue": event = line["queueID"]?.exactInteger(Int.self) == nil ? nil : .queue(line)
    case "typed": event = .typed(line)
    case "summary":
      isComplete = true
      return nil
    default: return nil
    }
    guard let event else { throw .line(number, "a value of '\(type)' is missing or wrong") }
    return (elapsed, event)
  }

  private func change(_ line: JSONValue) -> Event? {
    guard let keyPath = line["keyPath"]?.string,
      let event = EventLog.Change.Event(
        recorded: keyPath, old: line["old"] ?? .null, new: line["new"] ?? .null)
    else { return nil }
    if let id = line["operation"]?["id"]?.exactInteger(UInt32.self) {
      return .change(event, of: .operation(Int(id)), queueName: nil)
    }
    return line["queueID"]?.exactInteger(UInt32.self).map {
      .change(event, of: .queue(Int($0)), queueName: line["queue"]?.string)
    }
  }

  private func entry(_ line: JSONValue) -> Event? {
    guard let id = line["operation"]?["id"]?.exactInteger(UInt32.self),
      let event = line["event"]?.string.flatMap(EventLog.Entry.Event.init(rawValue:)),
      let from = line["from"]?.string.flatMap(OperationState.init(rawValue:)),
      let to = line["to"]?.string.flatMap(OperationState.init(rawValue:)),
      case .boolean(let isCancelled)? = line["cancelled"]
    else { return nil }
    let queue = line["queueID"]?.exactInteger(UInt32.self)
    let outcome: OperationOutcome? =
      switch line["outcome"]?.string {
      case "succeeded": .succeeded
      case "cancelled": .cancelled
      case "skipped": .skipped
      // The line of the operation before it has the failure.
      case "failed": .failed(OperationFailure(code: "error", message: ""))
      default: nil
      }
    guard event != .transition || (to == .finished) == (outcome != nil) else { return nil }
    return .entry(
      WorldFold.Entry(
        operation: Int(id), named: line["operation"]?["name"]?.string, event: event, from: from,
        to: to, isCancelled: isCancelled, outcome: outcome, reason: line["reason"]?.string ?? "",
        queue: queue.map { Int($0) }, named: line["queue"]?.string))
  }
}

extension RecordingFormat {
  /// Reads a time as lines have it: `2031-05-06T07:08:09.123Z`.
  static func date(_ text: String) -> Date? {
    try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
