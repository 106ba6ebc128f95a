import CommandParts
import OpshTerminal
import Operations
package import ShellLanguage
import ShellOutput
import ShellSession

/// `at`: what a command would have shown earlier.
enum At: Command {
  static let moment = Positional<String>(
    "moment", help: "a time (3.2s, or 3.200 as the first column has it), #POSITION, or OP.started"
  ).refusedEach { text in
    MomentWord(text) == nil
      ? UnplacedError(.badMoment, "'\(text)' is not a moment", help: MomentWord.help) : nil
  }
  static let command = Positional<Block>("command", .command, help: "command that only shows")

  static let path = ["at"]
  static let declaration = CommandDeclaration(
    summary: "Shows what a command would have shown at an earlier moment",
    discussion: """
      The command is one of why, ops, queue, show, tree, deps, diagram and blame, and shows all as \
      it was then: states, reasons, order and times. The moment is a time since the start, in \
      seconds: '3.2s' or '3.200', with everything that the log prints with that time; a position \
      of the log, as the objects of 'why --json' have it: '#120'; or just after something happened to \
      an operation: 'OP.created', 'OP.ready', 'OP.started' or 'OP.finished'. It reads the event log: where 'set keep' has trimmed that, it begins later. \
      How much a request had received by then, or a program had printed, is not kept.
      """,
    positionals: [moment, command],
    examples: [
      .init(
        "set clock virtual\ndelay 2s --name a; delay 1s --name b --after a; wait; at 1.5s why b",
        "why it did not run then"),
      .init("delay 10ms --name a; wait; at a.started ops", "all operations when one started"),
      .init("queue pause; delay 1ms; queue resume; wait; at #8 queue", "the queues at a position"),
    ],
    searchTerms: ["past", "earlier", "history", "then", "back", "moment", "time", "when"],
    blockVariables: [], traits: [.passesOptionsOn, .looksBack, .worksInReplay])

  static let completions = [
    ParameterCompletion(moment) { jobs, _ in
      jobs.operations.all.map { CompletionCandidate($0.displayName + ".started") }
    }
  ]

  static func run(_ invocation: Invocation) throws -> Value {
    invocation.settle()
    let moment = try moment(invocation)
    guard try invocation.show(invocation.call[command], asOf: moment) else {
      throw invocation.call.failure(
        .noMoment, "the session did not exist at '\(invocation.call[Self.moment])'",
        at: Self.moment)
    }
    return .null
  }

  private static func moment(_ invocation: Invocation) throws -> PastMoment {
    let (call, jobs) = (invocation.call, invocation.jobs)
    guard let word = MomentWord(call[moment]) else {
      preconditionFailure("the rules accepted a word that is no moment")
    }
    let (now, log) = (jobs.clock.now, jobs.engine.log)
    switch word {
    case .position(let number):
      guard number <= log.position else {
        throw call.failure(
          .noMoment, "position #\(number) has not been reached: the log is at #\(log.position)",
          at: moment)
      }
      return PastMoment(.position(number), at: nil)
    case .time(let elapsed):
      let instant = jobs.clock.startInstant + elapsed
      let precision = MomentWord.precision(of: elapsed)
      guard instant - precision <= now else {
        throw call.failure(
          .noMoment, "\(call[moment]) is later than now: it is \(time(now, jobs))", at: moment)
      }
      return PastMoment(.time(instant + precision), at: instant)
    case .event(let name, let event):
      let found = try invocation.operations(for: .string(name), at: moment, index: 0)
      guard let operation = found.first, found.count == 1 else {
        throw call.failure(
          .oneOperation, "expected one operation, found \(found.count)", at: moment)
      }
      guard let instant = OperationObject.instant(event, of: operation) else {
        throw call.failure(
          .noMoment,
          "'\(operation.displayName)' has no time '\(event)': it is "
            + operation.state.rawValue, at: moment,
          help: "'show \(operation.displayName)' lists its times")
      }
      return PastMoment(.time(instant), at: jobs.clock.rounded(instant))
    }
  }

  private static func time(_ instant: ContinuousClock.Instant, _ jobs: Jobs) -> String {
    String(TransitionText.time(jobs.clock.elapsed(instant)).trimmingPrefix { $0 == " " })
  }
}

/// The word that names a moment, before it is looked for.
enum MomentWord: Equatable {
  case position(Int)
  /// A time since the start.
  case time(Duration)
  case event(operation: String, String)

  static let events = ["created", "ready", "started", "finished"]
  static let help =
    "a time such as 3.2s or 3.200, a position such as #120, or an event such as NAME.started; "
    + "events: \(events.joined(separator: ", "))"

  /// Reads a word; nil if it names none.
  init?(_ text: String) {
    if text.utf8.first == UInt8(ascii: "#") {
      guard let number = Int(text.dropFirst()), number >= 0 else { return nil }
      self = .position(number)
      return
    }
    switch LiteralReader.value(of: text)?.unspelled {
    case .duration(let duration)? where duration >= .zero: self = .time(duration)
    case .integer(let seconds)? where (0...Self.latest).contains(seconds):
      self = .time(.seconds(seconds))
    case .real(let seconds)? where (0...Double(Self.latest)).contains(seconds):
      self = .time(.nanoseconds(Int64((seconds * 1e9).rounded())))
    default:
      guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return nil }
      let event = String(text[text.index(after: dot)...])
      guard Self.events.contains(event) else { return nil }
      self = .event(operation: String(text[..<dot]), event)
    }
  }

  /// No clock goes further, in seconds.
  private static let latest: Int64 = 9_000_000_000

  /// How much later something can be that is printed with a time: half of the last digit that the
  /// time has, of three at least.
  static func precision(of elapsed: Duration) -> Duration {
    let nanoseconds = Int64((elapsed / .nanoseconds(1)).rounded())
    if nanoseconds.isMultiple(of: 1_000_000) { return .nanoseconds(499_999) }
    return nanoseconds.isMultiple(of: 1_000) ? .nanoseconds(499) : .zero
  }
}

extension ErrorPage {
  package static let badMoment = ErrorPage(
    "bad-moment", "A word names no moment",
    "A moment is a time since the start of the session, a position of the log, or when something "
      + "happened to an operation.",
    help: MomentWord.help, wrong: "delay 1ms --name a\nwait\nat a why a",
    right: "delay 1ms --name a\nwait\nat a.started why a")

  package static let noMoment = ErrorPage(
    "no-moment", "The session has no such moment",
    "'at' shows what has been. Time passes on the virtual clock only while statements wait.",
    help: "choose an earlier moment; 'log' lists what has happened, with its times",
    wrong: "delay 1ms\nwait\nat 1h ops", right: "delay 1ms --name a\nwait\nat a.started ops",
    proof: .running)
}
