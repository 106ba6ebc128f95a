import Foundation
import OpshNetworking
import Operations
import OpshSupport
import TestSupport
import Testing

@testable import ShellSession

/// Random sessions whose recordings answer every question as the sessions do.
@Suite("Recordings of random sessions", .timeLimit(.minutes(15)))
struct RecordingSessionTests {
  private static let questions = [
    "why", "ops", "queue", "tree", "blame all", "timeline", "timeline --phases", "stats",
    "stats --by kind", "log", "ops --json", "doctor",
  ]

  @Test("A replay answers every question as the session does, also in its middle")
  func sameAnswers() throws {
    var codes: Set<String> = []
    for seed in 1...UInt64(TestScale.isSanitized ? 10 : 100) {
      var run = try RandomSession(seed: seed)
      if seed.isMultiple(of: 4) { try run.go() } else { try run.begin() }
      let session = run.fixture.session
      var lines = RecordingLines(of: session.run)
      let folder = try ScratchFolder()
      try folder.write(lines.end(status: nil).joined(separator: "\n") + "\n", to: "run")
      let replay = try ShellFixture("replay '\(folder.path)/run'")
      let names =
        session.jobs.operations.unfinished.map { "why \($0.id)" }
        + session.jobs.operations.all.prefix(seed.isMultiple(of: 3) ? .max : 0).flatMap {
          ["show \($0.id)", "diagram \($0.id)"]
        }
        + session.jobs.operations.all.filter { $0.networkMetrics != nil }.map {
          "show \($0.id) --verbose"
        }
      for question in Self.questions + names {
        let (expected, found) = try (
          run.fixture.shown(by: question), replay.shown(by: question)
        )
        #expect(
          comparable(expected) == comparable(found),
          "seed \(seed), \(question)\n\(run.script)")
        guard comparable(expected) == comparable(found) else { return }
      }
      for operation in session.jobs.operations.unfinished {
        codes.formUnion(operation.waitReasons().map(\.code.rawValue))
      }
    }
    // Otherwise the sessions show less than they seem to.
    #expect(codes.count >= (TestScale.isSanitized ? 3 : 8), "\(codes)")
  }

  /// The lines without the numbers of '--json', which count the lines of one session.
  private func comparable(_ lines: [String]) -> [String] {
    lines.map { $0.replacing(/"sequence":\d+,/, with: "") }
  }

  @Test("What was changed in a recording is refused or shown, and never ends the process")
  func hostileLines() throws {
    var refused = 0
    var shown = 0
    for seed in 1...UInt64(TestScale.isSanitized ? 3 : 12) {
      var run = try RandomSession(seed: seed)
      try run.begin()
      var lines = RecordingLines(of: run.fixture.session.run)
      let recorded = lines.end(status: nil)
      for _ in 0..<20 {
        var changed = recorded
        for _ in 0..<(1 + run.random.below(3)) { Self.damage(&changed, &run.random) }
        let folder = try ScratchFolder()
        try folder.write(changed.joined(separator: "\n") + "\n", to: "run")
        let replay = try ShellFixture()
        do {
          try replay.run("replay '\(folder.path)/run'")
          shown += 1
        } catch {
          refused += 1
        }
        let export = "export '\(folder.path)/run.har'"
        for question in Self.questions + ["show op* --verbose", export] {
          _ = try? replay.shown(by: question)
        }
      }
    }
    #expect(refused > 0 && shown > 0, "\(refused) refused, \(shown) shown")
  }

  /// Damages one line after the header.
  private static func damage(_ lines: inout [String], _ random: inout RandomSource) {
    let index = 1 + random.below(lines.count - 1)
    switch random.below(7) {
    case 0: lines.remove(at: index)
    case 1: lines.insert(lines[index], at: 1 + random.below(lines.count - 1))
    case 2: lines.swapAt(index, 1 + random.below(lines.count - 1))
    case 3: lines[index] = lines[index].replacing(/"id":\d+/) { _ in "\"id\":\(random.below(40))" }
    case 4:
      lines[index] = lines[index].replacing(/"queueID":\d+/) { _ in "\"queueID\":\(random.below(9))"
      }
    case 5:
      lines[index] = lines[index].replacing(/-?\d+(\.\d+)?/, with: "-1e18", maxReplacements: 4)
    default:
      let states = ["created", "pending", "ready", "executing", "finished", "true", "null", ""]
      lines[index] = lines[index].replacing(/"(from|to|new|old)":[^,}]*/) { match in
        "\"\(match.1)\":\"\(states[random.below(states.count)])\""
      }
    }
  }
}
