import CommandParts
@testable import InspectCommands
import Operations
@testable import ShellCommands
import ShellOutput
@testable import ShellSession
import TestSupport
import Testing

/// Random sessions whose times are compared with the operations' own and with `why`.
@Suite("Blame in random sessions", .timeLimit(.minutes(15)))
struct BlameSessionTests {
  @Test("The phases of every operation are its whole life, and agree with why at each moment")
  func wholeLives() throws {
    var causes: Set<String> = []
    var looks = 0
    let rounds = TestScale.isSanitized ? 20 : 200
    for seed in 1...UInt64(rounds) {
      var run = try RandomSession(seed: seed)
      try run.go()
      let problems = run.check(&causes)
      #expect(
        problems.isEmpty,
        "seed \(seed):\n\(problems.prefix(5).joined(separator: "\n"))\n\(run.script)")
      guard problems.isEmpty else { return }
      looks += run.looks.count
    }
    // Otherwise the sessions show less than they seem to.
    let expected: Set<Cause> = [
      .dependency, .delay, .group, .queuePaused, .widthZero, .queueFull, .barrier, .exclusive,
      .pace, .backoff, .hostPause, .awaitsFinish, .members, .work,
    ]
    #expect(Set(expected.map(\.rawValue)).subtracting(causes).isEmpty)
    #expect(causes.isSuperset(of: ["first-byte"]) && looks > rounds * 5, "\(looks) looks")
  }
}

extension RandomSession {
  /// What is wrong with the phases of its operations; adds the causes that they have.
  fileprivate func check(_ causes: inout Set<String>) -> [String] {
    let session = fixture.session
    let history = LifeAccount(of: session.jobs.engine.log, until: session.run.clock.now)
    var problems: [String] = []
    for operation in session.jobs.operations.all {
      let phases = LifeSpan.steps(of: operation, in: history)
      guard let added = operation.timestamps.pending else { continue }
      let end = operation.timestamps.finished ?? history.now
      causes.formUnion(phases.map(\.cause.rawValue))
      causes.formUnion(history.spans(of: operation.id).map(\.cause.rawValue))
      let sum = phases.reduce(Duration.zero) { $0 + $1.duration }
      let difference = (end - added) - sum
      if difference > .milliseconds(1) || difference < .milliseconds(-1) {
        problems.append("\(operation.displayName): \(sum) of \(end - added)")
      }
      if zip(phases, phases.dropFirst()).contains(where: { $0.end != $1.start }) {
        problems.append("\(operation.displayName): a gap")
      }
      let path = history.criticalPath(to: operation.id)
      if zip(path, path.dropFirst()).contains(where: { $0.span.end > $1.span.start }) {
        problems.append("\(operation.displayName): its path goes back in time")
      }
    }
    return problems + looks.compactMap { disagreement($0, history) }
  }

  /// What a look at an operation says that its stretches do not; nil if they agree.
  private func disagreement(_ look: Look, _ history: LifeAccount) -> String? {
    // On the virtual clock one stretch may end, and the next begin, at the time of the look, some
    // nanoseconds apart.
    let around = (look.time - .microseconds(1))...(look.time + .microseconds(1))
    let spans = history.spans(of: look.id).filter { around.overlaps($0.start...$0.end) }
    guard !spans.isEmpty, !spans.contains(where: { agrees($0.cause, with: look.codes) }) else {
      return nil
    }
    let name = history.life(of: look.id)?.identity.name ?? "\(look.id)"
    let time = fixture.session.run.clock.elapsed(look.time)
    return "\(name) at \(time): blame says \(spans.map(\.cause.rawValue)), "
      + "why says \(look.codes.map(\.rawValue))"
  }

  private func agrees(_ cause: Cause, with codes: Set<Cause>) -> Bool {
    switch cause {
    // Others on a full queue are to start before it; and what waits for a name has had its turn, so
    // that 'why' does not speak of the queue.
    case .queueFull: !codes.isDisjoint(with: [.queueFull, .higherPriority, .exclusive])
    // The slot that it gets at this moment may still be taken.
    case .starting: !codes.isDisjoint(with: [.pace, .higherPriority, .queueFull])
    case .pace: !codes.isDisjoint(with: [.pace, .higherPriority])
    default: codes.contains { $0.rawValue == cause.rawValue }
    }
  }
}
