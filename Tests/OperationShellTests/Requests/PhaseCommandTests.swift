import Foundation
import OpshNetworking
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession

@Suite("Phases of requests in the shell", .timeLimit(.minutes(15)))
struct PhaseCommandTests {
  /// Both clocks, each with the statement that chooses it.
  static let clocks = ["set clock real", "set clock virtual"]

  /// Waits until an operation is paused at a phase.
  private func waitForPause(_ name: String, in shell: ShellFixture) throws {
    let operation = try shell.operation(name)
    try shell.run("expect (\(name).phase != null) within 20s")
    let isPaused = try shell.pump { operation.finishWait == .phase }
    #expect(isPaused, "\(name) is \(operation.state)")
  }

  @Test(
    "A request pauses at each phase, with the reason and the cure, and goes on",
    arguments: clocks, [("headers", "0"), ("body", "4742"), ("decoding", "4742")])
  func pause(clock: String, phase: (name: String, bytes: String)) throws {
    let shell = try ShellFixture(
      "\(clock); fetch questions --hold --name q; pause q at \(phase.name); start q")
    try waitForPause("q", in: shell)
    #expect(try shell.text("(q.phase)") == phase.name)
    #expect(try shell.text("(q.state)") == "executing")
    #expect(try shell.text("(q.expected)") == "4742")
    #expect(try shell.text("(q.bytes)") == phase.bytes)
    #expect(try shell.output(of: "ops")[1].contains("executing · \(phase.name)"))
    let found = WhyReason.reasons(of: try shell.operation("q"), in: shell.session.jobs)
    #expect(found.map(\.text) == ["'q' is paused at \(phase.name)"])
    #expect(found.map(\.cause) == [.phaseHeld] && found.first?.cure == "resume q")
    #expect(try shell.error(of: "wait q").code == "never-ends")
    try shell.run("resume q; wait")
    #expect(try shell.outcome(of: "q") == "succeeded")
    #expect(try shell.text("(q.items)") == "30")
    #expect(try shell.text("(q.phase)") == "null")
  }

  @Test("A request that is cancelled at a phase leaves nothing under way", arguments: clocks)
  func cancelled(clock: String) throws {
    for phase in ["headers", "body", "decoding"] {
      let shell = try ShellFixture(
        "\(clock); fetch questions --hold --name q; pause q at \(phase); start q")
      try waitForPause("q", in: shell)
      try shell.run("cancel q; wait --any-outcome")
      #expect(try shell.operation("q").outcome == .cancelled)
      let request = try #require(try shell.operation("q").networkMetrics)
      try shell.run("sleep 10ms")
      #expect(try shell.pump { !request.isTransferring })
      try shell.run("fetch answers; wait")
    }
  }

  @Test(
    "A response without a body pauses at its headers, and a failed one at no later phase",
    arguments: clocks)
  func otherResponses(clock: String) throws {
    let shell = try ShellFixture(
      "\(clock); head '/2.3/info?site=stackoverflow' --hold --name h; pause h at headers; start h")
    try waitForPause("h", in: shell)
    try shell.run("resume h; wait")
    #expect(try shell.outcome(of: "h") == "succeeded")
    try shell.run(
      "get /nothing-here --hold --name g; pause g at decoding; start g; wait --any-outcome")
    #expect(try shell.operation("g").outcome?.failure != nil && shell.operation("g").phase == nil)
  }

  @Test("A handler of the headers cancels before the body comes", arguments: clocks)
  func handler(clock: String) throws {
    let shell = try ShellFixture(
      """
      \(clock)
      let seen = ""
      fetch questions --hold --name q
      fetch questions --pagesize 1 --hold --name small
      on q small headers { if ($self.expected > 1kB) { cancel $self } }
      start q small; wait --any-outcome
      """)
    #expect(try shell.operation("q").outcome == .cancelled)
    #expect(try shell.text("(q.bytes)") == "0")
    #expect(try shell.outcome(of: "small") == "succeeded")
  }

