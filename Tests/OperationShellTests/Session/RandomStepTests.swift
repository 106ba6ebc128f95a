import Foundation
import Operations
import OpshSupport
import ShellLanguage
import TestSupport
import Testing

@testable import ShellOutput
@testable import ShellSession

/// Random sessions that are walked, against the same ones that are waited for.
@Suite("Random sessions in steps", .timeLimit(.minutes(15)))
struct RandomStepTests {
  /// The statements of a session, which all run before time passes.
  private struct Script {
    private var random: RandomSource
    private var names: [String] = []
    private var innerCount = 0
    private(set) var lines: [String] = []

    init(seed: UInt64) {
      random = RandomSource(seed: seed)
      lines = ["set clock virtual", "set seed \(seed)", "queue new side --width 1"]
      if random.below(2) == 0 { lines.append("server fault status-503 40%") }
      if random.below(4) == 0 { lines.append("queue pace side 700ms") }
      for _ in 0..<(6 + random.below(8)) { lines.append(statement()) }
    }

    private mutating func pick(_ words: [String]) -> String { words[random.below(words.count)] }

    private mutating func name() -> String {
      names.append("op\(names.count)")
      return names[names.count - 1]
    }

    /// A name of what a body or a handler builds, which no statement may use before.
    private mutating func innerName() -> String {
      innerCount += 1
      return "in\(innerCount)"
    }

    /// A time of which few differ, so that many things happen at once.
    private mutating func time() -> String { pick(["0s", "1s", "1s", "2s", "1500ms"]) }

    private mutating func options() -> String {
      var options = " --queue \(pick(["network", "side"]))"
      if !names.isEmpty, random.below(3) == 0 {
        options += " --after \(pick(names)) --on-failure \(pick(["run", "skip", "fail"]))"
      }
      if random.below(4) == 0 { options += " --priority \(pick(["low", "high"]))" }
      if random.below(4) == 0 { options += " --exclusive \(pick(["db", "disk"]))" }
      if random.below(6) == 0 { options += " --delay \(time())" }
      if random.below(6) == 0 { options += " --timeout 1s" }
      return options
    }

    private mutating func statement() -> String {
      let options = options()
      let other = names.isEmpty ? nil : pick(names)
      switch random.below(11) {
      case 0...3: return "delay \(time()) --name \(name())\(options)"
      case 4: return "fetch questions --retry 2 --name \(name())\(options)"
      case 5:
        let inner = (0..<2).map { _ in "delay \(time()) --name \(innerName())" }
        return "group \(name())\(options) { \(inner.joined(separator: "; ")) }"
      case 6, 7:
        let body = (0...random.below(3)).map { _ in part(other) }
        return "block --name \(name())\(options) { \(body.joined(separator: "; ")) }"
      case 8:
        let made = name()
        return "async \(made)\(options) { sleep \(time()); finish \(made) }"
      case 9:
        guard let other else { return "delay 1s --name \(name())" }
        return "on \(other) finished { delay \(time()) --name \(innerName()); "
          + "try { cancel \(pick(names)) } catch e { } }"
      default:
        guard let other else { return "delay 1s --name \(name())" }
        return "try { priority \(other) \(pick(["veryLow", "veryHigh"])) } catch e { }"
      }
    }

    private mutating func part(_ other: String?) -> String {
      switch random.below(5) {
      case 0: "sleep \(time())"
      case 1: "delay \(time()) --name \(innerName())"
      case 2: "repeat 2 { delay \(time()) }"
      case 3: other.map { "try { cancel \($0) } catch e { }" } ?? "sleep 1s"
      default: pick(["fail no", "echo x > /dev/null", "sleep 1s"])
      }
    }
  }

  private func fixture(_ script: Script) throws -> ShellFixture {
    let fixture = try ShellFixture()
    for line in script.lines { try fixture.run(line) }
    return fixture
  }

  /// What the log holds of a session.
  private func story(_ fixture: ShellFixture) -> [String] {
    let (log, clock) = (fixture.session.jobs.engine.log, fixture.session.run.clock)
    return log.entries(from: 0, limit: .max).entries.map { entry in
      let nanoseconds = Int64((clock.elapsed(entry.time) * 1e9).rounded())
      return "\(nanoseconds) \(entry.operation.name) \(entry.event) \(entry.from) → \(entry.to) "
        + entry.reason
    }
  }

  @Test("Steps to the end have the log of one wait, and several at once that of single ones")
  func equalsWait() throws {
    var (steps, changes) = (0, 0)
    for seed in 1...UInt64(100) {
      let script = Script(seed: seed)
      let waited = try fixture(script)
      _ = try? waited.run("wait --any-outcome")
      let expected = story(waited)
      let single = try fixture(script)
      while try single.session.run.step(1).taken == 1 { steps += 1 }
      #expect(story(single) == expected, "seed \(seed):\n\(script.lines.joined(separator: "\n"))")
      let several = try fixture(script)
      var random = RandomSource(seed: seed)
      while true {
        let count = 1 + random.below(5)
        let line = "ops > /dev/null; why > /dev/null; next \(count) > /dev/null"
        guard try several.run(line).text == "\(count)" else { break }
      }
      #expect(story(several) == expected, "seed \(seed)")
      changes += expected.count
    }
    #expect(steps > 1000 && changes > 3 * steps)
  }

  @Test("'next OPERATION' stops after the first step that changes the operation")
  func firstChange() throws {
    for seed in 1...UInt64(40) {
      let script = Script(seed: seed)
      let single = try fixture(script)
      let target = try #require(single.session.jobs.operations.all.first { $0.state != .finished })
      let before = (target.state, target.isCancelled)
      var count = 0
      while (target.state, target.isCancelled) == before, try single.session.run.step(1).taken == 1
      {
        count += 1
      }
      let walked = try fixture(script)
      #expect(
        try walked.run("next --operation \(target.id)").text == "\(count)"
          || (target.state, target.isCancelled) == before, "seed \(seed)")
      if (target.state, target.isCancelled) != before {
        #expect(story(walked) == story(single), "seed \(seed)")
      }
    }
  }
}
