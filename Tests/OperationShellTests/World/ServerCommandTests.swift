import Foundation
import Operations
import PracticeServer
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession
@testable import SteerCommands

@Suite("Commands of the practice server", .timeLimit(.minutes(15)))
struct ServerCommandTests {
  private func faults(_ fixture: ShellFixture) -> [String] {
    fixture.session.outside.network.server.faults.named.map(\.description)
  }

  // MARK: server fault

  @Test(
    "A fault is set with its probability, routes and parameters",
    arguments: [
      ("server fault stall", ["stall"]),
      ("server fault stall 20%", ["stall for 20%"]),
      ("server fault stall 20 > /dev/null", ["stall for 20%"]),
      (
        "server fault latency 5% --duration 1s --spread 200ms",
        ["latency 1 s ± 200 ms for 5%"]
      ),
      ("server fault status-404 --route /search.json", ["status-404 for /search.json"]),
      (
        "server fault reset --route /search.json,'POST /1/classes/*'",
        ["reset for /search.json", "reset for POST /1/classes/*"]
      ),
      ("server fault huge-body --size 3MB", ["huge-body 3000000"]),
      ("server fault stall 20%; server fault stall 30%", ["stall for 30%"]),
      (
        "server fault stall 20% --route /1*; server fault stall",
        ["stall for 20% of /1*", "stall"]
      ),
      ("server fault stall; server fault stall 0%", []),
      ("server fault stall; server fault off", []),
      ("server fault stall; server fault reset; server fault off stall", ["reset"]),
      (
        "server fault stall --route /a,/b; server fault off stall --route /a", ["stall for /b"]
      ),
      (
        "server fault stall --route /a; server fault reset; server fault off --route '*'",
        ["stall for /a"]
      ),
      ("server fault stall; server reset", []),
    ])
  func set(_ script: String, _ expected: [String]) throws {
    let fixture = try ShellFixture(script)
    #expect(faults(fixture) == expected)
  }

  @Test("'server fault off' removes faults and nothing else")
  func offAll() throws {
    let fixture = try ShellFixture(
      "server seed 9; server latency 1ms; server fail 5%; server drop 5%; server bandwidth 1MB; "
        + "server fault off")
    let server = fixture.session.outside.network.server
    #expect(server.faults == Faults())
    #expect(server.seed == 9)
  }

  /// A wrong fault, the text that the error marks, its code, and words of the help.
  @Test(
    "A wrong fault is an error at the word, with help",
    arguments: [
      ("server fault latncy", "latncy", "unknown-choice", "did you mean 'latency'?"),
      ("server fault status-200", "status-200", "unknown-choice", "did you mean 'status-400'?"),
      ("server faults resett", "resett", "unknown-choice", "did you mean 'reset'?"),
      ("server fault reset 101%", "101%", "out-of-range", nil),
      ("server fault reset --route nowhere", "nowhere", "bad-route", "--route /search.json"),
      (
        "server fault reset --duration 1s", "1s", "bad-fault",
        "'reset' takes a share and a route only"
      ),
      (
        "server fault latency --size 3", "3", "bad-fault",
        "it takes --duration (how long; 200 ms), --spread (how much longer or shorter; none)"
      ),
      (
        "server fault status-503 --spread 3s", "3s", "bad-fault", "--duration (the Retry-After"
      ),
      ("server fault off reset", "reset", "not-set", "none is set"),
      ("server fault stall; server fault off reset", "reset", "not-set", "set are: stall"),
      ("server log --for 1s", "1s", "not-following", nil),
      ("server fualt stall", "fualt", "unknown-subcommand", "did you mean 'fault'?"),
    ] as [(String, String, String, String?)])
  func wrong(_ script: String, _ place: String, _ code: String, _ help: String?) throws {
    let fixture = try ShellFixture()
    let error = try fixture.error(of: script)
    #expect(error.code == code)
    #expect(error.source.text(in: error.range) == place)
    if let help { #expect(error.help?.contains(help) == true, "\(error.help ?? "no help")") }
  }

  @Test("A misspelt fault is found by the static check")
  func checked() throws {
    let outcome = try Opsh.run("echo x; server fault latncy 20%")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("help: write: server fault latency 20%\n"))
    #expect(!outcome.errors.contains("slow-drip"), "the error does not list all names")
  }

