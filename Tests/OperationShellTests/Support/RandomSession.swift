import Operations
import ShellOutput
import OpshSupport
import Testing

@testable import ShellSession

/// One session of random statements on the virtual clock.
struct RandomSession {
  /// Why an operation did not run at a moment.
  struct Look {
    let id: Int
    let time: ContinuousClock.Instant
    let codes: Set<Cause>
  }

  let fixture: ShellFixture
  var random: RandomSource
  private(set) var script = ""
  private(set) var looks: [Look] = []
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
    fixture.session.run.mode.runDueEvents()
    let now = fixture.session.run.clock.now
    for operation in fixture.session.jobs.operations.unfinished {
      let reasons = operation.waitReasons().filter { $0.depth == 0 }
      guard operation.state == .pending || operation.state == .ready, !reasons.isEmpty else {
        continue
      }
      looks.append(Look(id: operation.id, time: now, codes: Set(reasons.map(\.code))))
    }
  }

  /// Runs the statements, and waits for what they built.
  mutating func go() throws {
    try begin()
    try end()
  }

  /// Runs the statements, after which much may be unfinished.
  mutating func begin() throws {
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
  }

  /// Lets everything run that waits.
  private mutating func end() throws {
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
    if random.below(3) == 0 { line += " --exclusive \(pick(["db", "db", "db", "disk"]))" }
    if random.below(5) == 0 { line += " --delay 25ms" }
    if random.below(6) == 0 { line += " --essential" }
    try run(line)
  }
}