  @Test("A handler that waits for its own operation is told why that never ends")
  func waitingHandler() throws {
    let shell = try ShellFixture(
      "set clock virtual; fetch questions --hold --name q; on q headers { wait q }; start q")
    let error = try shell.error(of: "wait q")
    #expect(error.code == "never-ends" && error.message.contains("handler has returned"))
    try shell.run("wait q")
    #expect(try shell.outcome(of: "q") == "succeeded")
  }

  @Test("A removed handler holds nothing up")
  func removedHandler() throws {
    let shell = try ShellFixture(
      "fetch questions --hold --name q; on q headers { fail no }; unobserve all; start q; wait")
    #expect(try shell.outcome(of: "q") == "succeeded")
    let events = shell.session.jobs.engine.log.entries(from: 0, limit: .max).entries.map(\.event)
    #expect(!events.contains(.phase))
  }

  @Test("A handler that fails at a phase ends the run before the work of the phase begins")
  func failingHandler() throws {
    // Without that, most of these runs save.
    for _ in 0..<5 {
      let folder = try ScratchFolder()
      let outcome = try Opsh.run(
        "quotes sync --name q --hold; on q saving { fail no }; start q; wait",
        options: ["--data", folder.path])
      #expect(outcome.status == 1)
      #expect(!outcome.errors.contains("4 succeeded"), "\(outcome.errors)")
      #expect(outcome.errors.contains("cancelled"), "\(outcome.errors)")
    }
  }

  @Test("A handler that fails at a phase and is caught lets the work go on")
  func caughtHandler() throws {
    let shell = try ShellFixture(
      """
      fetch questions --hold --name q; on q headers { fail no }; start q
      try { wait q } catch e { }
      wait q
      """)
    #expect(try shell.outcome(of: "q") == "succeeded")
  }

  @Test(
    "What is slowed down goes on when that is off, and by 'resume'",
    arguments: ["slow headers off", "resume a"])
  func endedSlowness(ending: String) throws {
    let shell = try ShellFixture(
      "set clock virtual; slow headers 1h; fetch questions --name a; sleep 10s")
    #expect(try shell.output(of: "why a").joined().contains("'slow headers' keeps it"))
    try shell.run("\(ending); slow headers off; wait a")
    #expect(try shell.run("(a.duration < 11.0)").text == "true")
    #expect(try shell.outcome(of: "a") == "succeeded")
  }

  @Test("A slow phase takes session time, until it is off; 'reset' takes all away")
  func slow() throws {
    let shell = try ShellFixture(
      "set clock virtual; slow decoding 2s; fetch questions --name q; wait")
    #expect(try shell.output(of: "slow") == ["decoding 2s"])
    #expect(try shell.run("(q.duration > 2.0 and q.duration < 2.1)").text == "true")
    try shell.run("slow decoding off; fetch questions --name r; wait")
    #expect(try shell.run("(r.duration < 0.1)").text == "true")
    #expect(try shell.error(of: "slow decoding").code == "missing-argument")
  }

  @Test("Only operations with a phase can be paused at it, and only paused ones resumed")
  func refusals() throws {
    let shell = try ShellFixture("delay 1s --hold --name d; fetch questions --hold --name q")
    #expect(try shell.error(of: "pause d at body").code == "no-phase")
    #expect(try shell.error(of: "pause q at saving").code == "no-phase")
    #expect(try shell.error(of: "on d body { }").code == "no-phase")
    #expect(try shell.error(of: "resume q").code == "not-paused")
    // What has finished is told, as by the other commands.
    try shell.run("group g { fetch questions --name m }; wait g; pause g at decoding; resume g")
    try shell.run(
      "queue new raw --engine foundation; queue pause raw; fetch questions --blocking --name f "
        + "--queue raw; pause f at headers; cancel f; queue resume raw; wait f --any-outcome")
    try shell.run("resume all")
  }

