import Foundation
import Operations
import OpshLocking
import OpshSupport
import ShellLanguage
import ShellOutput
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("'back' and 'reset'", .timeLimit(.minutes(15)))
struct BackTests {
  /// The statements of a random session, some of which use files, handlers, bodies and variables.
  private static func lines(seed: UInt64) throws -> [String] {
    var session = try RandomSession(seed: seed)
    try session.begin()
    var random = RandomSource(seed: seed &+ 1)
    var lines = ["set clock virtual", "set seed \(seed)", "queue new side --width 1"]
    for line in session.script.split(separator: "\n") {
      lines.append(String(line))
      switch random.below(12) {
      case 0: lines.append("echo line\(lines.count) >> log.txt")
      case 1: lines.append("let n\(lines.count) = 5")
      case 2: lines.append("on all finished { echo \"$self.name ended\" >> ended.txt }")
      case 3: lines.append("block --name body\(lines.count) --retry 1 { sleep 7ms; fail no }")
      case 4: lines.append("post '/2.3/questions/add' --file log.txt --site stackoverflow")
      case 5: lines.append("retry last")
      case 7: lines.append("queue coalesce on")
      case 6: lines.append("for i in 1..3 { delay 4ms --priority high; sleep 1ms }")
      default: break
      }
      lines.append("sleep \(random.below(12))ms")
    }
    return lines
  }

  /// The first lines in which two texts differ; nothing if they are equal.
  private static func difference(_ one: String, _ other: String) -> String {
    let (ones, others) = (one.split(separator: "\n"), other.split(separator: "\n"))
    let pairs = zip(ones, others).filter { $0 != $1 }.prefix(3).map { "\($0)\n\($1)" }
    return one == other
      ? "" : "\(ones.count) and \(others.count) lines\n" + pairs.joined(separator: "\n")
  }

  @Test(
    "'back' restores what every command showed, and a branch is as if it had been typed so",
    arguments: 0..<UInt64(TestScale.count(40, long: 400)))
  func restores(seed: UInt64) throws {
    let lines = try Self.lines(seed: seed)
    let session = try TypedSession()
    var seen: [(text: String, stops: Int)] = []
    for line in lines {
      try session.type(line)
      // A line that is refused is no stop.
      seen.append((try session.look(), session.session.run.inputs.stops.count))
    }
    var random = RandomSource(seed: seed &+ 2)
    let place = 3 + random.below(lines.count - 5)
    let steps = seen[seen.count - 1].stops - seen[place].stops
    try session.type("back \(steps)")
    try session.type("back 3")
    let change = Self.difference(try session.look(), seen[place].text)
    #expect(change.isEmpty, "seed \(seed), back to line \(place): \(change)")

    let branch = [
      "cancel all", "delay 3ms --name other --priority high",
      "post '/2.3/questions/add' --file log.txt --site stackoverflow",
      "wait --any-outcome --timeout 1h",
    ]
    let straight = try TypedSession()
    for line in lines[...place] {
      try straight.type(line)
      _ = try straight.look()
    }
    for line in branch {
      try session.type(line)
      try straight.type(line)
    }
    let difference = Self.difference(try session.whole(), try straight.whole())
    #expect(difference.isEmpty, "seed \(seed), branch at \(place): \(difference)")
  }

