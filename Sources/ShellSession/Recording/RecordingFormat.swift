import Foundation
package import OpshJSON
import Operations
import ShellOutput

/// The format of recordings: one JSON object per line, the first one a header.
///
/// After the header come the contract's lines with more keys: `operation` before the first line
/// about an operation and before that of its end, then `attempt` for each attempt of a request,
/// `transition` for each entry of the log, `change` for each other change that decides what runs,
/// `typed` for each command, the first line of its output and each chapter, and at the end `operation`
/// and `attempt` for each that has not finished, `queue` and `summary`. After `back` in the session
/// comes a line `back`, and then the recording from its header on: what was before is void. A reader
/// ignores keys and types that it does not know.
package enum RecordingFormat {
  /// The version; a reader refuses a later one.
  package static let version = 2

  /// The type of the line after which a recording begins again.
  static let goesBack = "back"

  /// Where the last recording in a file begins.
  static func start(of bytes: [UInt8]) -> Int {
    let mark = Array("{\"type\":\"\(goesBack)\",".utf8)
    var start = bytes.startIndex
    var search = bytes[...]
    while let end = search.firstIndex(of: UInt8(ascii: "\n")) {
      if bytes[search.startIndex...].starts(with: mark) { start = end + 1 }
      search = bytes[(end + 1)...]
    }
    return start
  }

  /// Seconds to the nanosecond, because phases and the order of events need that.
  static func seconds(_ duration: Duration) -> JSONValue {
    .real(duration / .nanoseconds(1) / 1e9)
  }

  /// Reads seconds; nil if the value is not a number, or of an age of the world.
  static func duration(_ value: JSONValue?) -> Duration? {
    guard let seconds = value?.double, abs(seconds) < 9e9 else { return nil }
    return .nanoseconds(Int64((seconds * 1e9).rounded()))
  }
}