  @Test("A bare number is reported with its interpretation")
  func bareNumber() throws {
    let fixture = try ShellFixture()
    #expect(
      try fixture.output(of: "server fault stall 1")
        == ["stall for 1%; the client reports timed-out"])
    #expect(try fixture.output(of: "server fault stall 1%").isEmpty)
    #expect(try fixture.output(of: "server fault stall 0") == ["no stall any more"])
    #expect(try fixture.output(of: "server fail 1") == ["1% of requests fail with 503"])
  }

  @Test("A latency with a jitter is shown as it was set")
  func jitter() throws {
    let fixture = try ShellFixture("server latency 200ms --jitter 50ms")
    let faults = fixture.session.outside.network.server.faults
    #expect(faults.latency == .milliseconds(150))
    #expect(faults.jitter == .milliseconds(100))
    #expect(try fixture.output(of: "server").contains { $0.contains("latency 200 ms ± 50 ms") })
  }

  // MARK: server faults

  @Test("Every fault is listed with its error code and its effect")
  func listed() throws {
    let fixture = try ShellFixture("server fault stall 5%; server fault status-404 --route /x")
    let lines = try fixture.output(of: "server faults")
    for kind in Fault.Kind.all {
      let line = try #require(lines.first { $0.hasPrefix(kind.name + " ") }, "\(kind.name)")
      #expect(line.contains(kind.report))
      #expect(line.contains(kind.summary))
      #expect(line.hasPrefix("stall *") == (kind.name == "stall"))
    }
    #expect(lines.contains { $0.hasPrefix("status-404 *") })
    #expect(lines.contains("* stall for 5%, has not struck yet"))
    #expect(lines.contains("* status-404 for /x, has not struck yet"))
  }

  @Test("The description of a fault has its parameters and its count")
  func described() throws {
    let fixture = try ShellFixture(
      "server fault status-404; fetch questions; wait --any-outcome")
    let lines = try fixture.output(of: "server faults status-404")
    #expect(lines.first == "status-404")
    #expect(lines.contains { $0.contains("reported") && $0.contains("invalid-status-code(404)") })
    #expect(lines.contains { $0.contains("--duration") && $0.contains("Retry-After") })
    #expect(lines.contains { $0.contains("has struck once") })
    #expect(try fixture.output(of: "server faults reset").contains { $0.hasSuffix("no") })
  }

  @Test("A short form is listed as set, and is cleared by its name")
  func shortForms() throws {
    let fixture = try ShellFixture("server drop 100%; server bandwidth 1MB")
    #expect(try fixture.output(of: "server faults drop").contains { $0.hasSuffix("drop") })
    #expect(try fixture.output(of: "server faults").contains { $0.hasPrefix("drop *") })
    _ = try fixture.run("server fault drop 0%")
    #expect(try fixture.output(of: "server faults drop").contains { $0.hasSuffix("no") })
    _ = try fixture.run("server fault off bandwidth")
    #expect(try !fixture.output(of: "server faults").contains { $0.contains(" *") })
    let error = try fixture.error(of: "server fault fail --size 42")
    #expect(error.code == "bad-fault" && error.message.contains("200 to 599"))
  }

  @Test("The list is a value in scripts")
  func listValue() throws {
    let fixture = try ShellFixture("server fault stall; let f = server faults > /dev/null")
    let value = try fixture.run("server faults > /dev/null")
    guard case .list(let elements) = value else {
      Issue.record("no list: \(value.text)")
      return
    }
    #expect(elements.count == Fault.Kind.all.count)
    let active = elements.filter { $0.property("active")?.isTruthy == true }
    #expect(active.map { $0.property("name")?.text } == ["stall"])
  }

  @Test("The same seed affects the same requests, another seed others")
  func seeded() throws {
    func outcomes(seed: Int) throws -> String {
      let fixture = try ShellFixture(
        "server seed \(seed); server fault status-500 50%; "
          + "repeat 24 { fetch questions --pagesize 1 }; wait --any-outcome")
      return fixture.session.jobs.operations.all.map { $0.outcome == .succeeded ? "." : "x" }
        .joined()
    }
    // One at a time, because which of several equal requests is affected depends on their arrival.
    func ordered(seed: Int) throws -> String {
      let fixture = try ShellFixture(
        "queue width 1; server seed \(seed); server fault status-500 50%; "
          + "repeat 24 { fetch questions --pagesize 1 }; wait --any-outcome")
      return fixture.session.jobs.operations.all.map { $0.outcome == .succeeded ? "." : "x" }
        .joined()
    }
    let first = try ordered(seed: 3)
    #expect(first.contains(".") && first.contains("x"))
    #expect(try ordered(seed: 3) == first)
    #expect(try ordered(seed: 4) != first)
    let parallel = try outcomes(seed: 3)
    #expect(parallel.filter { $0 == "x" }.count == first.filter { $0 == "x" }.count)
  }

  // MARK: server log

  @Test("The log shows method, status, bytes, target and faults, and no secrets")
  func log() throws {
    let fixture = try ShellFixture(
      "let u = server start > /dev/null; server fault status-404 --route '/2.3/answers*'; "
        + "queue width 1; get \"$u/2.3/tags?site=stackoverflow&key=verysecret\"; "
        + "fetch answers; wait --any-outcome")
    let lines = try fixture.output(of: "server log")
    #expect(lines.count == 2)
    #expect(lines[0].contains("GET") && lines[0].contains("200"))
    #expect(lines[0].hasSuffix("/2.3/tags?site=stackoverflow&key=***"))
    #expect(lines[1].contains("404") && lines[1].hasSuffix("[status-404]"))
    #expect(!lines.joined().contains("verysecret"))
    #expect(try fixture.output(of: "server log --last 1").count == 1)
    #expect(try fixture.output(of: "server log --last 0").isEmpty)
    let value = try fixture.run("server log > /dev/null")
    #expect(value.property("count")?.text == "2")
    #expect(value.property("last")?.property("status")?.text == "404")
  }

  @Test(
    "A request is listed from its arrival on, then as cut by its client",
    arguments: ["", "set clock virtual; "])
  func heldAndCut(clock: String) throws {
    let fixture = try ShellFixture(
      clock + "server latency 20s; fetch questions --name q; fetch answers --name r; sleep 20ms")
    let server = fixture.session.outside.network.server
    #expect(try fixture.pump { server.lastRecord == 2 })
    let held = try fixture.output(of: "server log")
    #expect(held.count == 2)
    #expect(held.allSatisfy { $0.contains("  …  ") && $0.contains("held by latency, ") })
    #expect(held.allSatisfy { $0.contains("0 B  held by latency, 20.0 s left  /2.3/") })
    let value = try fixture.run("server log > /dev/null").property("first")
    #expect(value?.property("heldBy")?.text == "latency")
    #expect(value?.property("finished")?.text == "false")
    // The server sees it at once, also on the real clock.
    let cut = try fixture.output(of: "cancel q; server log")
    #expect(cut.count == 2)
    #expect(cut.filter { $0.contains("none       0 B  cut by the client after ") }.count == 1)
    #expect(cut.filter { $0.contains("held by latency") }.count == 1)
    let object = try fixture.output(of: "server log --json --last 2").first { $0.contains("true") }
    #expect(object?.contains(#""finished":true,"cut":true,"heldBy":null,"left":null"#) == true)
    _ = try fixture.run("cancel all; wait --any-outcome")
  }

  @Test("A request that is cut inside its body shows what was sent of it")
  func cutInBody() throws {
    let fixture = try ShellFixture(
      "set clock virtual; server bandwidth 1kB; fetch questions --name q; sleep 1s")
    #expect(try fixture.output(of: "server log")[0].contains(" 200     980 B  under way  "))
    let cut = try fixture.output(of: "cancel q; server log")[0]
    #expect(cut.contains(" 200     980 B  cut by the client after 999 ms  "))
    // A whole answer after it is none.
    let lines = try fixture.output(of: "server bandwidth 0; fetch questions; wait; server log")
    #expect(lines.count == 2 && lines[1].contains(" 200    4.7 kB        0 s  /2.3/"))
  }

  @Test("'server fault --next' strikes that many requests", arguments: ["", "set clock virtual; "])
  func nextRequests(clock: String) throws {
    let fixture = try ShellFixture(clock + "server fault status-503 --next 2")
    #expect(
      try fixture.output(of: "server").contains {
        $0.hasSuffix("status-503 for the next 2 requests")
      })
    let lines = try fixture.output(
      of: "fetch questions --retry 5 --backoff 1ms; wait; server log")
    #expect(lines.map { $0.contains("[status-503]") } == [true, true, false])
    #expect(try fixture.output(of: "server").contains { $0.hasSuffix("none") })
    #expect(try fixture.error(of: "server fault stall --next 0").code == "out-of-range")
  }

  @Test("Without --last the latest requests are shown, and the number of earlier ones")
  func longLog() throws {
    let fixture = try ShellFixture(
      "repeat 35 { fetch questions --pagesize 1 }; wait")
    let lines = try fixture.output(of: "server log")
    #expect(lines.count == 31)
    #expect(lines.first == "5 earlier: server log --last 35")
    #expect(try fixture.output(of: "server log --last 35").count == 35)
    #expect(try ShellFixture().output(of: "server log").first?.contains("no request") == true)
  }

  @Test("Following shows each request once, and ends when nothing can run any more")
  func follow() throws {
    // On the virtual clock no answer comes before the log is followed.
    let fixture = try ShellFixture(
      "set clock virtual; server latency 5ms; repeat 20 { fetch questions --pagesize 1 }")
    let lines = try fixture.output(of: "server log --follow")
    #expect(lines.count == 20)
    #expect(lines.allSatisfy { $0.contains(" 200 ") && $0.hasSuffix("[latency]") })
    #expect(try fixture.output(of: "server log --follow").isEmpty, "only what comes")
    #expect(try fixture.output(of: "server log --follow --last 3").count == 3)
  }

  @Test("Following ends after its time limit, and shows requests in progress")
  func followForTime() throws {
    let fixture = try ShellFixture("server fault stall-body; fetch questions")
    let server = fixture.session.outside.network.server
    #expect(try fixture.pump { server.lastRecord == 1 })
    let lines = try fixture.output(of: "server log --follow --last 1 --for 20ms")
    #expect(lines.count == 2, "as it was found, and at the end")
    #expect(lines.allSatisfy { $0.contains("under way") })
  }

  // MARK: server start

  @Test("'server start' prints the address each time, and rejects another port")
  func start() throws {
    let fixture = try ShellFixture()
    let address = try fixture.run("server start > /dev/null").text
    #expect(address == fixture.session.outside.network.server.baseURL)
    #expect(try fixture.run("server start > /dev/null").text == address)
    #expect(try fixture.error(of: "server start 1").code == "already-started")
    let port = try #require(fixture.session.outside.network.server.port)
    let other = try ShellFixture()
    #expect(try other.error(of: "server start \(port)").code == "address-in-use")
  }
}