  @Test("'back' returns to single steps of a 'next', also to those of one that was cut before")
  func steps() throws {
    let session = try TypedSession(
      "set clock virtual", "delay 1s --name a; delay 2s --name b; delay 3s --name c", "next 3")
    #expect(try session.type("back").contains("opsh: back at 2.000, after 'next 2'"))
    #expect(try session.type("back").contains("opsh: back at 1.000, after 'next 1'"))
    #expect(try session.type("next").contains { $0.hasPrefix("2.000 after 1 step") })
    #expect(try session.type("back 3").contains { $0.contains("after 'delay 2s --name b'") })
    try session.type("wait")
    #expect(try session.type("ops").count == 3)
    #expect(
      session.session.run.state.withLock { $0.typed.map(\.text) } == [
        "set clock virtual", "delay 1s --name a; delay 2s --name b", "wait", "ops",
      ])
  }

  @Test("What was written stays, is read as it was at the stop, and is written on from there")
  func files() throws {
    let session = try TypedSession("set clock virtual", "echo one > a.txt", "sleep 1s")
    try session.type("echo two >> a.txt")
    try session.type("echo other > b.txt")
    let shown = try session.type("back 2")
    #expect(shown.contains { $0.contains("written since") && $0.contains("b.txt") })
    #expect(session.folder.read("a.txt") == "one\ntwo\n")
    #expect(session.folder.read("b.txt") == "other\n")
    try session.type("echo three >> a.txt")
    #expect(session.folder.read("a.txt") == "one\nthree\n")
  }

  @Test("A script that has changed since is read again as it was, and then as it is")
  func scripts() throws {
    let session = try TypedSession("set clock virtual")
    try session.folder.write("delay 1s --name old", to: "a.opsh")
    try session.type("source a.opsh")
    try session.type("sleep 2s")
    try session.folder.write("delay 1s --name new", to: "a.opsh")
    try session.type("back")
    #expect(try session.type("ops").joined().contains("old"))
    try session.type("source a.opsh")
    #expect(try session.type("ops").joined().contains("new"))
  }

  @Test(
    "'back' is refused where there is no way back",
    arguments: [
      (["delay 1s"], "needs-virtual-clock"), (["set clock virtual", "back 5"], "cannot-go-back"),
      (["delay 1ms; wait", "set clock virtual"], "cannot-go-back"),
      (["set clock virtual", "def f { back }", "f"], "not-at-top-level"),
    ])
  func refused(lines: [String], code: String) throws {
    let session = try TypedSession()
    var shown: [String] = []
    for line in lines + ["back"] { shown += try session.type(line) }
    #expect(shown.contains { $0.contains("[\(code)]") }, "\(shown)")
  }

  @Test(
    "'reset' begins anew, and keeps aliases, definitions and settings", arguments: [false, true])
  func resets(isVirtual: Bool) throws {
    let session = try TypedSession(isVirtual ? "set clock virtual" : "set clock real")
    for line in [
      "alias d = delay", "def twice { d 1ms --name t; d 1ms --name u }", "let x = 5", "set seed 7",
      "queue new q", "observe last isFinished", "d 5ms --name a --queue q", "wait",
      "server fault drop", "delay 1h --name long", "block --name b { sleep 1h }", "reset",
    ] {
      try session.type(line)
    }
    #expect(session.session.jobs.operations.all.isEmpty)
    #expect(try session.type("echo $x").joined().contains("[undefined-variable]"))
    #expect(try session.type("queue show q").joined().contains("[unknown-queue]"))
    #expect(session.session.run.clock.elapsed(session.session.run.clock.now) < 5)
    #expect(session.session.jobs.engine.virtualClock.isInUse == isVirtual)
    #expect(try session.type("set seed").joined().contains("7"))
    #expect(try session.type("server").joined().contains("drop"))
    try session.type("twice; wait")
    #expect(session.session.jobs.operations.all.map(\.id) == [1, 2])
  }

  @Test("What failed unexpectedly before a 'reset' still makes the status 1")
  func keepsStatus() throws {
    let outcome = try Opsh.run("block { fail no }; sleep 50ms; reset; echo on")
    #expect(outcome.status == 1)
    #expect(outcome.output == "on\n")
    #expect(try Opsh.run("delay 1h; reset; echo on").status == 0)
  }

  @Test("'source --fresh' runs an experiment again with the same ids and names")
  func fresh() throws {
    let session = try TypedSession("set clock virtual")
    try session.folder.write("queue new q; delay 1s --name a --queue q; wait", to: "e.opsh")
    for _ in 0..<2 {
      try session.type("source --fresh e.opsh")
      #expect(session.session.jobs.operations.all.map(\.displayName) == ["a"])
    }
  }

  @Test("A recording goes on after 'back' with what is so then")
  func recordings() throws {
    let session = try TypedSession(
      "set clock virtual", "record r.jsonl", "delay 1s --name a", "delay 2s --name b", "next",
      "back 2", "wait", "record off")
    try session.type("replay r.jsonl")
    let shown = try session.type("ops").joined(separator: "\n")
    #expect(shown.contains(" a ") && !shown.contains(" b "), "\(shown)")
  }

  @Test("A write keeps what others have written to the file since the session went back")
  func keepsOthers() throws {
    let session = try TypedSession("set clock virtual", "echo one > a.txt", "delay 1s", "delay 2s")
    try session.type("back")
    try session.folder.write("one\nothers\n", to: "a.txt")
    try session.type("echo two >> a.txt")
    #expect(session.folder.read("a.txt") == "one\nothers\ntwo\n")
  }

  @Test("Dates after 'reset' and 'back' are those of a session that was typed so")
  func dates() throws {
    let session = try TypedSession("set clock virtual", "sleep 10s", "reset", "let x = 1")
    let clock = session.session.run.clock
    let before = clock.timestamp(clock.now)
    for _ in 0..<3 {
      try session.type("let y = 2")
      try session.type("back")
    }
    let after = session.session.run.clock
    #expect(after.timestamp(after.now) == before)
  }

  @Test(
    "Errors before a stop still make the status of a script that goes on after them",
    arguments: ["expect (1 == 2)", "nosuch"])
  func keepsGoing(error: String) throws {
    let folder = try ScratchFolder()
    try folder.write("set clock virtual\n\(error)\ndelay 1s\ndelay 1s\nback\n", to: "k.opsh")
    let outcome = try ChildProcess.run(
      try BuiltProducts.executable("opsh"),
      arguments: ["--no-rc", "--no-history", "--keep-going", "k.opsh"],
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"], directory: folder.path)
    #expect(outcome.status != 0)
  }

  @Test("Programs before 'set clock virtual' run once, and those after 'back' to before it anew")
  func programs() throws {
    let session = try TypedSession(
      "!echo one >> s.txt", "set clock virtual", "reset", "let z = 5", "back")
    #expect(session.folder.read("s.txt") == "one\n")
    try session.type("back 3")
    try session.type("!echo two >> s.txt")
    #expect(session.folder.read("s.txt") == "one\ntwo\n")
  }

  @Test("What 'reset' has forgotten is there again after 'back', also for the check")
  func checksAgain() throws {
    let outcome = try Opsh.run("set clock virtual\nlet n = 1\nreset\nback\necho $n")
    #expect(outcome.output == "1\n" && outcome.status == 0)
  }
}
