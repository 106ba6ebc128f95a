import Operations
import TestSupport
import Testing

/// How a group ends whose members do not all succeed.
@Suite(.timeLimit(.minutes(15))) struct GroupOutcomeTests {
  /// What becomes of the members, and of the group.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var cancels = false
    var fails = false
    /// Whether a member is skipped because of what is outside of the group.
    var skips = false
    /// Whether a member is skipped because of the cancelled one, and another one because of that.
    var skipsInside = false
    var mayBeCancelled = false
    let outcome: String
    let summary: String
  }

  static let cases: [Case] = [
    Case(testDescription: "succeeds", outcome: "succeeded", summary: "1 succeeded"),
    Case(
      testDescription: "cancelled", cancels: true, outcome: "cancelled",
      summary: "1 succeeded, 1 cancelled"),
    Case(
      testDescription: "skipped", skips: true, outcome: "skipped", summary: "1 succeeded, 1 skipped"
    ),
    Case(
      testDescription: "cancelled and skipped", cancels: true, skips: true, outcome: "cancelled",
      summary: "1 succeeded, 1 cancelled, 1 skipped"),
    Case(
      testDescription: "failed and cancelled", cancels: true, fails: true, skips: true,
      outcome: "failed", summary: "1 succeeded, 1 failed, 1 cancelled, 1 skipped"),
    Case(
      testDescription: "excused", cancels: true, skipsInside: true, mayBeCancelled: true,
      outcome: "succeeded", summary: "1 succeeded, 1 cancelled, 2 skipped"),
    Case(
      testDescription: "excused, but skipped for another reason", cancels: true, skips: true,
      mayBeCancelled: true, outcome: "skipped", summary: "1 succeeded, 1 cancelled, 1 skipped"),
    Case(
      testDescription: "excused, but failed", cancels: true, fails: true, mayBeCancelled: true,
      outcome: "failed", summary: "1 succeeded, 1 failed, 1 cancelled"),
  ]

  @Test("A group fails, is cancelled or is skipped as its members are", arguments: cases)
  func outcome(_ ending: Case) throws {
    let bench = Bench()
    let queue = bench.queue()
    let group = bench.group()
    group.membersMayBeCancelled = ending.mayBeCancelled
    let (good, other) = (bench.quick("good"), bench.held("other"))
    let (failing, outside) = (bench.held("failing"), bench.held("outside"))
    var members: [ObservableOperation] = [good]
    if ending.cancels { members.append(other) }
    if ending.fails { members.append(failing) }
    if ending.skips {
      members.append(bench.quick("skipped"))
      try members[members.count - 1].depend(on: outside, policy: .skip)
    }
    if ending.skipsInside {
      let (next, last) = (bench.quick("next"), bench.quick("last"))
      try next.depend(on: other, policy: .skip)
      try last.depend(on: next, policy: .skip)
      members += [next, last]
    }
    try group.addOperations(members)
    let dependent = bench.quick("dependent")
    try dependent.depend(on: group, policy: .skip)
    try queue.addOperations([group, outside, dependent], waitUntilFinished: false)
    #expect(outside.waitUntilBegun())
    if ending.cancels {
      #expect(other.waitUntilBegun())
      ObservableOperation.cancelAll([other], by: "the test")
    }
    if ending.fails {
      #expect(failing.waitUntilBegun())
      failing.finish(.failure(OperationFailure(code: "no", message: "no")))
    }
    outside.finish(.failure(OperationFailure(code: "no", message: "no")))
    drain(queue)
    #expect(group.outcome?.name == ending.outcome)
    #expect(group.outcomeSummary == ending.summary)
    #expect(!group.isCancelled)
    #expect(dependent.outcome == (ending.outcome == "succeeded" ? .succeeded : .skipped))
    if ending.outcome == "cancelled" {
      #expect(group.outcome?.failure == nil)
      #expect(group.error?.code == OperationError.cancelled.code)
      let count = ending.skips ? 3 : 2
      #expect(group.error?.message == "1 of \(count) was cancelled: 'other' by the test")
    }
  }

  @Test("The error of a cancelled operation says who cancelled, also after observers came and went")
  func requester() throws {
    let bench = Bench()
    let queue = bench.queue(width: 3)
    let group = bench.group()
    let (member, alone, observed) = (bench.held("member"), bench.held("alone"), bench.held("o"))
    try group.addOperation(member)
    try queue.addOperations([group, alone, observed], waitUntilFinished: false)
    for operation in [member, alone, observed] { #expect(operation.waitUntilBegun()) }
    let observation = observed.observe(\.isFinished) { _, _ in }
    ObservableOperation.cancelAll([group, observed], by: "the test")
    alone.cancel()
    drain(queue)
    observation.invalidate()
    #expect(group.error?.message == "cancelled by the test")
    #expect(member.error?.message == "cancelled by group 'group'")
    #expect(observed.error?.message == "cancelled by the test")
    #expect(alone.error == OperationFailure(OperationError.cancelled))
    let late = observed.observe(\.isFinished) { _, _ in }
    late.invalidate()
    #expect(observed.error?.message == "cancelled by the test")
  }
}
