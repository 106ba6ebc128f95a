import CommandParts
import Foundation
import Operations
import ShellLanguage
import ShellOutput
import ShellSession

/// `never (E) until (E)`: asserts that a condition stays false until another one is true.
enum NeverCommand: Command {
  static let unwanted = Positional<ShellLanguage.Expression>(
    "expression", help: "what must not hold, in parentheses")
  static let end = Positional<ShellLanguage.Expression>(
    "end", keyword: "until", help: "the expression that ends the check, in parentheses")

  static let path = ["never"]
  static let declaration = CommandDeclaration(
    summary: "Checks that an expression does not hold before another one does",
    discussion: """
      It looks at both after every event, in the order in which things happened: where the second \
      holds, the expectation is met; where the first holds before that, it is an error at that \
      moment, with what was seen and the transitions that led there. Where the second holds \
      already, it looks through the log from the start of the run; that is an error if the log no \
      longer reaches back so far. It is an error, too, if neither can happen any more, or if \
      neither did 'within' a time. Bodies whose checks wait for one another wait without end on the \
      system's clock, unless 'within' or '--timeout' limits one of them.
      """,
    positionals: [
      unwanted, end, Expect.time, Expect.reason,
    ],
    examples: [
      .init(
        "delay 10ms; delay 1ms --after delay-1\nnever (delay-2.state == executing) until (delay-1.state == finished)",
        "the second does not start before the first has ended"),
      .init(
        "delay 5ms --count 6\nnever ((count of ops where state == executing) > 2) until (delay-6.state == finished)",
        "no more than two at a time"),
    ],
    searchTerms: ["assert", "test", "check", "verify", "invariant", "always", "until", "expect"],
    traits: [.waits])

  private enum Verdict {
    case undecided, broken, ended
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let (unwanted, wanted) = (call[Self.unwanted], call[end])
    let invocation = invocation.binding(namesIn: [unwanted, wanted])
    let report = ExpectationReport(
      invocation: invocation, expressions: [unwanted, wanted],
      text: "never \(call.arguments(of: Self.unwanted).first?.text ?? "")"
        + " until \(call.arguments(of: end).first?.text ?? "")")
    let watch = try makeWatch(unwanted, wanted, invocation)
    // Of what the log does not tell of, nothing says when it began to hold.
    let tellsEnd = !watch.isFromStart || ConditionReads.areLogged(wanted)
    var verdict = Verdict.undecided
    let deadline = call[Expect.time].map { invocation.run.clock.now + $0 }
    let own = invocation.run.ownOperation(of: invocation.context)
    defer { own?.setExpecting(false) }
    let result = try invocation.run.wait(
      until: deadline, nextLook: watch.nextLook,
      isStuck: { watch.nextLook() == nil && invocation.run.isAtRest(for: own) }
    ) {
      let isDecided = try watch.walk {
        if watch.isAtPresent || tellsEnd, try watch.holds(wanted) {
          verdict = .ended
        } else if try watch.holds(unwanted) {
          verdict = .broken
        }
        return verdict != .undecided
      }
      if !isDecided { own?.setExpecting(true) }
      return isDecided
    }
    if result == .interrupted { throw Interruption("stopped waiting for the expectation") }
    let seen = try watch.atMoment { try report.seen() }
    report.tell(isMet: verdict == .ended, seen: seen)
    switch (verdict, result) {
    case (.ended, _): break
    case (.broken, _):
      throw report.failure("\(report.text)\(report.because); \(seen)", at: Self.unwanted)
    case (_, .timedOut):
      let time = Value.duration(call[Expect.time] ?? .zero).text
      throw report.failure(
        "\(report.text)\(report.because); neither held within \(time): \(seen)", at: end)
    default:
      throw report.failure(
        "\(report.text)\(report.because); neither can happen any more: \(seen)"
          + report.whyStuck(after: "; "), page: .neverEnds, at: end)
    }
    return .boolean(true)
  }

  /// The watch begins with the statement, or at the start of the run where the end has come already.
  private static func makeWatch(
    _ unwanted: ShellLanguage.Expression, _ wanted: ShellLanguage.Expression,
    _ invocation: Invocation
  ) throws -> ExpectationWatch {
    try invocation.run.pump()
    let watch = ExpectationWatch([unwanted, wanted], invocation)
    guard try watch.atMoment({ try watch.holds(wanted) }) else { return watch }
    let isWhole = invocation.jobs.engine.log.entries(from: 0, limit: 1).entries.first.map {
      $0.sequence == 0
    }
    let counts = !(unwanted.countClauses + wanted.countClauses).isEmpty
    guard isWhole ?? true, !(counts && invocation.jobs.operations.hasDropped) else {
      throw invocation.call.failure(
        .recordDropped,
        "the end of 'never' holds already, and the log no longer reaches back to the start of the run",
        at: end, help: "'set keep N' at the beginning of the script keeps more")
    }
    return ExpectationWatch([unwanted, wanted], invocation, fromStart: true)
  }
}