/// A change as the values of a `change` line.
extension EventLog.Change.Event {
  /// The key path, the old value and the new one.
  var recorded: (keyPath: String, old: JSONValue, new: JSONValue) {
    func seconds(_ duration: Duration) -> JSONValue { RecordingFormat.seconds(duration) }
    func list(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
    func edge(_ id: Int, _ policy: FailurePolicy?) -> JSONValue {
      guard let policy else { return .null }
      return JSONValue.members(["id": .number(id), "policy": .string(policy.rawValue)])
    }
    switch self {
    case .width(let old, let new):
      return ("maxConcurrentOperationCount", .optional(old), .number(new))
    case .group(let id): return ("group", .null, .number(id))
    case .suspended(let isSuspended):
      return ("isSuspended", .boolean(!isSuspended), .boolean(isSuspended))
    case .pace(let old, let new): return ("pace", seconds(old), seconds(new))
    case .step: return ("step", .null, .null)
    case .priority(let old, let new):
      return ("queuePriority", .string(old.shellName), .string(new.shellName))
    case .quality(let old, let new):
      return ("qualityOfService", .string(old.shellName), .string(new.shellName))
    case .dependency(let id, let old, let new):
      return ("dependencies", edge(id, old), edge(id, new))
    case .barrier: return ("barrier", .boolean(false), .boolean(true))
    case .exclusiveNames(let old, let new): return ("exclusiveNames", list(old), list(new))
    case .setAside(let name): return ("setAside", .null, .optional(name))
    case .startDelay(let old, let new): return ("startDelay", seconds(old), seconds(new))
    case .delayEnded: return ("delayEnded", .boolean(false), .boolean(true))
    case .awaitsForeground(let awaits):
      return ("awaitsForeground", .boolean(!awaits), .boolean(awaits))
    case .awaited(let ids, let isLimited):
      let new = JSONValue.members([
        "ids": .array(ids.map { .number($0) }), "limited": .boolean(isLimited),
      ])
      return ("awaited", .null, new)
    case .claimed(let isClaimed): return ("claimed", .boolean(!isClaimed), .boolean(isClaimed))
    case .ending: return ("ending", .boolean(false), .boolean(true))
    case .announcing(let isAnnouncing):
      return ("announcing", .boolean(!isAnnouncing), .boolean(isAnnouncing))
    case .open(let isOpen): return ("isOpen", .boolean(!isOpen), .boolean(isOpen))
    case .held(let queue): return ("held", .null, .number(queue))
    case .began: return ("began", .boolean(false), .boolean(true))
    case .stopped(let id): return ("stopped", .null, .optional(id))
    case .renamed(let old, let new): return ("name", .optional(old), .optional(new))
    case .timeLimit(let limit): return ("timeLimit", .null, limit.map(seconds) ?? .null)
    case .defects(let defects): return ("defects", .null, .number(Int(defects)))
    case .foreign: return ("foreign", .boolean(false), .boolean(true))
    case .obstacle(let text): return ("obstacle", .null, .optional(text))
    case .poolHolders(let ids): return ("poolHolders", .null, .array(ids.map { .number($0) }))
    case .nextAttempt(let next):
      let new = JSONValue.members([
        "attempt": .number(next.attempt), "limit": .number(next.limit),
        "remaining": seconds(next.remaining), "code": .string(next.code),
      ])
      return ("nextAttempt", .null, new)
    case .attempt(let number): return ("attempt", .null, .number(number))
    case .finishWait(let wait):
      return ("finishWait", .null, .optional(wait.map { "\($0)" }))
    case .phase(let progress):
      let new = JSONValue.members([
        "phase": .string(progress.phase.rawValue), "done": .number(progress.done),
        "total": .number(progress.total),
      ])
      return ("phase", .null, new)
    case .expecting(let isExpecting):
      return ("expecting", .boolean(!isExpecting), .boolean(isExpecting))
    case .pause(let duration): return ("pause", .null, seconds(duration))
    case .hostPause(let host, let duration):
      let new = JSONValue.members(["host": .string(host), "seconds": seconds(duration)])
      return ("hostPause", .null, new)
    }
  }

  /// Reads the values of a `change` line; nil if they make no change.
  init?(recorded keyPath: String, old: JSONValue, new: JSONValue) {
    func duration(_ value: JSONValue) -> Duration? { RecordingFormat.duration(value) }
    func flag(_ value: JSONValue) -> Bool? {
      if case .boolean(let flag) = value { flag } else { nil }
    }
    func names(_ value: JSONValue) -> [String]? {
      guard case .array(let elements) = value else { return nil }
      let names = elements.compactMap(\.string)
      return names.count == elements.count ? names : nil
    }
    func numbers(_ value: JSONValue) -> [Int]? {
      guard case .array(let elements) = value else { return nil }
      let numbers = elements.compactMap { $0.exactInteger(UInt32.self).map { Int($0) } }
      return numbers.count == elements.count ? numbers : nil
    }
    /// Reads something that may be null.
    func optional<Read>(_ read: (JSONValue) -> Read?) -> Read?? {
      if new == .null { return .some(nil) }
      return read(new).map { .some($0) }
    }
    func next(_ value: JSONValue) -> AttemptPause? {
      guard let attempt = value["attempt"]?.exactInteger(Int32.self),
        let limit = value["limit"]?.exactInteger(Int32.self), let code = value["code"]?.string,
        let remaining = value["remaining"].flatMap(duration)
      else { return nil }
      return AttemptPause(
        attempt: Int(attempt), limit: Int(limit), remaining: remaining, code: code)
    }
    func phase(_ value: JSONValue) -> PhaseProgress? {
      guard let name = value["phase"]?.string, let phase = OperationPhase(rawValue: name),
        let done = value["done"]?.exactInteger(Int32.self),
        let total = value["total"]?.exactInteger(Int32.self)
      else { return nil }
      return PhaseProgress(phase, done: Int(done), of: Int(total))
    }
    func policy(_ value: JSONValue) -> FailurePolicy? {
      value["policy"]?.string.flatMap(FailurePolicy.init(rawValue:))
    }
    let event: Self? =
      switch keyPath {
      case "maxConcurrentOperationCount":
        new.exactInteger(Int32.self).flatMap {
          $0 < -1 ? nil : .width(old: old.exactInteger(), new: Int($0))
        }
      case "group": new.exactInteger().map { .group($0) }
      case "isSuspended": flag(new).map { .suspended($0) }
      case "pace": duration(new).map { .pace(old: duration(old) ?? .zero, new: $0) }
      case "step": .step
      case "queuePriority":
        new.string.flatMap(Operation.QueuePriority.init(shellName:)).map {
          .priority(
            old: old.string.flatMap(Operation.QueuePriority.init(shellName:)) ?? .normal, new: $0)
        }
      case "qualityOfService":
        new.string.flatMap(QualityOfService.init(shellName:)).map {
          .quality(
            old: old.string.flatMap(QualityOfService.init(shellName:)) ?? .default, new: $0)
        }
      case "dependencies":
        (new["id"] ?? old["id"])?.exactInteger().flatMap { id in
          policy(new) == nil && policy(old) == nil
            ? nil : .dependency(id, old: policy(old), new: policy(new))
        }
      case "barrier": .barrier
      case "exclusiveNames": names(new).map { .exclusiveNames(old: names(old) ?? [], new: $0) }
      case "setAside": new == .null ? .setAside(nil) : new.string.map { .setAside($0) }
      case "startDelay": duration(new).map { .startDelay(old: duration(old) ?? .zero, new: $0) }
      case "delayEnded": .delayEnded
      case "awaitsForeground": flag(new).map { .awaitsForeground($0) }
      case "awaited":
        numbers(new["ids"] ?? .null).map {
          .awaited($0, isLimited: new["limited"] == .boolean(true))
        }
      case "claimed": flag(new).map { .claimed($0) }
      case "isOpen": flag(new).map { .open($0) }
      case "held": new.exactInteger(UInt32.self).map { .held(Int($0)) }
      case "began": .began
      case "stopped": optional { $0.exactInteger(UInt32.self) }.map { .stopped($0.map { Int($0) }) }
      case "name": optional(\.string).map { .renamed(old: old.string, new: $0) }
      case "timeLimit": optional(duration).map { .timeLimit($0) }
      case "defects": new.exactInteger(UInt8.self).map { .defects($0) }
      case "foreign": .foreign
      case "obstacle": optional(\.string).map { .obstacle($0) }
      case "poolHolders": numbers(new).map { .poolHolders($0) }
      case "nextAttempt": next(new).map { .nextAttempt($0) }
      case "attempt": new.exactInteger(Int32.self).map { .attempt(Int($0)) }
      case "finishWait":
        optional { value in FinishWait.allCases.first { "\($0)" == value.string } }
          .map { .finishWait($0) }
      case "phase": phase(new).map { .phase($0) }
      case "expecting": flag(new).map { .expecting($0) }
      case "ending": .ending
      case "announcing": flag(new).map { .announcing($0) }
      case "pause": duration(new).map { .pause($0) }
      case "hostPause":
        new["host"]?.string.flatMap { host in
          duration(new["seconds"] ?? .null).map { .hostPause(host, $0) }
        }
      default: nil
      }
    guard let event else { return nil }
    self = event
  }
}

extension JSONValue {
  /// The text of a string; nil for other values.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }
}