  @Test(
    "What is in the store after a cancel in the middle of saving is all old; a retry saves all",
    arguments: clocks)
  func saving(clock: String) throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture("\(clock); quotes sync; wait", keepingIn: folder)
    let quotes = try shell.output(of: "quotes list")
    // All are to be written anew.
    let store = shell.session.outside.quoteStore
    let old = try store.list(order: .newest, limit: nil, offset: 0)
    for quote in old { _ = try store.setReadCount(id: quote.id, to: 7) }
    let changed = try store.list(order: .newest, limit: nil, offset: 0)
    try shell.run("quotes sync --hold --name s; pause s at saving; start s")
    try waitForPause("save-2", in: shell)
    let progress = try #require(try shell.operation("save-2").phase)
    #expect(progress.total == 56 && progress.done == 28)
    // The store is free and whole, although half was written.
    #expect(try store.list(order: .newest, limit: nil, offset: 0) == changed)
    #expect(try store.setReadCount(id: old[0].id, to: 7) == changed[0])
    try shell.run("cancel s; wait --any-outcome")
    #expect(try shell.operation("save-2").outcome == .cancelled)
    #expect(try store.list(order: .newest, limit: nil, offset: 0) == changed)
    try shell.run("quotes sync; wait")
    #expect(try shell.output(of: "quotes list").dropLast() == quotes.dropLast())
    try shell.run("quotes sync --hold --name t; pause t at saving; start t")
    try waitForPause("save-4", in: shell)
    try shell.run("resume t; wait")
    #expect(try shell.outcome(of: "t") == "succeeded")
  }

  @Test(
    "Half of the records are parsed when the parser pauses, and none are saved", arguments: clocks)
  func parsing(clock: String) throws {
    let folder = try ScratchFolder()
    let shell = try ShellFixture(
      "\(clock); quotes sync --hold --name s; pause parse-1 at decoding; start s",
      keepingIn: folder)
    try waitForPause("parse-1", in: shell)
    #expect(try shell.operation("parse-1").phase?.description == "decoding 30 of 60")
    try shell.run("cancel parse-1; wait --any-outcome")
    #expect(try shell.outcome(of: "save-1") == "skipped")
    #expect(try shell.output(of: "quotes list").first?.hasPrefix("no quotes are kept") == true)
  }

  @Test("A blocking request pauses as the request in it does")
  func blocking() throws {
    let shell = try ShellFixture(
      "fetch questions --blocking --hold --name q; pause q at body; start q")
    try waitForPause("q", in: shell)
    try shell.run("resume q; wait")
    #expect(try shell.outcome(of: "q") == "succeeded")
  }

  @Test("A script that ends with a paused operation lists it with its cure; its status is 1")
  func leftOver() throws {
    let script =
      "set clock virtual; fetch questions --hold --name q; pause q at decoding; start q"
    let outcome = try Opsh.run(script)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("'q' is paused at decoding"), "\(outcome.errors)")
    #expect(outcome.errors.contains("resume q"), "\(outcome.errors)")
    let json = try Opsh.run(
      script + "; sleep 1s; show q; resume q", options: ["--json"])
    #expect(json.status == 0)
    let lines = json.output.split(separator: "\n")
    #expect(
      lines.contains {
        $0.contains("\"type\":\"operation\"") && $0.contains("\"state\":\"executing\"")
          && $0.contains("\"phase\":\"decoding\"")
      })
    #expect(
      lines.contains {
        $0.contains("\"from\":\"executing\",\"to\":\"executing\"")
          && $0.contains("\"reason\":\"decoding: 4.7 kB\"")
      })
  }

  @Test("'next', 'back', 'at' and a replay tell the same of a pause")
  func moments() throws {
    let folder = try ScratchFolder()
    let script =
      "set clock virtual; record '\(folder.path)/r.jsonl'; fetch questions --hold --name q; "
      + "pause q at decoding; start q; sleep 1s; resume q; wait; "
    let outcome = try Opsh.run(script + "at 0.5s why q")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("'q' is paused at decoding"), "\(outcome.output)")
    let replay = try Opsh.run(
      "at 0.5s why q; at 0.5s ops", options: ["--replay", "\(folder.path)/r.jsonl"])
    #expect(
      replay.output.contains("'q' is paused at decoding"), "\(replay.output) \(replay.errors)")
    #expect(replay.output.contains("executing · decoding"), "\(replay.output)")
  }
}
