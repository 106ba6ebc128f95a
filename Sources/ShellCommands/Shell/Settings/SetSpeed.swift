import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `set speed`: slow motion on the real clock.
enum SetSpeed: Setting {
  static let name = "speed"
  static let summary = "How fast time passes on the real clock: 1, or slower, such as 1/10"
  static let discussion = """
    At 1/10 a second of the session takes ten: delays, 'sleep', pauses, backoff, time limits, \
    'within', and latency, bandwidth and pauses of the practice server, also on queues of \
    Foundation's. All times that are shown are those of the session, but 'time' in '--json', and \
    '--timeout' of the run. What computes, programs and other servers are not slowed. A change takes \
    effect at once: what is under way takes the rest of its time at the new speed.
    """
  static let argument = Positional<Value?>(
    "value", help: "part of the real speed, such as 1/10, 0.1 or 10%; 1 at the start"
  ).refusedEach { text in
    do throws(UnplacedError) {
      _ = try SessionSpeed(text)
      return nil
    } catch {
      return error
    }
  }
  static let examples: [CommandDeclaration.Example] = [
    .init("set speed", "the speed"),
    .init("set speed 1/4; delay 20ms; wait; ops", "80 ms, shown as 20 ms"),
    .init("set speed 1/2; delay 20ms; set speed 1; wait", "slow only at its beginning"),
  ]
  static let searchTerms = ["slow", "motion", "time", "clock", "rate", "lecture", "pace"]

  static func value(in invocation: Invocation) -> Value {
    .string(SessionSpeed(invocation.jobs.engine.speed).text)
  }

  static func content(of call: CommandCall) -> Value? { call[argument] }

  static func set(_ value: Value, in invocation: Invocation) throws {
    let speed = try SessionSpeed(value.text)
    guard speed.part != invocation.jobs.engine.speed else { return }
    invocation.jobs.engine.setSpeed(speed.part)
    invocation.screen.tell("set speed", speed.remark)
  }

  static func clockUse(of call: CommandCall) -> ClockUse {
    guard call.has(argument) else { return .none }
    return .needsRealTime(
      call.failure(
        .notVirtual, "the virtual clock has no speed: it jumps to what is next", at: argument,
        help: "'set speed' needs the real clock"))
  }
}

/// How fast the time of a session passes, as part of the real speed.
struct SessionSpeed: Equatable {
  /// More than 0 and at most 1.
  let part: Double

  static let slowest = 0.001

  init(_ part: Double) { self.part = part }

  /// Reads such as `1/10`, `0.1`, `10%`, `1`.
  init(_ text: String) throws(UnplacedError) {
    guard let part = Self.number(text) else {
      throw UnplacedError(
        .badSpeed, "expected a speed such as 1/10, 0.1 or 10%, found '\(text)'")
    }
    guard part <= 1 else {
      throw UnplacedError(
        .badSpeed, "'\(text)' is faster than real time",
        help: "'set clock virtual' has time jump to the next event")
    }
    guard part >= Self.slowest else {
      throw UnplacedError(
        .badSpeed, "'\(text)' is too slow", help: "allowed: \(Self(Self.slowest).text) to 1")
    }
    self.part = part
  }

  private static func number(_ text: String) -> Double? {
    let (value, divisor): (Substring, Double?)
    if text.hasSuffix("%") {
      (value, divisor) = (text.dropLast(), 100)
    } else {
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      (value, divisor) = (parts[0], parts.count == 1 ? 1 : plainNumber(parts[1]))
    }
    guard let number = plainNumber(value), let divisor, divisor > 0 else { return nil }
    return number / divisor
  }

  /// Reads digits with or without a fraction; `Double` also reads exponents and names.
  private static func plainNumber(_ text: Substring) -> Double? {
    text.allSatisfy { $0 == "." || $0.isASCII && $0.isNumber } ? Double(text) : nil
  }

  /// `1/10`, or a percentage where that is not exact.
  var text: String {
    let inverse = (1 / part).rounded()
    if abs(1 / part - inverse) < 1e-9 * inverse { return inverse == 1 ? "1" : "1/\(Int(inverse))" }
    return Value.percent(part * 100).text
  }

  /// What its setting means, in one line.
  var remark: String {
    part == 1
      ? "time passes at full speed again"
      : "time passes at \(text) of its speed: delays, pauses, time limits and the practice server "
        + "take longer; what computes, programs and other servers are not slowed"
  }
}

extension ErrorPage {
  static let badSpeed = ErrorPage(
    "bad-speed", "The speed of the clock is not possible",
    "The real clock can be slowed down to \(SessionSpeed(SessionSpeed.slowest).text) of its speed.",
    help: "'set speed 1/10' is a tenth", wrong: "set speed 2", right: "set speed 1/2")
}
