import Operations
import ShellOutput
import Support
import TestSupport
import Testing

@testable import Networking
@testable import ShellCommands
@testable import ShellSession

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
      let problems = run.check()
      #expect(
        problems.isEmpty,
        "seed \(seed):\n\(problems.prefix(5).joined(separator: "\n"))\n\(run.script)")
      guard problems.isEmpty else { return }
      causes.formUnion(run.causes)
      looks += run.looks.count
    }
    // Otherwise the sessions show less than they seem to.
    let expected: Set<LifeSpan.Cause> = [
      .dependency, .delay, .group, .queuePaused, .widthZero, .queueFull, .barrier, .exclusive,
      .pace, .backoff, .hostPause, .awaitsFinish, .members, .work,
    ]
    #expect(Set(expected.map(\.rawValue)).subtracting(causes).isEmpty)
    #expect(causes.isSuperset(of: ["first-byte"]) && looks > rounds * 5, "\(looks) looks")
  }
}

/// One session of random statements on the virtual clock.
private struct RandomSession {
  /// Why an operation did not run at a moment.
  struct Look {
    let id: Int
    let time: ContinuousClock.Instant
    let codes: Set<WaitReason.Code>
  }

  private let fixture: ShellFixture
  private var random: RandomSource
  private(set) var script = ""
  private(set) var looks: [Look] = []
  private(set) var causes: Set<String> = []
  private var names: [String] = []

  init(seed: UInt64) throws {
    random = RandomSource(seed: seed)
    fixture = try ShellFixture("set clock virtual; set seed \(seed); queue new side --width 1")
  }

  private mutating func pick(_ words: [String]) -> String { words[random.below(words.count)] }

  private mutating func run(_ line: String) throws {
    script += line + "\n"
    // Some are refused, such as a dependency on what has a name no longer.
    _ = try? fixture.run(line)
    try fixture.run("sleep \(1 + random.below(9))ms")
    fixture.session.runDueEvents()
    let now = fixture.session.clock.now
    for operation in fixture.session.operations.unfinished {
      let reasons = operation.waitReasons().filter { $0.depth == 0 }
      guard operation.state == .pending || operation.state == .ready, !reasons.isEmpty else {
        continue
      }
      looks.append(Look(id: operation.id, time: now, codes: Set(reasons.map(\.code))))
    }
  }

  mutating func go() throws {
    try run("server latency \(5 + random.below(30))ms")
    if random.below(3) > 0 {
      try run("server fault \(pick(["status-429", "status-503", "drop"])) 40%")
    }
    for _ in 0..<25 {
      switch random.below(16) {
      case 0...4: try build()
      case 5: try run("queue pause \(pick(["network", "side"]))")
      case 6, 7: try run("queue resume \(pick(["network", "side"]))")
      case 8: try run("queue width \(pick(["network", "side"])) \(random.below(4))")
      case 9: try run("queue pace \(pick(["network", "side"])) \(pick(["0s", "20ms", "off"]))")
      case 10: try run("cancel \(names.isEmpty ? "all" : pick(names))")
      case 11:
        let name = newName()
        try run("group \(name) { delay 20ms --name \(newName()); delay 5ms --name \(newName()) }")
      case 12:
        let name = newName()
        try run("async \(name) { sleep 10ms }")
        try run("sleep 30ms; finish \(name)")
      case 13 where names.count > 1: try run("deps \(pick(names)) on \(pick(names))")
      case 14 where names.count > 1: try run("deps \(pick(names)) off \(pick(names))")
      default: try run("queue barrier side")
      }
    }
    try run("server fault off; queue resume network; queue resume side; queue width network 3")
    try run("queue width side 2; queue pace side off; queue pace network off")
    _ = try? fixture.run("wait --any-outcome --timeout 1h")
  }

  private mutating func newName() -> String {
    names.append("op\(names.count)")
    return names[names.count - 1]
  }

  private mutating func build() throws {
    let known = names
    var line = pick([
      "delay \(random.below(60))ms", "delay 3ms", "fetch questions --retry 3",
      "fetch answers --retry 2",
    ])
    line += " --name \(newName()) --queue \(pick(["network", "side"]))"
    if random.below(3) == 0, !known.isEmpty { line += " --after \(pick(known)) --on-failure run" }
    if random.below(4) == 0 { line += " --exclusive \(pick(["db", "disk"]))" }
    if random.below(5) == 0 { line += " --delay 25ms" }
    try run(line)
  }

  // MARK: Checking

  mutating func check() -> [String] {
    let session = fixture.session
    let history = LifeHistory(of: session.engine.log, until: session.clock.now)
    var problems: [String] = []
    for operation in session.operations.all {
      let phases = LifePhase.phases(of: operation, in: history)
      guard let added = operation.timestamps.pending else { continue }
      let end = operation.timestamps.finished ?? history.now
      causes.formUnion(phases.map(\.kind.code))
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
  private func disagreement(_ look: Look, _ history: LifeHistory) -> String? {
    // On the virtual clock one stretch may end, and the next begin, at the time of the look, some
    // nanoseconds apart.
    let around = (look.time - .microseconds(1))...(look.time + .microseconds(1))
    let spans = history.spans(of: look.id).filter { around.overlaps($0.start...$0.end) }
    guard !spans.isEmpty, !spans.contains(where: { agrees($0.cause, with: look.codes) }) else {
      return nil
    }
    let name = history.life(of: look.id)?.identity?.name ?? "\(look.id)"
    let time = fixture.session.clock.elapsed(look.time)
    return "\(name) at \(time): blame says \(spans.map(\.cause.rawValue)), "
      + "why says \(look.codes.map(\.rawValue))"
  }

  private func agrees(_ cause: LifeSpan.Cause, with codes: Set<WaitReason.Code>) -> Bool {
    switch cause {
    // Others on a full queue are to start before it; and what waits for a name has had its turn, so
    // that 'why' does not speak of the queue.
    case .queueFull: !codes.isDisjoint(with: [.queueFull, .higherPriority, .exclusive])
    case .starting, .pace: !codes.isDisjoint(with: [.pace, .higherPriority])
    default: codes.contains { $0.rawValue == cause.rawValue }
    }
  }
}
