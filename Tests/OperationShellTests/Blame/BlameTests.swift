import Foundation
import OpshNetworking
import Operations
import ShellOutput
import TestSupport
import Testing

@testable import InspectCommands
@testable import ShellSession

@Suite("Blame", .timeLimit(.minutes(15)))
struct BlameTests {
  private func words(_ line: String) -> String {
    line.split(separator: " ").joined(separator: " ")
  }

  @Test("The time of one operation is split by cause, with the operations that caused it")
  func oneOperation() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 20ms --name load
      delay 10ms --name other
      delay 30ms --name parse --after load
      wait
      """)
    let lines = try fixture.output(of: "blame parse").map(words)
    #expect(lines.first == "parse: 60 ms from being added to its end")
    #expect(lines.contains("dependency not finished 20 ms 33% ███████ load"))
    #expect(lines.contains("queue full 10 ms 17% ███ other"))
    #expect(lines.contains("work 30 ms 50% ██████████"))
    #expect(
      lines.suffix(4) == [
        "at operation time went to", "0.000 load 20 ms work", "0.020 other 10 ms work",
        "0.030 parse 30 ms work",
      ])
    #expect(lines.contains("critical path: 60 ms"))
  }

  @Test("A share that rounds to nothing is shown as less than one percent")
  func smallShares() throws {
    let fixture = try ShellFixture(
      "set clock virtual\nqueue width 1; delay 10ms --name a; delay 10s --name b; wait")
    let lines = try fixture.output(of: "blame b").map(words)
    #expect(lines.contains("queue full 10 ms < 1% a"), "\(lines)")
  }

  @Test("Operations that a cause took no time of are not counted for it")
  func counts() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue pace 1s; delay 5ms --name a; delay 5ms --name b; wait
      """)
    let lines = try fixture.output(of: "blame").map(words)
    #expect(lines.contains { $0.hasPrefix("pace of the queue 1 s 99%") && $0.hasSuffix(" 1") })
    #expect(lines.contains { $0.hasPrefix("work 10 ms 1%") && $0.hasSuffix(" 2") }, "\(lines)")
  }

  @Test("The critical path has the phases of a request, as the sums do")
  func pathOfRequest() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      server latency 100ms
      fetch questions
      delay 50ms --after questions-1
      wait
      """)
    let lines = try fixture.output(of: "blame questions-1").map(words)
    let path = try #require(lines.firstIndex { $0.hasPrefix("critical path") })
    #expect(
      lines[path...].contains {
        $0.hasPrefix("0.000 questions-1 10")
          && $0.hasSuffix("ms request: waiting for the first byte")
      }, "\(lines)")
    #expect(!lines[path...].contains { $0.hasSuffix("work") }, "\(lines)")
    // The path of an operation that waited for the request.
    #expect(
      try fixture.output(of: "blame delay-1").map(words).suffix(2).map {
        $0.split(separator: " ")[1]
      }
        == ["questions-1", "delay-1"])
    let objects = try Opsh.run(
      "set clock virtual; server latency 100ms; fetch questions; wait; blame --json"
    ).output.split(separator: "\n").filter { $0.contains(#""part":""#) }
    func causes(_ part: String) -> Set<Substring> {
      Set(
        objects.filter { $0.contains(#""part":"\#(part)""#) }
          .compactMap { $0.firstMatch(of: /"cause":"([a-z-]+)"/)?.1 })
    }
    #expect(causes("path").contains("first-byte") && causes("path") == causes("sum"))
  }

  @Test("A request that waits because as many as possible are under way has a cause of its own")
  func othersUnderWay() throws {
    let fixture = try ShellFixture(
      """
      queue width unlimited; server latency 500ms
      get '/2.3/info?site=stackoverflow' --count 40; wait
      """)
    #expect(
      try fixture.output(of: "blame").map(words).contains {
        $0.hasPrefix("request: others under way")
      })
    let waited = fixture.session.jobs.operations.all.compactMap(\.networkMetrics?.timings?.waited)
    #expect(waited.count == 40 && waited.contains { $0 > .zero } && waited.contains(.zero))
  }

  @Test("A request that was cancelled before the transport had a place for it only waited")
  func cancelledUnderWay() throws {
    let fixture = try ShellFixture(
      """
      queue width unlimited; server latency 600s
      get '/2.3/info?site=stackoverflow' --count 17
      """)
    // The threads that start them may hand them over in any order.
    var queued: ObservableOperation? {
      fixture.session.jobs.operations.all.first { $0.networkMetrics?.requestPhase == .queued }
    }
    #expect(eventually { queued != nil })
    let waiting = try #require(queued)
    let name = waiting.displayName
    func expectWait(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
      let lines = try fixture.output(of: "blame \(name)").map(words)
      #expect(
        lines.contains { $0.hasPrefix("request: others under way") }
          && !lines.contains { $0.hasPrefix("request: waiting for the first byte") }, "\(lines)",
        sourceLocation: sourceLocation)
    }
    try expectWait()
    // Alone: the end of another one would give it a place.
    _ = try fixture.output(of: "cancel \(name); wait \(name) --any-outcome")
    try expectWait()
    #expect(eventually { waiting.networkMetrics?.isTransferring == false })
    try expectWait()
    try fixture.run("cancel all; wait --any-outcome")
  }

  @Test("An operation that was cancelled in a full queue does not owe the wait to itself")
  func cancelled() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 2s --name first
      delay 2s --name second
      delay 1s --name waits
      delay 10ms --name after
      sleep 3s
      cancel waits
      wait --any-outcome
      """)
    let lines = try fixture.output(of: "blame waits").map(words)
    #expect(lines.contains { $0.hasPrefix("queue full") && $0.hasSuffix("second") }, "\(lines)")
    #expect(!lines.contains { $0.hasSuffix("waits") }, "\(lines)")
  }

  @Test("The times of several are added up, the longest first")
  func several() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue width 1; delay 10ms --count 4; queue new side; "
        + "delay 5ms --queue side --name aside; wait")
    let all = try fixture.output(of: "blame").map(words)
    #expect(all.first == "5 operations: 105 ms of their lives in 40 ms")
    let owed = "delay-3 30 ms, delay-2 20 ms, delay-1 10 ms"
    #expect(all.contains("queue full 60 ms 57% ███████████ 3 \(owed)"), "\(all)")
    let side = try fixture.output(of: "blame queue side").map(words)
    #expect(side.first == "aside: 5 ms from being added to its end")
  }

  @Test("The pause that a server asked for is caused by the request whose answer asked for it")
  func askedByAnother() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      server fault status-429 100%
      fetch questions --name first --retry 1
      sleep 100ms
      server fault off
      fetch questions --name second
      wait --any-outcome
      """)
    let session = fixture.session
    let history = LifeAccount(of: session.jobs.engine.log, until: session.run.clock.now)
    let first = try #require(session.jobs.operations.operation(named: "first"))
    let pauses = session.jobs.operations.all.flatMap { history.spans(of: $0.id) }
      .filter { $0.cause == .hostPause }
    #expect(!pauses.isEmpty)
    #expect(pauses.allSatisfy { $0.culprit == first.id })
    let lines = try fixture.output(of: "blame second").map(words)
    #expect(
      lines.contains { $0.hasPrefix("pause that a server asked for") && $0.hasSuffix("first") })
  }

  @Test("A continuing wait is shown up to now; a held operation has no time yet")
  func unfinished() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue pause; delay 1ms --name d; delay 1ms --name h --hold; sleep 50ms")
    #expect(
      try fixture.output(of: "blame d").map(words).prefix(3) == [
        "d: 50 ms from being added up to now", "went to time share owed to",
        "queue paused 50 ms 100% ████████████████████",
      ])
    #expect(try fixture.output(of: "blame h") == ["not on a queue yet, so no time has passed"])
    #expect(try ShellFixture().output(of: "blame") == ["no operations yet"])
  }

  @Test("Operations that wait for one another have a path that ends")
  func cycle() throws {
    let fixture = try ShellFixture(
      """
      block --name one { sleep 10ms; wait two }
      block --name two { sleep 10ms; wait one }
      delay 1ms --name three --after one
      sleep 50ms
      """)
    #expect(try !fixture.output(of: "blame three").isEmpty)
    try fixture.run("cancel all")
  }

  @Test("Ten thousand operations are reported in bounded time")
  func many() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue width 4; delay 1ms --count 10000; wait")
    let lines = try fixture.output(of: "blame").map(words)
    #expect(lines.first?.hasPrefix("10,000 operations: ") == true)
    // The steps of the path in the middle are left out.
    #expect(lines.contains { $0.hasSuffix("more steps") } && lines.count < 50)
  }

  @Test("A table of 40 columns keeps causes and times", arguments: [40, 80, 120, 200])
  func widths(columns: Int) throws {
    var configuration = SessionConfiguration()
    configuration.width = { columns }
    let fixture = try ShellFixture(
      "set clock virtual; queue width 1; delay 10ms --count 12 --name a-rather-long-name; wait",
      configuration)
    for command in ["blame", "stats", "timeline", "timeline --phases"] {
      let lines = try fixture.shown(by: command)
      #expect(
        lines.allSatisfy { $0.count <= columns }, "\(command):\n\(lines.joined(separator: "\n"))")
    }
    let blame = try fixture.shown(by: "blame").map(words)
    #expect(blame.contains { $0.hasPrefix("queue full 660 ms") })
  }

  // MARK: The timeline

  @Test("A timeline of phases has a sign for each cause, and names those that occur")
  func phases() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 10ms --name a
      delay 10ms --name b
      delay 10ms --name c --after b --delay 5ms
      queue pause
      sleep 15ms
      queue resume
      wait
      """)
    let lines = try fixture.output(of: "timeline --phases")
    let bars = lines[1...3].map { $0.split(separator: " ")[1] }
    #expect(Set(bars[0]) == ["█"])
    #expect(Set(bars[1]) == ["p", "█"])
    #expect(bars[2].first == "·" && bars[2].last == "█")
    let legend = lines[4...].joined(separator: "  ")
    #expect(legend.contains("p queue paused") && legend.contains("· dependency not finished"))
    #expect(!legend.contains("barrier"))
  }

  @Test(
    "The legend of a timeline of phases names no sign that no bar has",
    arguments: [
      ("group g { delay 1s --name m }", ["▁ members of the group", "█ work"]),
      ("queue pause; delay 1s; queue resume", ["█ work"]),
    ])
  func legend(_ script: String, _ expected: [String]) throws {
    let fixture = try ShellFixture("set clock virtual; \(script); wait")
    let lines = try fixture.output(of: "timeline --phases")
    #expect(Set((lines.last ?? "").components(separatedBy: "  ")) == Set(expected), "\(lines)")
    let folder = try ScratchFolder()
    try fixture.run("export '\(folder.path)/a.svg'")
    let picture = try #require(folder.read("a.svg"))
    #expect(picture.contains(">work</text>"))
    #expect(!picture.contains("group not begun") && !picture.contains("queue paused"))
  }

  @Test("A folded timeline shortens the times in which nothing executed")
  func folded() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 10ms --name a
      sleep 10s
      delay 10ms --name b
      wait
      """)
    let plain = try fixture.output(of: "timeline")
    let folded = try fixture.output(of: "timeline --fold")
    // Of ten seconds, ten milliseconds are a column; folded, they are half of the bar.
    #expect(plain[2].filter { $0 == "█" }.count == 1)
    #expect(folded[1].filter { $0 == "█" }.count > 20)
    #expect(folded[2].filter { $0 == "█" }.count > 20)
    #expect(folded.last?.hasSuffix("╌ 9.99 s folded") == true, "\(folded)")
  }

  // MARK: Statistics

  @Test("Statistics have quantiles, a rate, and the traffic of requests")
  func statistics() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue width unlimited; for t in 1ms 2ms 3ms 4ms 100ms "
        + "{ delay $t --count 20 }; wait")
    let lines = try fixture.output(of: "stats").map(words)
    #expect(lines[0].hasSuffix("unfinished rate"))
    #expect(lines[1] == "network 100 100 0 0 0 0 1,000/s")
    #expect(lines[4].hasPrefix("ran 3 ms 100 ms 100 ms 100 ms"))
    try fixture.run("server latency 5ms; fetch questions --count 2; wait")
    let kinds = try fixture.output(of: "stats --by kind").map(words)
    #expect(kinds[0].hasSuffix("rate bytes retries"))
    #expect(kinds.contains { $0.hasPrefix("delay 100 100") })
    #expect(kinds.contains { $0.hasPrefix("fetch questions 2 2") && $0.contains("kB") })
  }

  @Test("The critical path goes on from the first member of a group to what the group waited for")
  func pathThroughGroup() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 20ms --name first
      group g --after first { delay 10ms --name m; delay 5ms --name n --after m }
      wait
      """)
    let lines = try fixture.output(of: "blame")
    let path = try #require(lines.firstIndex { $0 == "critical path: 35 ms" })
    let steps = lines[(path + 2)...].map {
      $0.split(separator: " ").prefix(2).joined(separator: " ")
    }
    #expect(steps == ["0.000 first", "0.020 m", "0.030 n"], "\(lines)")
  }

  @Test("The critical path leads to the operation that ended last, not to one that waits")
  func lastEnded() throws {
    let outcome = try Opsh.run(
      """
      set clock virtual
      delay 50ms --name done; queue new q; queue pause q; delay 1s --name stuck --queue q
      sleep 100ms; blame --json; echo alone; blame stuck --json
      queue resume q; cancel stuck; wait --any-outcome
      """)
    let parts = outcome.output.split(separator: "alone\n").map { part in
      part.split(separator: "\n").filter { $0.contains(#""part":"path""#) }
    }
    try #require(parts.count == 2)
    #expect(!parts[0].isEmpty && parts[0].allSatisfy { $0.contains(#"{"id":1,"name":"done"}"#) })
    #expect(!parts[1].isEmpty && parts[1].allSatisfy { $0.contains(#"{"id":2,"name":"stuck"}"#) })
  }

  @Test("What became ready while it got its slot owes nothing to the operation that started later")
  func handover() throws {
    let script =
      "set clock virtual; delay 3s --name q; delay 9s --name a --after q; "
      + "delay 5s --name py; delay 30s --name up; "
    for (rest, command) in [("sleep 19s", "blame"), ("sleep 11s", "blame a"), ("wait", "blame a")] {
      let lines = try ShellFixture(script + rest).output(of: command).map(words)
      let path = lines.drop { !$0.hasPrefix("at operation") }.dropFirst()
      let length = rest == "sleep 11s" ? 8 : 9
      #expect(path == ["0.000 q 3 s work", "3.000 a \(length) s work"], "\(rest): \(lines)")
      #expect(!lines.contains { $0.contains("up 0 s") }, "\(lines)")
    }
  }

  @Test("A wait in a queue that is full up to now is owed to an operation with a slot")
  func fullUpToNow() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue width 1; delay 1s --name a; delay 9s --name b; delay 1s --name c; "
        + "sleep 3s")
    let lines = try fixture.output(of: "blame c").map(words)
    #expect(lines.contains { $0.hasPrefix("queue full 3 s 100%") && $0.hasSuffix(" b") })
    #expect(lines.suffix(2) == ["0.000 a 1 s work", "1.000 b 2 s work"], "\(lines)")
  }

  @Test("Each pause that a server asked for is shown as one, whatever its random length")
  func serverPauses() throws {
    for seed in 1...5 {
      let fixture = try ShellFixture(
        """
        set clock virtual; set seed \(seed); server fault status-503 --duration 1s
        fetch questions --name q --retry 3 --backoff 1s
        get /2.3/info --name r --retry 3 --backoff 1s
        wait --any-outcome
        """)
      let session = fixture.session
      let requested = session.jobs.engine.log.changes(from: 0, limit: .max).changes.count {
        if case .hostPause = $0.event { true } else { false }
      }
      #expect(requested == 8, "once for each answer")
      let history = LifeAccount(of: session.jobs.engine.log, until: session.run.clock.now)
      for operation in session.jobs.operations.all {
        let pauses = history.spans(of: operation.id).filter {
          [.backoff, .hostPause].contains($0.cause)
        }
        #expect(pauses.count == 3)
        #expect(pauses.allSatisfy { $0.cause == .hostPause && $0.culprit == operation.id })
      }
    }
  }

  @Test("An operation has the name that it was given last")
  func renamed() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue pause; delay 3s --name b; sleep 1s; name b c; sleep 1s")
    let lines = try fixture.output(of: "blame c").map(words)
    #expect(lines.first == "c: 2 s from being added up to now")
    #expect(lines.last == "0.000 c 2 s queue paused")
    #expect(
      try fixture.output(of: "blame c --json").last?.contains(#"{"id":1,"name":"c"}"#) == true)
  }

  @Test("An operation that is held is named")
  func held() throws {
    let outcome = try Opsh.run(
      """
      delay 5ms --name held --hold; delay 5ms --name c --after held; sleep 5ms
      blame --json; blame; cancel held; start held; wait --any-outcome
      """)
    #expect(outcome.output.contains(#""culprits":[{"id":1,"name":"held"}]"#))
    #expect(outcome.output.contains(/dependency not finished .* held\n/))
  }
}
