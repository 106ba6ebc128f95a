import Foundation
import OpshNetworking
import Operations
import PracticeServer
import ShellLanguage
import TestSupport
import Testing

@testable import ShellOutput
@testable import ShellSession

@Suite("Sessions on the virtual clock", .timeLimit(.minutes(15)))
struct VirtualTimeTests {
  private func fixture(_ script: String = "") throws -> ShellFixture {
    try ShellFixture("set clock virtual\n" + script)
  }

  private func elapsed(_ fixture: ShellFixture) -> Double {
    fixture.session.run.clock.elapsed(fixture.session.run.clock.now)
  }

  @Test(
    "Waits return at once and advance the virtual time",
    arguments: [
      ("delay 10m; wait", 600.0),
      ("sleep 1h", 3600),
      ("delay 1m --count 4; wait", 120),
      ("queue new slow --width 4; queue pace slow 30s; delay 1s --count 3 --queue slow; wait", 61),
      ("delay 1s --delay 5m; wait", 301),
      ("delay 1h --timeout 5m; wait --any-outcome", 300),
      ("delay 1h; try { wait --timeout 20m } catch e { expect ($e.code == timed-out) }", 1200),
      ("delay 1h; try { expect (delay-1.state == finished) within 7m } catch e { }", 420),
      ("delay 1h; expect (delay-1.state == finished) within 2h", 3600),
      ("block { sleep 10m }; wait", 600),
      ("block --retry 3 --backoff 1m --jitter 0% { fail no }; wait --any-outcome", 180),
      ("server latency 30s; fetch questions; wait", 30),
      ("server fault latency --duration 40s; fetch quotes; wait", 40),
      (
        "server fail 100%; fetch answers --retry 2 --backoff 1m --jitter 0%; wait --any-outcome",
        120
      ),
      ("server fault stall; fetch questions --timeout 8m; wait --any-outcome", 60),
      ("server bandwidth 1kB; get '/2.3/questions?site=stackoverflow' ; wait", 3),
      ("time delay 5m", 300),
      ("server log --follow --for 3m", 180),
      ("delay 90s --name feed --essential; app background --grace 1m; wait --any-outcome", 60),
    ])
  func takesItsTime(script: String, seconds: Double) throws {
    let fixture = try fixture(script)
    #expect(elapsed(fixture) >= seconds, "\(script)")
    #expect(elapsed(fixture) < seconds + 3, "\(script)")
  }

  @Test("'why' of a request in a pause says that its time limit comes before the request")
  func limitBeforeRequest() throws {
    let fixture = try fixture(
      "server fault backoff; fetch questions; wait; fetch questions --timeout 2s; sleep 1s")
    let reasons = WhyReason.reasons(
      of: try fixture.operation("questions-2"), in: fixture.session.jobs)
    #expect(reasons.map(\.text).first?.contains("the time limit ends it in 1 s") == true)
    try fixture.run("fetch questions --timeout 1h; sleep 1s")
    let others = WhyReason.reasons(
      of: try fixture.operation("questions-3"), in: fixture.session.jobs)
    #expect(others.map(\.text).first?.contains("the request follows in 8 s") == true)
  }

  @Test("The clock can't be virtual while there is a queue of Foundation")
  func foundationQueue() throws {
    let fixture = try ShellFixture("queue new raw --engine foundation")
    let error = try fixture.error(of: "set clock virtual")
    #expect(error.code == "not-virtual" && error.help == "'queue remove raw' comes before it")
    try fixture.run("queue remove raw; set clock virtual; delay 1h; wait")
  }

  @Test("What is set up has the time at which it was, and a virtual clock begins after it")
  func setup() throws {
    func times(_ fixture: ShellFixture) -> [Duration] {
      fixture.session.jobs.engine.log.changes(from: 0, limit: .max).changes.map {
        $0.time - fixture.session.jobs.engine.startInstant
      }
    }
    let real = try ShellFixture("sleep 30ms; queue width network 1")
    #expect(try #require(times(real).last) >= .milliseconds(30))
    let virtual = try ShellFixture("sleep 30ms; queue width network 1; set clock virtual")
    #expect(times(virtual).allSatisfy { $0 == .zero })
  }

