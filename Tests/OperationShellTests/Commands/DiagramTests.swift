import Operations
import ShellLanguage
import OpshTerminal
import Testing

@testable import InspectCommands
@testable import ShellCommands
@testable import ShellSession

@Suite("The diagram of a life cycle", .timeLimit(.minutes(10)))
struct DiagramTests {
  @Test(
    "The path through the states, with times and notifications",
    arguments: [
      (
        "delay 5ms --name a; wait",
        [
          "a (delay) on queue network", " 0.000  ● created", "        │ 0 s",
          " 0.000  ● pending    added to network", "        │ 0 s",
          " 0.000  ● ready      no dependencies", "        │ 0 s, isExecuting false → true",
          " 0.000  ● executing  slot 1 of 2 on network",
          "        │ 5 ms, isExecuting true → false, isFinished false → true",
          " 0.005  ● finished   ✓ 5 ms",
        ]
      ),
      (
        "queue pause; delay 5ms --name a; sleep 2ms; cancel a; queue resume; wait --any-outcome",
        [
          "a (delay) on queue network", " 0.000  ● created", "        │ 0 s",
          " 0.000  ● pending    added to network", "        │ 0 s",
          " 0.000  ● ready      no dependencies",
          " 0.002  ├ cancelled  cancelled, finishes when the queue starts it, by 'cancel'",
          "        │ isCancelled false → true", "        ○ executing  not reached",
          "        │ 2 ms, isFinished false → true",
          " 0.002  ● finished   ⊘ cancelled before it ran",
        ]
      ),
      (
        "delay 5ms --name b; delay 5ms --name a --after b; sleep 1ms",
        [
          "a (delay) on queue network", " 0.000  ● created", "        │ 0 s",
          " 0.000  ● pending    added to network", "        │ 1 ms until now",
          "        ○ ready      not reached", "        ○ executing  not reached",
          "        ○ finished   not reached",
        ]
      ),
      (
        "delay 5ms --name a --hold; sleep 2ms",
        [
          "a (delay), on no queue", " 0.000  ● created", "        │ 2 ms until now",
          "        ○ pending    not reached",
          "        ○ ready      not reached", "        ○ executing  not reached",
          "        ○ finished   not reached",
        ]
      ),
      (
        "delay 5ms --name a --delay 3ms --hold; sleep 2ms; start a; wait",
        [
          "a (delay) on queue network", " 0.000  ● created",
          "        │ 2 ms, isReady true → false", " 0.002  ● pending    added to network",
          "        │ 3 ms, isReady false → true", " 0.005  ● ready      delay of 3 ms is over",
          "        │ 0 s, isExecuting false → true", " 0.005  ● executing  slot 1 of 2 on network",
          "        │ 5 ms, isExecuting true → false, isFinished false → true",
          " 0.010  ● finished   ✓ 5 ms",
        ]
      ),
      (
        "async a --forget kvo:isExecuting --own-ready { finish a }; wait",
        [
          "a (async) on queue network", " 0.000  ● created", "        │ 0 s",
          " 0.000  ● pending    added to network", "        │ 0 s",
          " 0.000  ● ready      no dependencies", "        │ 0 s, isReady true → false",
          " 0.000  ● executing  slot 1 of 2 on network", "        │ 0 s, isFinished false → true",
          " 0.000  ● finished   ✓ 0 s",
        ]
      ),
    ])
  func paths(_ script: String, _ expected: [String]) throws {
    let fixture = try ShellFixture("set clock virtual; \(script)")
    #expect(try fixture.output(of: "diagram a") == expected)
  }

  @Test("The notifications that it names are those that an observer gets")
  func notifications() throws {
    let keys = ["isReady", "isExecuting", "isFinished", "isCancelled"]
    let observers = (1...6).flatMap { number in
      keys.map { key in
        "observe x-\(number) \(key) --options new "
          + "{ let seen = \"$seen x-\(number).\(key)=$change.new\" }"
      }
    }
    let fixture = try ShellFixture(
      """
      set clock virtual; let seen = ""; queue pause
      delay 5ms --name x-1; delay 5ms --name x-2 --after x-1; delay 5ms --name x-3 --after x-1
      delay 5ms --name x-4 --after x-1 --on-failure skip; delay 5ms --name x-5 --delay 3ms --hold
      delay 5ms --name x-6 --delay 3ms --after x-1 --hold
      \(observers.joined(separator: "\n"))
      start x-5 x-6; queue resume; sleep 1ms; cancel x-3; cancel x-1; wait --any-outcome
      """)
    let seen = try fixture.run("($seen)").text.split(separator: " ").map(String.init)
    let entries = fixture.session.jobs.engine.log.entries(from: 0, limit: .max).entries
    let named = entries.flatMap { entry in
      entry.notifications().map { "\(entry.operation.name).\($0.key)=\($0.new)" }
    }
    #expect(seen.count > 12)
    #expect(named.sorted() == seen.sorted())
  }

  @Test("The column of states is the same for times of any length, two blanks after them")
  func longSessions() throws {
    let fixture = try ShellFixture("set clock virtual; sleep 1000s; delay 5ms --name a; wait")
    let lines = try fixture.output(of: "diagram a")
    #expect(lines.contains("1000.000  ● pending    added to network"), "\(lines)")
    #expect(lines.contains("1000.000  ● created"), "\(lines)")
    #expect(lines.contains("          │ 0 s"), "\(lines)")
  }

  @Test("A time that becomes longer while the operation is followed is not cut or glued")
  func followed() throws {
    let fixture = try ShellFixture("set clock virtual; sleep 995s; delay 10s --name a")
    let session = fixture.session
    let operation = try fixture.operation("a")
    var diagram = LifeCycleDiagram(of: operation, width: 80, clock: session.run.clock)
    try fixture.run("wait")
    let entries = session.jobs.engine.log.entries(from: 0, limit: .max).entries
    let lines = entries.flatMap { diagram.lines(for: $0) }.map(\.plain)
    #expect(lines.contains("995.000  ● pending    added to network"), "\(lines)")
    #expect(lines.contains("1005.000  ● finished   ✓ 10 s"), "\(lines)")
  }

  @Test("Every line fits the width", arguments: [40, 80, 120, 200])
  func width(_ width: Int) throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue pause
      delay 5ms --name a-long-name-that-needs-many-columns-to-be-written
      sleep 1ms; cancel last; queue resume; wait --any-outcome
      """)
    let operation = try #require(fixture.session.jobs.operations.all.first)
    var diagram = LifeCycleDiagram(of: operation, width: width, clock: fixture.session.run.clock)
    let entries = fixture.session.jobs.engine.log.entries(from: 0, limit: .max).entries
    let lines = diagram.beginning + entries.flatMap { diagram.lines(for: $0) }
    #expect(lines.allSatisfy { $0.columns <= width })
    let words = lines.dropFirst().map(\.plain).joined(separator: " ")
    #expect(words.contains("when") && words.contains("'cancel'"))
  }
}
