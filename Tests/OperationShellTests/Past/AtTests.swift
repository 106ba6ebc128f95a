import Foundation
import Operations
import ShellLanguage
import ShellOutput
import Testing

@testable import InspectCommands
@testable import ShellSession

/// What 'at' takes, shows and refuses.
@Suite("'at'", .timeLimit(.minutes(5))) struct AtTests {
  private static let jam = """
    set clock virtual
    queue width 1
    delay 2s --name a
    delay 1s --name c
    delay 1s --name b --after a
    wait
    """

  @Test(
    "A word is a time, a position or an event",
    arguments: [
      ("3.2s", MomentWord.time(.milliseconds(3_200))), ("3.200", .time(.milliseconds(3_200))),
      ("500", .time(.seconds(500))), ("0", .time(.zero)), ("200ms", .time(.milliseconds(200))),
      ("#120", .position(120)), ("b.started", .event(operation: "b", "started")),
      ("fetch-1.finished", .event(operation: "fetch-1", "finished")),
      ("3.created", .event(operation: "3", "created")),
    ])
  func words(text: String, word: MomentWord) { #expect(MomentWord(text) == word) }

  @Test(
    "Any other word is refused",
    arguments: ["", "#", "#x", "-1", "-2s", "b", "b.state", ".started", "20%", "10kB", "9e99"])
  func refusedWords(text: String) { #expect(MomentWord(text) == nil) }

  @Test("A time shows what a command printed then")
  func time() throws {
    let fixture = try ShellFixture(Self.jam)
    #expect(
      try fixture.shown(by: "at 1.5s why b") == [
        "b is pending and does not run because", "  waits for 'a', which is executing",
      ])
    #expect(
      try fixture.shown(by: "at 0.500 why a") == ["a has been executing for 500 ms: 1.50 s left"])
    #expect(try fixture.shown(by: "at 2 why a").first?.hasPrefix("a has finished: ✓") == true)
  }

  @Test("A time includes everything that the log prints with it")
  func instant() throws {
    let fixture = try ShellFixture(Self.jam)
    let lines = try fixture.shown(by: "at 2.000 ops --columns name,state")
    #expect(
      lines.dropFirst().map { $0.split(separator: " ").last } == ["finished", "executing", "ready"])
  }

  @Test("An event, a variable with its time, and that time show the same")
  func events() throws {
    let fixture = try ShellFixture(Self.jam)
    let shown = try fixture.shown(by: "at b.started ops")
    #expect(try fixture.shown(by: "at 3.000 ops") == shown)
    try fixture.run("let t = (b.started)")
    #expect(try fixture.shown(by: "at $t ops") == shown)
    #expect(try fixture.shown(by: "at (b.started) ops") == shown)
  }

  @Test("A position is a word after 'at', and a comment elsewhere")
  func positions() throws {
    let fixture = try ShellFixture(Self.jam)
    let end = fixture.session.jobs.engine.log.position
    let line = "at #\(end) ops --columns name # the end"
    #expect(try fixture.shown(by: line) == fixture.shown(by: "ops --columns name"))
    #expect(try fixture.shown(by: "echo at #1") == ["at"])
  }

  @Test("Operations have the names and queues that they had")
  func names() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue new late
      delay 1s --name a
      delay 1s --name held --hold
      sleep 500ms
      name a z
      name held kept
      start kept
      wait
      queue remove late
      queue new other
      """)
    #expect(
      try fixture.shown(by: "at 0.400 why a").first?.hasPrefix("a has been executing") == true)
    #expect(
      try fixture.shown(by: "at 0.400 why held") == [
        "held is created and does not run because",
        "  'held' is on no queue, so nothing will start it  → start held",
      ])
    #expect(try fixture.shown(by: "at 0.500 ops --columns name").dropFirst() == ["z", "kept"])
    let queues = try fixture.shown(by: "at 0.400 queue").dropFirst().map { $0.prefix { $0 != " " } }
    #expect(queues == ["network", "system", "main", "late"])
    #expect(try fixture.error(of: "at 0.400 why kept").code == "unknown-operation")
  }

  @Test("An operation is there from the time of its creation on")
  func created() throws {
    let fixture = try ShellFixture("delay 1ms --name a; wait; group g { delay 1ms --name m }; wait")
    for name in ["a", "g", "m"] {
      #expect(
        try fixture.shown(by: "at \(name).created why \(name)").first
          == "\(name) is created and does not run because")
    }
    #expect(try fixture.shown(by: "at a.created ops --columns name").dropFirst() == ["a"])
  }

  @Test("A body is where it was")
  func bodies() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      block --name b { sleep 1s; sleep 2s }
      wait
      """)
    #expect(
      try fixture.shown(by: "at 0.5 why b")
        == ["b has been executing for 500 ms: its body runs 'sleep 1s' (test:2)"])
    #expect(
      try fixture.shown(by: "at 1.5 why b")
        == ["b has been executing for 1.50 s: its body runs 'sleep 2s' (test:2)"])
  }

  @Test("Objects have the time and the position of the moment")
  func objects() throws {
    let fixture = try ShellFixture("set clock virtual; delay 1s --name a; sleep 300ms")
    let then = try fixture.text(of: "why a --json")
    try fixture.run("wait")
    let shown = try fixture.text(of: "at 0.3 why a --json")
    func keys(_ text: String) -> String { text.replacing(#/"sequence":\d+,/#, with: "") }
    #expect(keys(shown) == keys(then))
  }

  @Test(
    "It works in handlers, definitions and aliases, and its text goes to files and programs",
    arguments: [
      "delay 1s --name b\non b finished { at 0.5 why b > OUT }\nwait",
      "delay 1s --name b\nwait\ndef then t { at $t why b > OUT }\nthen 0.5",
      "delay 1s --name b\nwait\nalias then = at 0.5\nthen why b > OUT",
      "delay 1s --name b\nwait\nat 0.5 why b | cat > OUT",
      "delay 1s --name b\nblock { sleep 2s; at 0.5 why b > OUT }\nwait",
    ])
  func places(script: String) throws {
    let folder = try ScratchFolder()
    let path = "'\(folder.path)/text'"
    _ = try ShellFixture(
      "set clock virtual\n" + script.replacing("OUT", with: path))
    #expect(folder.read("text") == "b has been executing for 500 ms: 500 ms left\n")
  }

  @Test(
    "A moment that has not been is refused",
    arguments: [
      ("at 1h ops", "no-moment", "it is 4.000"), ("at #999 ops", "no-moment", "the log is at #"),
      ("at #0 ops", "no-moment", "did not exist"),
      ("delay 1s --name d; at d.finished ops", "no-moment", "has no time 'finished'"),
      ("at zz.started ops", "unknown-operation", "no operation 'zz'"),
      (
        "delay 1s --name young; at 1 why young", "unknown-operation", "no operation 'young' at that"
      ),
      ("let q = queue new young; at 1 queue show $q", "unknown-queue", "no queue 'young'"),
      (
        "let o = delay 1s; at 1 why $o", "unknown-operation",
        "no operation 'delay-1' at that moment"
      ),
      ("def w { delay 1s }; at 1 w", "cannot-look-back", "'delay' cannot be asked"),
    ])
  func refused(script: String, code: String, message: String) throws {
    let error = try ShellFixture(Self.jam).error(of: script)
    #expect(error.code == code && error.message.contains(message), "\(error.message)")
  }

  @Test("A recording that is shown has its moments, too")
  func recordings() throws {
    let folder = try ScratchFolder()
    let path = "'\(folder.path)/a.opshrec'"
    let live = try ShellFixture("record \(path)\n" + Self.jam + "\nrecord off")
    let shown = try ShellFixture("replay \(path)")
    // What an operation that works does is recorded for the end only.
    for question in ["why b", "ops", "queue", "tree", "deps b", "queue show", "diagram b"] {
      for moment in ["0.5", "2.000", "c.started"] {
        let line = "at \(moment) \(question)"
        #expect(try shown.shown(by: line) == live.shown(by: line), "\(line)")
      }
    }
  }

  @Test("A finished operation says what it had waited for, the longest first")
  func endedWaits() throws {
    let fixture = try ShellFixture(Self.jam)
    #expect(
      try fixture.shown(by: "why b") == [
        "b has finished: ✓ succeeded; it had waited for",
        "  2 s  dependency not finished, owed to 'a'  → at 1.000 why b",
        "  1 s  queue full, owed to 'c'",
      ])
    #expect(try fixture.shown(by: "why a") == ["a has finished: ✓ succeeded"])
    let object = try fixture.text(of: "why b --json")
    #expect(
      object.contains(#""code":"dependency","text":"2 s: dependency not finished"#), "\(object)")
    #expect(object.contains(#""subject":"a","cure":"at 1.000 why b""#), "\(object)")
  }

  @Test("Where the log was trimmed, it says from when on it works, and is exact from there")
  func trimmed() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      set keep 10
      queue new q --width 3
      repeat 80 { delay 1ms --count 100 --queue q; wait }
      queue width q 2
      queue pause
      delay 1s --name a
      sleep 100ms
      """)
    let shown = try fixture.shown(by: "queue")
    try fixture.run("queue resume; queue width q 5; wait")
    let error = try fixture.error(of: "at 0.005 ops")
    #expect(error.code == "moment-dropped")
    let time = try #require(error.message.split(separator: " ").last)
    #expect(try fixture.shown(by: "at \(time) queue").count > 3)
    let then = fixture.session.run.clock.elapsed(fixture.session.run.clock.now) - 1.05
    #expect(
      try fixture.shown(by: "at \(String(format: "%.3f", then)) queue").dropLast()
        == shown.dropLast())
    // One that goes on, and began earlier.
    try fixture.run(
      "delay 1h --name long; repeat 80 { delay 1ms --count 100 --queue main }; sleep 20s")
    #expect(try fixture.error(of: "at 10s ops").message.contains("beginning of an operation"))
  }
}