  @Test("What is due exactly at the end of a wait happens before it ends")
  func dueAtTheEnd() throws {
    let fixture = try fixture(
      """
      delay 0s --name a; sleep 0s; expect (a.state == finished)
      delay 0s --name b; expect (b.state == finished) within 0s
      delay 0s --name c; wait c --timeout 0s
      delay 1m --name d; expect (d.state == finished) within 1m
      delay 1s --count 50 --queue main; delay 1m --count 50 --name e; queue width unlimited
      sleep 1m; expect (e-50.state == finished)
      delay 1s --name p; delay 0s --name q --after p; delay 0s --name r --after q
      wait r --timeout 1s
      queue new paced; queue pace paced 1s; delay 0s --count 2 --name t --queue paced
      sleep 1s; expect (t-2.state == finished)
      block --name body { delay 0s --name f; sleep 0s; expect (f.state == finished) }
      wait
      """)
    let handled = try fixture.shown(
      by: "on queue network empty { echo empty }; delay 0s; sleep 0s")
    #expect(handled == ["empty"])
    #expect(elapsed(fixture) < 240)
  }

  @Test("A wait of no time ends although handlers make more work")
  func endlessWork() throws {
    let fixture = try fixture()
    let output = try fixture.output(
      of: "def again { delay 0s --name d; on d finished { again } }; again; sleep 0s; echo over")
    #expect(output == ["over"])
    try fixture.run("events off; unobserve all; cancel all; wait --any-outcome")
  }

  @Test("A body that waits for another body continues after a failed wait in that one")
  func chainOfWaits() throws {
    let fixture = try fixture(
      """
      queue width network unlimited
      block --name first { wait second --any-outcome }
      block --name second { wait nap }
      delay 10s --timeout 1s --name nap
      delay 1h --name other
      wait first --any-outcome
      """)
    #expect(try fixture.operation("first").outcome == .succeeded)
    #expect(elapsed(fixture) < 2)
  }

  @Test("Simultaneous events have the same time and a fixed order")
  func numbers() throws {
    let fixture = try fixture(
      """
      queue new q --width 1
      delay 6s --queue q --name a
      delay 2s --queue q --name b
      delay 1s --queue q --count 200
      wait
      expect (a.created == 0)
      expect (a.finished == 6)
      expect (b.started == 6)
      expect (b.duration == 2)
      expect (b.wait == 6)
      expect (delay-200.finished == 208)
      expect (a.finished before b.started)
      expect (not (b.started before a.finished))
      expect (b.started after a.finished)
      expect ((count of ops where started after a.finished) == 201)
      """)
    // One number stands for both, so that neither compares as earlier or later.
    try fixture.run(
      """
      let t = (b.started)
      expect (not (a.finished after $t) and not (a.finished before $t))
      expect (not (a.finished after 6) and not (6 before b.started))
      expect (a.finished before 7 and b.started after 5.5)
      """)
    // It was added and ready before the others.
    let sorted = try fixture.run("ops 'delay-*' --sort -ready")
    #expect(sorted.property("first")?.text == "delay-200")
    #expect(sorted.property("last")?.text == "delay-1")
  }

  @Test("Under --test the limit of the run is real time")
  func limitsRealTime() throws {
    var configuration = SessionConfiguration()
    configuration.timeout = .seconds(60)
    configuration.limitsOnlyRealTime = true
    let fixture = try ShellFixture("set clock virtual; sleep 10h; delay 1h; wait", configuration)
    #expect(elapsed(fixture) >= 39_600)
  }

