import Foundation
import Operations
import OpshSupport
import PracticeServer
import ShellLanguage
import ShellOutput
import TestSupport
import Testing

@testable import ShellCommands
@testable import ShellSession

@Suite("Sessions in slow motion", .timeLimit(.minutes(10)))
struct SpeedTests {
  @Test(
    "A speed is read as a fraction, a number or a percentage, and shown as it would be set",
    arguments: [
      ("1/10", "1/10"), ("0.1", "1/10"), ("10%", "1/10"), ("1", "1"), ("100%", "1"),
      ("2/3", "66.66666666666666%"), ("0.3", "30%"), ("1/1000", "1/1000"), ("5/20", "1/4"),
    ])
  func words(typed: String, shown: String) throws {
    #expect(try SessionSpeed(typed).text == shown)
    let part = try SessionSpeed(typed).part
    #expect(try abs(SessionSpeed(shown).part - part) < 1e-12)
  }

  @Test(
    "A speed that is not possible is refused",
    arguments: ["2", "200%", "0", "1/2000", "-1", "1/0", "fast", "", "1e-2", "1/2/3", "nan", "%"])
  func refused(typed: String) {
    #expect(throws: UnplacedError.self) { try SessionSpeed(typed) }
  }

  @Test("Times of the session are stretched, and shown as if they were not")
  func stretched() throws {
    let fixture = try ShellFixture("set speed 1/10")
    let start = ContinuousClock.now
    try fixture.run(
      """
      delay 20ms; wait
      sleep 10ms
      server latency 10ms; fetch questions --pagesize 1; wait
      delay 1m --name limited --timeout 10ms; delay 1ms --name later --delay 10ms
      wait --any-outcome
      """)
    let real = ContinuousClock.now - start
    #expect(real >= .milliseconds(500))
    #expect(fixture.session.run.clock.elapsed(fixture.session.run.clock.now) < real.seconds / 2)
    for (name, least) in [("delay-1", 20.0), ("questions-1", 10), ("limited", 10), ("later", 1)] {
      let time = try milliseconds(of: name, in: fixture)
      #expect(time >= least && time <= real / .milliseconds(5), "\(name): \(time)")
    }
    #expect(try fixture.operation("limited").outcome?.name == "failed")
    let served = try #require(fixture.session.outside.network.server.records().records.last)
    #expect(served.milliseconds >= 10 && served.milliseconds <= real / .milliseconds(5))
  }

  @Test("'within' counts the time of the session, and 'set speed 1' continues at full speed")
  func within() throws {
    let fixture = try ShellFixture("set speed 1/20; delay 1m --name long")
    let start = ContinuousClock.now
    try fixture.run(
      "try { expect (long.state == finished) within 10ms } catch e { let code = $e.code }")
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    // At 1/1000 it would take a minute.
    try fixture.run(
      "set speed 1/1000; delay 60ms --name short; block --name b { sleep 50ms }; set speed 1")
    try fixture.run("wait short b; cancel long; wait --any-outcome")
    #expect(try milliseconds(of: "short", in: fixture) >= 60)
    #expect(try milliseconds(of: "b", in: fixture) >= 50)
  }

  @Test("A queue of Foundation's is stretched, too")
  func foundation() throws {
    let outcome = try Opsh.run(
      "set speed 1/10; queue new raw --width 1 --engine foundation; time { "
        + "delay 20ms --queue raw --name a; block --queue raw --name b { sleep 10ms }; wait }; "
        + "(a.duration >= 20ms and a.duration < 5s); (b.duration >= 10ms and b.duration < 5s)",
      options: ["--events", "off"])
    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.status == 0 && lines.suffix(2) == ["true", "true"], "\(outcome)")
  }

  @Test("With '--json' 'elapsed' is the session's and 'time' true; '--timeout' of the run is real")
  func trueTime() throws {
    let start = ContinuousClock.now
    let outcome = try Opsh.run(
      "set speed 1/20; delay 20ms; wait; delay 1h; wait", options: ["--json", "--timeout", "1s"])
    #expect(outcome.status == 124 && ContinuousClock.now - start < .seconds(20), "\(outcome)")
    let lines = outcome.output.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    let ofDelay = lines.filter {
      $0["type"] as? String == "transition"
        && ($0["operation"] as? [String: Any])?["id"] as? Int == 1
    }
    let (begun, ended) = (ofDelay.first, ofDelay.last)
    #expect(begun?["to"] as? String == "pending" && ended?["to"] as? String == "finished")
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions.insert(.withFractionalSeconds)
    let dates = try [begun, ended].map {
      let text = try #require($0?["time"] as? String)
      return try #require(formatter.date(from: text))
    }
    let elapsed = try [begun, ended].map { try #require($0?["elapsed"] as? Double) }
    let passed = elapsed[1] - elapsed[0]
    #expect(passed >= 0.019 && passed < 0.3)
    #expect(dates[1].timeIntervalSince(dates[0]) >= 0.39)
  }

  @Test("The virtual clock has no speed, and a slow one can't become virtual")
  func virtual() throws {
    let fixture = try ShellFixture("set clock virtual")
    #expect(try fixture.output(of: "set speed") == ["1"])
    #expect(throws: Diagnostic.self) { try fixture.run("set speed 1/2") }
    let slow = try ShellFixture("set speed 1/2")
    #expect(throws: Diagnostic.self) { try slow.run("set clock virtual") }
    try slow.run("sleep 5ms; delay 1ms; wait; set speed 1; set clock virtual; delay 1h; wait")
    #expect(try milliseconds(of: "delay-2", in: slow) > 3_599_999)
  }

  private func milliseconds(of name: String, in fixture: ShellFixture) throws -> Double {
    let times = try fixture.operation(name).timestamps
    let (start, end) = (try #require(times.executing), try #require(times.finished))
    return (end - start) / .milliseconds(1)
  }
}
