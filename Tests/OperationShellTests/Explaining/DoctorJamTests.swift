import Operations
import OpshSupport
import Testing

@testable import InspectCommands
@testable import ShellCommands
@testable import ShellSession

/// Jams: after an hour of virtual time, what has not finished never will.
@Suite("'doctor' of a jam", .timeLimit(.minutes(15)))
struct DoctorJamTests {
  /// Finds that each operation of a jam is named once, and types what is named, until all has ended.
  private func solve(_ fixture: ShellFixture, _ script: String) throws {
    for round in 0..<6 {
      try fixture.run("sleep 1h")
      let unfinished = fixture.session.jobs.operations.unfinished.map(\.displayName)
      let findings = Diagnosis(of: fixture.session.jobs).findings
      let named = findings.filter { $0.code != "failed-dependency" }.flatMap(\.subject)
      #expect(
        named.filter(unfinished.contains).sorted() == unfinished.sorted(),
        "round \(round): \(findings) of\n\(script)")
      guard !unfinished.isEmpty else { return }
      let cures = findings.filter { !Set($0.subject).isDisjoint(with: unfinished) }.map(\.cure)
      #expect(!cures.contains(nil), "\(findings) of\n\(script)")
      for cure in cures.compactMap({ $0 }) {
        #expect(throws: Never.self, "\(cure) after\n\(script)") { try fixture.run(cure) }
      }
    }
    Issue.record("it has not ended: \(script)")
  }

  @Test(
    "Each operation is named once, and the commands end the jam",
    arguments: WhySituation.all.map(\.script) + [
      // Slots and groups: each waits for a slot that the other's group holds.
      "queue width 2; delay 1s --name d --hold; delay 1s --name e --hold\n"
        + "group g { delay 1s --after d }; group h { delay 1s --after e }; start d e",
      // Members of a group that has not begun, behind a paused queue, and held ones.
      "queue pause; group g { delay 1s --count 3 }; delay 1s --count 12 --hold --name h\n"
        + "delay 1s --after h-12",
      // A queue without slots behind a barrier.
      "queue new q --width 0; delay 1s --queue q --name a; queue barrier q --name b\n"
        + "delay 1s --name x --after b; delay 1s --after x",
      // A name that an operation holds which is never finished.
      "async a --exclusive db { let y = 1 }; delay 1s --exclusive db --count 3",
      // A body that waits for what never starts.
      "queue new q --paused; delay 1s --queue q --name a; block --name x { wait a }",
      // An open group in a group.
      "group g { group h --open { delay 1s } }; delay 1s --after g",
    ])
  func situation(_ script: String) throws {
    let fixture = try ShellFixture("set clock virtual")
    try fixture.run(script)
    try solve(fixture, script)
  }

  @Test("So it is in random jams", arguments: 0..<60)
  func random(seed: Int) throws {
    var random = RandomSource(seed: UInt64(seed))
    let fixture = try ShellFixture("set clock virtual; queue new q --width 1")
    var script = ""
    var names: [String] = []
    func pick(_ words: [String]) -> String { words[random.below(words.count)] }
    func options() -> String {
      var text = " --queue \(pick(["network", "q"]))"
      if random.below(3) == 0, !names.isEmpty { text += " --after \(pick(names))" }
      if random.below(4) == 0 { text += " --exclusive \(pick(["db", "disk"]))" }
      if random.below(4) == 0 { text += " --hold" }
      return text
    }
    for number in 0..<14 {
      let name = "op\(number)"
      let line: String
      switch random.below(12) {
      case 0...4: line = "delay 1s --name \(name)" + options()
      case 5, 6:
        let after = names.isEmpty ? "" : " --after \(pick(names))"
        line =
          "group \(name)\(options()) { delay 1s --name \(name)a\(after); delay 1s --name \(name)b }"
      case 7: line = "async \(name)\(options()) { let y = 1 }"
      case 8: line = "queue \(pick(["pause", "resume"])) \(pick(["network", "q"]))"
      case 9: line = "queue width \(pick(["network", "q"])) \(random.below(3))"
      case 10: line = "queue barrier \(pick(["network", "q"])) --name \(name)"
      default: line = names.isEmpty ? "sleep 1s" : "start \(pick(names))"
      }
      // Some are refused, such as a start of what is not held.
      guard (try? fixture.run(line)) != nil else { continue }
      script += line + "\n"
      if fixture.session.jobs.operations.operation(named: name) != nil { names.append(name) }
    }
    try solve(fixture, script)
  }
}