  @Test("Between statements no time passes and nothing else runs")
  func standsStill() throws {
    let fixture = try fixture("delay 0s; block { echo never }")
    let before = fixture.session.run.clock.now
    try fixture.run("let n = 0; while ($n < 1000) { let n = ($n + 1) }")
    #expect(fixture.session.run.clock.now == before)
    #expect(try fixture.operation("delay-1").state == .executing)
    try fixture.run("wait")
    #expect(try fixture.operation("delay-1").state == .finished)
  }

  @Test("Bodies alternate with the script and with each other")
  func turns() throws {
    let folder = try ScratchFolder()
    let file = "'\(folder.path)/text'"
    try fixture(
      """
      block { echo a >> \(file); sleep 5m; echo d >> \(file) }
      block { sleep 1m; echo c >> \(file); wait block-1; echo e >> \(file) }
      sleep 30s
      echo b >> \(file)
      wait
      echo f >> \(file)
      """
    ).session.jobs.eventHandlers.removeAll()
    #expect(folder.read("text") == "a\nb\nc\nd\ne\nf\n")
  }

  @Test("A deadlocked wait fails, and a deadlocked script ends")
  func stuck() throws {
    let fixture = try fixture("queue pause; delay 1s")
    #expect(try fixture.error(of: "wait").code == "never-ends")
    #expect(try fixture.session.run.settle().count == 1)
    let other = try self.fixture(
      "queue new b; queue pause b; delay 1s --queue b; block { wait delay-1 }")
    #expect(try other.error(of: "wait block-1").message.contains("can never end"))
  }

  @Test("Handlers run as events happen, and may advance the time themselves")
  func handlers() throws {
    let fixture = try fixture(
      """
      let seen = ''
      delay 1m; delay 2m
      on delay-1 finished { sleep 30s; delay 1m --name third }
      wait
      """)
    #expect(elapsed(fixture) >= 150)
    #expect(try fixture.operation("third").state == .finished)
  }

  @Test(
    "What the virtual clock does not support is an error with its place and reason",
    arguments: [
      ("run ls", "ls"), ("get http://example.com/", "http://example.com/"),
      ("download http://example.com/a /tmp/a", "http://example.com/a"),
      ("endpoint live", "live"), ("endpoint http://127.0.0.1:9", "http://127.0.0.1:9"),
      ("fetch questions --blocking", "--blocking"), ("server start", "server start"),
    ])
  func refused(script: String, place: String) throws {
    let fixture = try fixture()
    let error = try fixture.error(of: script)
    #expect(error.code == "not-virtual")
    #expect(error.source.text(in: error.range) == place)
    #expect(fixture.session.jobs.operations.count == 0)
  }

  @Test("A redirect to another host is an error")
  func redirectElsewhere() throws {
    let fixture = try fixture(
      "server fault redirect-elsewhere; fetch questions; wait --any-outcome")
    #expect(try fixture.operation("questions-1").state == .finished)
    #expect(fixture.session.outside.network.server.statistics.requests == 2)
  }

  @Test("Switching the clock is an error after operations have used it")
  func choosing() throws {
    let fixture = try ShellFixture("delay 10m")
    let error = try fixture.error(of: "set clock virtual")
    #expect(error.code == "clock-in-use")
    #expect(error.source.text(in: error.range) == "virtual")
    #expect(error.help != nil)
    try fixture.run("cancel all; wait --any-outcome; set clock virtual; delay 10m; wait")
    #expect(try fixture.error(of: "set clock real").code == "clock-ahead")
    let early = try ShellFixture(
      "set clock virtual; set clock real; delay 1ms; wait; fetch tweets sea")
    #expect(!early.session.run.mode.isRepeatable)
  }

  @Test("A body, and a session whose server listens, can't switch the clock")
  func notByBodies() throws {
    let fixture = try ShellFixture("block { set clock virtual }; wait --any-outcome")
    let failure = try fixture.operation("block-1").outcome?.failure
    #expect(failure?.message.contains("by a body") == true)
    let serving = try ShellFixture("server start")
    #expect(try serving.error(of: "set clock virtual").code == "clock-in-use")
    let live = try ShellFixture("endpoint live")
    #expect(try live.error(of: "set clock virtual").code == "not-virtual")
  }

