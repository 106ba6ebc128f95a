import CommandParts
import Foundation
import OpshLocking
import Operations
import ShellLanguage
import ShellOutput
import ShellSession

/// `expect`: an assertion on what happened or is about to.
enum Expect: Command {
  static let expression = Positional<ShellLanguage.Expression>(
    "expression", help: "what must hold, in parentheses")
  static let time = Positional<Duration?>("time", keyword: "within", help: "time limit")
  static let reason = Positional<String?>(
    "reason", keyword: "because", help: "why it should hold; part of the error if it does not")

  static let path = ["expect"]
  static let declaration = CommandDeclaration(
    summary: "Checks that an expression holds, at once or within a time",
    discussion: """
      With 'within' it waits until the expression holds, and looks at it after every event, also \
      when only bytes or progress change; a property of what is still null does not hold yet. One \
      that is not met, or cannot be met any more, is an error that says what was seen and which \
      transitions led there. 'A.finished before B.started' compares times, and 'count of ops where \
      state == finished' counts; 'count of' takes 'ops', 'queues', a pattern of names, or a list. \
      A met 'expect' also expects the failure of an operation that its condition names with \
      'outcome', 'error', 'status', 'refusal' or 'cancelled', if the condition still holds when \
      the operation has ended, and a comparison about the operation in it holds for this end and \
      would not hold for a success: (a.outcome == failed), but not (a.outcome != null) or \
      (a.state == finished). See 'help status'.
      """,
    positionals: [expression, time, reason],
    examples: [
      .init("delay 10ms; wait; expect (delay-1.outcome == succeeded)", "at once"),
      .init("delay 10ms; expect (delay-1.state == finished) within 2s", "within a time"),
      .init(
        "block { fail \"no\" }; expect (block-1.outcome == failed) within 2s",
        "a failure that is expected"),
      .init(
        "delay 10ms; delay 1ms --after delay-1; wait; expect (delay-1.finished before delay-2.started)",
        "the order of two operations"),
      .init(
        "delay 10ms --count 4\nexpect ((count of ops where state == finished) >= 3) within 2s because \"it is quick\"",
        "a number of operations, with a reason"),
    ],
    searchTerms: ["assert", "expectation", "test", "check", "verify", "count", "before"],
    traits: [.waits, .worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    // To wait would move the clock of the recording, which stands.
    if call.has(time) { try invocation.refuseInReplay() }
    let expression = call[Self.expression]
    let invocation = invocation.binding(namesIn: [expression])
    let report = ExpectationReport(
      invocation: invocation, expressions: [expression],
      text: call.arguments(of: Self.expression).first?.text ?? "")
    var end = Run.WaitEnd.met
    let seen: String
    var covering: CoveringCondition?
    var hopeless = ""
    if let time = call[Self.time] {
      let watch = ExpectationWatch([expression], invocation)
      let own = invocation.run.ownOperation(of: invocation.context)
      // A later statement, or a command from the page, may set a variable or change a queue.
      let mayBeStuck =
        ExpectedOperations([expression], invocation).areNamed
        || invocation.run.isOnInterpreterThread && invocation.run.serving.withLock({ $0 }) == nil
      defer { own?.setExpecting(false) }
      end = try invocation.run.wait(
        until: invocation.run.clock.now + time, nextLook: watch.nextLook,
        isStuck: { mayBeStuck && watch.nextLook() == nil && invocation.run.isAtRest(for: own) }
      ) {
        let isMet = try watch.walk { try watch.holds(expression) }
        if !isMet { own?.setExpecting(true) }
        return isMet
      }
      seen = try watch.atMoment { try report.seen() }
      if end == .met { covering = watch.atMoment { CoveringCondition(expression, invocation) } }
      if end == .stuck {
        hopeless = ", and nothing can happen any more" + report.whyStuck(after: ": ")
      }
    } else {
      // What has happened up to here counts, also what no line was shown for yet.
      try invocation.run.pump()
      var holds: Bool
      var tries = 0
      repeat {
        tries += 1
        holds = try invocation.context.holds(expression)
        covering = holds ? CoveringCondition(expression, invocation) : nil
        // Something may have ended between the evaluation and the keeping of the values.
      } while covering?.holds == false && tries < 3
      if !holds { end = .timedOut }
      seen = try report.seen()
    }
    let isMet = end == .met
    if end == .interrupted { throw Interruption("stopped waiting for the expectation") }
    report.tell(isMet: isMet, seen: seen)
    guard isMet else {
      let within = call[Self.time].map { " within \(Value.duration($0).text)" } ?? ""
      throw report.failure(
        "\(report.text)\(within)\(report.because)\(seen == "false" ? "" : "; \(seen)")\(hopeless)",
        at: Self.expression)
    }
    if let covering { invocation.jobs.failures.expect(covering) }
    return .boolean(true)
  }
}