  @Test("The clock and the seed are shown, listed and completed")
  func shown() throws {
    let fixture = try ShellFixture()
    #expect(try fixture.output(of: "set clock") == ["real"])
    #expect(try fixture.output(of: "set seed") == ["none"])
    try fixture.run("set clock virtual")
    #expect(try fixture.output(of: "set clock") == ["virtual"])
    #expect(try fixture.output(of: "set seed") == ["1"])
    try fixture.run("set seed 12")
    #expect(try fixture.output(of: "set seed") == ["12"])
    #expect(fixture.session.outside.network.server.seed == 12)
    let list = try fixture.output(of: "set").joined(separator: "\n")
    #expect(list.contains("clock") && list.contains("seed"))
  }

  @Test("Dates are those of the virtual clock")
  func dates() throws {
    let fixture = try fixture("sleep 10m")
    let clock = fixture.session.run.clock
    #expect(clock.timestamp(clock.now).hasPrefix("2024-06-01T00:10:00"))
    #expect(Int(clock.date.timeIntervalSince1970) == 1_717_200_600)
    try fixture.run("get '/2.3/info?site=stackoverflow'; wait")
    let text = try fixture.output(of: "result get-1").joined(separator: "\n")
    #expect(!text.contains("20\(Calendar.current.component(.year, from: Date()) % 100)-"))
  }

  @Test("Stored data of other sessions is neither read nor written")
  func store() throws {
    let folder = try ScratchFolder()
    var configuration = SessionConfiguration()
    configuration.dataDirectory = folder.path
    let real = try ShellFixture("tags add swift", configuration)
    #expect(try real.session.outside.tagStore.list().count == 1)
    let fixture = try ShellFixture("set clock virtual; tags add one two", configuration)
    #expect(try fixture.session.outside.tagStore.list().map(\.text) == ["one", "two"])
    #expect(try real.session.outside.tagStore.list().map(\.text) == ["swift"])
  }

  @Test(
    "When --timeout ends an endless computation, the error names the reason and place",
    arguments: [
      "let n = 0; ‸while ($n < 1) { }", "def f { ‸while (true) { } }; f",
      "delay 1ms --name a; on a finished { ‸while (true) { } }; wait",
      "block --name b { while (true) { } }; ‸wait", "block --name b { while (true) { } }; ‸wait b",
    ])
  func busy(_ marked: String) throws {
    let script = "set clock virtual; " + marked
    let mark = try #require(script.firstIndex(of: "‸"))
    let column = script.distance(from: script.startIndex, to: mark) + 1
    let outcome = try Opsh.run(
      script.filter { $0 != "‸" }, options: ["--events", "off", "--timeout", "3s"])
    #expect(outcome.status == 124)
    #expect(outcome.errors.contains("3s of real time"), "\(outcome.errors)")
    #expect(outcome.errors.contains("help: it stands still"), "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("-c:1:\(column): error: "), "\(outcome.errors)")
    let waiting = try Opsh.run(
      "set clock virtual; delay 1h; wait", options: ["--events", "off", "--timeout", "20s"])
    #expect(waiting.status == 124)
    #expect(!waiting.errors.contains("real time"), "\(waiting.errors)")
  }

  @Test(
    "A cancelled operation that its queue starts ends in the same statement",
    arguments: [
      "queue pause; delay 3s --name low; delay 1s --name x --after low; queue step; cancel x; "
        + "queue resume",
      "queue pause; delay 1s --name x; cancel x; queue step",
      "queue width 0; delay 1s --name x; cancel x; queue width 1",
      "queue width 1; delay 1s; block --name x { let y = 1 }; cancel x; cancel delay-1",
      "delay 1s --name y; delay 1s --name x --after y --hold; cancel x; start x",
    ])
  func settles(_ script: String) throws {
    let fixture = try ShellFixture("set clock virtual; \(script)")
    #expect(try fixture.operation("x").outcome == .cancelled)
  }
}
