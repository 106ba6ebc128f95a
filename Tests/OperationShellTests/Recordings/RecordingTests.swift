import Foundation
import OpshJSON
import OpshNetworking
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession

@Suite("Recordings", .timeLimit(.minutes(15)))
struct RecordingTests {
  private static let script = """
    queue new side --width 1
    get /2.3/tags?site=stackoverflow --cached
    wait
    get /2.3/tags?site=stackoverflow --cached --name cached
    fetch questions --count 3 --name q
    server fault status-503 --route '/2.3/sites*'
    get /2.3/sites --retry 1 --backoff 5ms --name f
    group g { delay 20ms --name part; delay 30ms --name other }
    queue pause
    delay 20ms --exclusive db --name a
    delay 5ms --exclusive db --name b --after a --on-failure skip
    block --name broken { fail "a \\"quoted\\"\\u{1B}[31m text" }
    cancel other
    priority b high
    queue resume
    wait --any-outcome
    delay 1ms --hold --name held
    """

  private func recorded(_ script: String = Self.script) throws -> (ScratchFolder, [JSONValue]) {
    let folder = try ScratchFolder()
    _ = try ShellFixture(
      "record '\(folder.path)/run'\n" + script.replacing("--count 3 --name q", with: "--count 3")
        + "\nrecord off")
    let text = try #require(folder.read("run"))
    let lines = try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    return (folder, lines)
  }

  @Test("On the real clock a replay answers as the finished session did")
  func sameAnswers() throws {
    let folder = try ScratchFolder()
    let session = try ShellFixture(
      "record '\(folder.path)/run'\n"
        + Self.script.replacing("--count 3 --name q", with: "--count 3")
          + """

          queue width network auto
          block --name body --essential { }
          delay 1ms --name stopped --after f --on-failure skip
          wait body stopped --any-outcome
          queue use side
          """)
    let questions = [
      "ops", "show g", "show f --attempts", "show f --verbose", "show q* --verbose",
      "show cached", "show cached --verbose", "show b", "show f", "stats", "stats --by kind",
      "blame queue network", "blame queue side", "tree", "log", "queue", "deps b", "why held",
      "timeline q*", "show body", "diagram body", "doctor",
      "result held",
    ]
    try session.run("record off")
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    for question in questions.dropLast() {
      let (expected, found) = try (session.shown(by: question), replay.shown(by: question))
      #expect(expected == found, "\(question)")
    }
    #expect(try replay.error(of: "result a").code == "not-recorded")
    #expect(try replay.error(of: "show f --curl").code == "not-recorded")
    #expect(try replay.error(of: "show g --attempts").code == "not-a-request")
    for shell in [session, replay] {
      _ = try shell.run("export '\(folder.path)/\(shell === replay ? "b" : "a").har'")
    }
    let archive = try #require(folder.read("a.har"))
    #expect(archive == folder.read("b.har") && archive.contains("_attempt"))
  }

  @Test("A recording is a header, the lines of the contract, and a summary")
  func format() throws {
    let (_, lines) = try recorded()
    let header = try #require(lines.first)
    #expect(header["type"]?.string == "recording" && header["format"] == .integer(2))
    #expect(header["clock"]?.string == "real" && header["seed"] == .null)
    #expect(lines.last?["type"]?.string == "summary")
    #expect(lines.last?["unfinished"] == .integer(1))
    for (number, line) in lines.enumerated() {
      #expect(line["sequence"] == .integer(Int64(number)))
      #expect(line["time"]?.string != nil && line["elapsed"]?.double != nil)
    }
    let times = lines.filter { $0["type"]?.string == "transition" }.compactMap {
      $0["elapsed"]?.double
    }
    #expect(times == times.sorted())
    // What a line names has been described before it.
    var described: Set<Int> = []
    for line in lines {
      if line["type"]?.string == "operation", let id: Int = line["id"]?.exactInteger() {
        described.insert(id)
      } else if let id: Int = line["operation"]?["id"]?.exactInteger() {
        #expect(described.contains(id), "\(line.text)")
      }
    }
    let keyPaths = Set(lines.compactMap { $0["keyPath"]?.string })
    #expect(
      keyPaths.isSuperset(of: [
        "maxConcurrentOperationCount", "group", "exclusiveNames", "dependencies", "queuePriority",
        "pause",
      ]), "\(keyPaths)")
  }

  @Test(
    "A held operation is recorded at once, with its queue; one that was not built is not")
  func heldAndDiscarded() throws {
    let fixture = try ShellFixture("set clock virtual; queue new side --width 1")
    var lines = RecordingLines(of: fixture.session.run)
    _ = lines.next()
    #expect(!lines.hasNews)
    try fixture.run("delay 1ms --hold --queue side --name held")
    let side = try #require(fixture.session.jobs.queues.all.first { $0.name == "side" })
    #expect(lines.hasNews)
    let told = lines.next()
    #expect(told.count == 2 && told[0].contains("\"name\":\"held\""), "\(told)")
    #expect(told[1].contains("\"keyPath\":\"held\""), "\(told)")
    #expect(told.first?.contains("\"destination\":\(side.id)") == true)
    #expect(!lines.hasNews && lines.next().isEmpty)
    // The group and its member would wait for one another.
    let refused = "group g --exclusive db { delay 1ms --exclusive db --name inner }"
    _ = try fixture.error(of: refused)
    let rest = lines.end(status: nil)
    #expect(rest.contains { $0.contains("\"name\":\"g\"") })
    #expect(!rest.contains { $0.contains("\"name\":null") || $0.contains("inner") }, "\(rest)")
  }

  @Test("A request that waits for its retry has no activity", arguments: ["reset", "status-503"])
  func betweenAttempts(fault: String) throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; server fault \(fault)
      fetch questions --name x --retry 2 --backoff 20s; sleep 1s
      """)
    var lines = RecordingLines(of: fixture.session.run)
    let operations = try lines.end(status: nil).map { try JSONValue(parsing: Array($0.utf8)) }
      .filter { $0["type"]?.string == "operation" && $0["name"]?.string == "x" }
    let last = try #require(operations.last)
    #expect(last["state"] == .string("executing") && last["attempts"] == .integer(1))
    #expect(last["activity"] == .null, "\(last.text)")
    try fixture.run("cancel all; wait --any-outcome")
  }

  @Test("A replay knows from when until when a certificate is valid")
  func certificates() throws {
    let folder = try ScratchFolder()
    let session = try ShellFixture(
      """
      record '\(folder.path)/run'
      server fault expired-certificate
      get /2.3/sites --insecure --name t
      wait
      record off
      """)
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    let shown = try session.shown(by: "show t --verbose")
    #expect(try shown == replay.shown(by: "show t --verbose"))
    let dates = shown.joined().matches(of: /valid ([-0-9]+)\D* to ([-0-9]+)/)
    #expect(dates.count == 1 && dates.allSatisfy { $0.output.1 < $0.output.2 }, "\(shown)")
  }

  @Test("A recording is as long as the latest of its events, in whatever order they stand")
  func length() throws {
    let (_, lines) = try recorded("delay 20ms; wait")
    let texts = lines.map(\.text)
    func length(_ texts: [String]) throws -> Duration {
      var recording = Recording()
      try recording.read(Array(texts.joined(separator: "\n").utf8), since: .now) { _, _, _, _ in }
      return recording.length
    }
    let whole = try length(texts)
    #expect(whole >= .milliseconds(20))
    #expect(try length(texts + [texts[1]]) == whole)
  }

  @Test("How the cache was used is recorded with its age and its reason")
  func cacheUses() {
    for use in [
      CacheUse.hit(age: 1.5), .updating(age: 2), .revalidated, .stale(age: 3, because: "tls"),
      .miss(nil), .miss(.noStore), .unavailable("store-busy"),
    ] {
      #expect(CacheUse(recorded: use.recorded) == use)
    }
  }

  @Test("A replay knows for which queue an operation is held, and what a body waits for")
  func heldAndAwaited() throws {
    let folder = try ScratchFolder()
    let session = try ShellFixture(
      """
      set clock virtual
      record '\(folder.path)/run'
      queue new side --width 4
      delay 60s --name open --queue side
      block --name body --queue side { wait open }
      group g { delay 1ms --name part; delay 1ms --hold --name held }
      wait g
      record off
      """)
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    for question in ["why held", "why body", "why all", "queue"] {
      let expected = try session.shown(by: question)
      #expect(try expected == replay.shown(by: question), "\(question)")
    }
    #expect(try replay.shown(by: "why held").contains { $0.contains("now it can't be") })
    #expect(try replay.shown(by: "why body").contains { $0.contains("waits for 'open'") })
  }

  @Test("A replay has the names that operations and queues had at each time")
  func names() throws {
    let folder = try ScratchFolder()
    let session = try ShellFixture(
      """
      set clock virtual
      delay 2s --name a
      group g { delay 2s --name m; delay 1s --name n }
      sleep 100ms; name a b; name g h; sleep 100ms
      record '\(folder.path)/run'
      delay 1s --name c; sleep 100ms; name c d
      wait n; name h i; delay 1h --name e; sleep 1s; name e f
      record off
      """)
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    let log = try session.shown(by: "log")
    for name in ["a", "b", "c", "d", "g", "i", "e"] {
      #expect(log.contains { $0.contains(" \(name) ") }, "\(name)")
    }
    let questions = [
      "log", "ops", "tree", "timeline", "ops --json", "log --json", "queue", "diagram b", "log i",
    ]
    for question in questions {
      let (expected, found) = try (session.shown(by: question), replay.shown(by: question))
      #expect(
        expected.map(Self.withoutNumber) == found.map(Self.withoutNumber), "\(question)")
    }
  }

  /// A line without the number of '--json', which counts the lines of one session.
  private static func withoutNumber(_ line: String) -> String {
    line.replacing(/"sequence":\d+,/, with: "")
  }

  @Test("A replay knows the retries, the backoff, its jitter and the time limit of a request")
  func settings() throws {
    let folder = try ScratchFolder()
    let session = try ShellFixture(
      """
      set clock virtual
      record '\(folder.path)/run'
      get /2.3/sites --name a --retry 3 --backoff 2s --jitter 50% --timeout 1m
      get /2.3/sites --name b --retry 1 --backoff 2s
      wait
      record off
      """)
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    #expect(
      try session.shown(by: "show a").contains { $0.contains("3 times, backoff 2s, jitter 50%") })
    for name in ["a", "b"] {
      let expected = try session.shown(by: "show \(name)")
      #expect(try expected == replay.shown(by: "show \(name)"))
    }
  }

  @Test("A replay knows the mistakes that the code of operations makes, and the delays of starts")
  func mistakes() throws {
    let folder = try ScratchFolder()
    let session = try ShellFixture(
      """
      set clock virtual
      queue width 8
      record '\(folder.path)/run'
      async deaf --ignore-cancel { echo done }
      async own --own-ready { echo done }
      async silent --forget kvo:isExecuting { echo done }
      sleep 1s; cancel deaf; cancel silent
      delay 1s --name late --delay 2s --hold
      sleep 1s; start late; wait late
      record off
      """)
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    #expect(try session.shown(by: "doctor").contains { $0.contains("'deaf' has done its work") })
    #expect(try session.shown(by: "ops own --columns isReady").last == "false")
    #expect(try !session.shown(by: "diagram silent").contains { $0.contains("isExecuting") })
    #expect(try session.shown(by: "diagram late").contains { $0.contains("isReady true → false") })
    let questions = [
      "doctor", "ops --columns name,isReady", "show own", "diagram own", "diagram silent",
      "diagram late", "diagram deaf",
    ]
    for question in questions {
      #expect(try session.shown(by: question) == replay.shown(by: question), "\(question)")
    }
  }

  @Test("A file is for the user alone, and is not overwritten without being asked for")
  func files() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/run"
    let fixture = try ShellFixture("record '\(path)'; delay 1ms; wait; record off")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let text = folder.read("run")
    #expect(try fixture.error(of: "record '\(path)'").code == "file-exists")
    #expect(folder.read("run") == text)
    chmod(path, 0o644)
    try fixture.run("record '\(path)' --replace")
    let newMode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(newMode == 0o600)
    #expect(try fixture.error(of: "record '\(folder.path)/other'").code == "recording-in-use")
    #expect(try fixture.shown(by: "record").first?.hasPrefix("recording to ") == true)
    try fixture.run("record off")
    #expect(try fixture.error(of: "record '\(folder.path)/none/x'").code == "file(2)")
    #expect(try fixture.error(of: "record /dev/full --replace").code == "file(28)")
    #expect(try fixture.shown(by: "record off") == ["nothing is recorded"])
  }

  @Test(
    "A full disk ends the recording with an error, and the session goes on",
    .enabled(
      if: !TestScale.isSanitized, "the sanitizer's runtime does not survive the limit"))
  func fullDisk() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.shell(
      "'record run; delay 1ms --count 200; wait; echo done'", then: "", after: "ulimit -f 8",
      directory: folder.path)
    #expect(outcome.output.contains("done") && outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("the recording has ended: "), "\(outcome.errors)")
  }

  @Test(
    "A recording that can't begin leaves no file, and one that was there stays",
    .enabled(
      if: !TestScale.isSanitized, "the sanitizer's runtime does not survive the limit"))
  func fullAtOnce() throws {
    let folder = try ScratchFolder()
    for _ in 1...2 {
      let outcome = try Opsh.shell(
        "'record run'", then: "", after: "ulimit -f 0", directory: folder.path)
      #expect(outcome.errors.contains("[file(\(EFBIG))]") && outcome.status == 1, "\(outcome)")
      #expect(folder.read("run") == nil)
    }
    try folder.write("", to: "run")
    _ = try Opsh.shell(
      "'record run --replace'", then: "", after: "ulimit -f 0", directory: folder.path)
    #expect(folder.read("run") == "")
  }

  @Test("A credential is in no recording")
  func masked() throws {
    let (folder, _) = try recorded(
      """
      get /2.3/sites --header "Authorization: Bearer s3cr3t-token-4711"
      block --name b { fail "denied: s3cr3t-token-4711" }
      wait --any-outcome
      """)
    let text = try #require(folder.read("run"))
    #expect(!text.contains("s3cr3t") && text.contains("denied: ****"))
  }

  @Test("What is not a recording is refused with its line")
  func refused() throws {
    let (folder, lines) = try recorded("delay 1ms; wait")
    let texts = lines.map(\.text)
    func code(_ lines: [String]) throws -> (code: String, message: String) {
      try folder.write(lines.joined(separator: "\n"), to: "bad")
      let error = try ShellFixture().error(of: "replay '\(folder.path)/bad'")
      return (error.code, error.message)
    }
    #expect(try code([]).code == "bad-recording")
    #expect(try code(["hello"]).message.hasSuffix("line 1: it is not JSON"))
    #expect(try code(Array(texts.dropFirst())).message.contains("line 1: it is not the header"))
    let later = texts[0].replacing("\"format\":2", with: "\"format\":3")
    let refusal = try code([later] + texts.dropFirst())
    #expect(refusal.code == "recording-format" && refusal.message.contains("format 3"))
    #expect(try code([texts[0], "{}"] + texts.dropFirst()).message.contains("line 2: every line"))
    #expect(try code([texts[0]] + texts.dropFirst().reversed()).code == "bad-recording")
    // An end without an outcome, and an outcome without an end.
    for (old, new) in [
      (#""outcome":"succeeded","reason""#, #""outcome":null,"reason""#),
      (
        #""to":"ready","cancelled":false,"outcome":null"#,
        #""to":"ready","cancelled":false,"outcome":"succeeded""#
      ),
    ] {
      let number = try #require(texts.firstIndex { $0.contains(old) })
      var wrong = texts
      wrong[number] = wrong[number].replacing(old, with: new)
      #expect(
        try code(wrong).message.contains("line \(number + 1): a value of 'transition'"), "\(new)")
    }
  }

  @Test("A recording that is refused leaves the session as it was")
  func refusedLeavesSession() throws {
    let (folder, lines) = try recorded("delay 1ms --name a; delay 1ms --name b --after a; wait")
    var texts = lines.map(\.text)
    let place = try #require(texts.firstIndex { $0.contains("\"to\":\"executing\"") })
    texts.insert(texts[place], at: place)
    try folder.write(texts.joined(separator: "\n"), to: "bad")
    let fixture = try ShellFixture()
    #expect(
      try fixture.error(of: "replay '\(folder.path)/bad'").message.contains("line \(place + 2): "))
    #expect(fixture.session.jobs.engine.log.count == 0 && !fixture.session.run.mode.isRecorded)
    try fixture.run("delay 1ms --name own; wait; expect (own.id == 1)")
  }

  @Test("A recording is whole although records and entries are dropped while it is written")
  func dropping() throws {
    let folder = try ScratchFolder()
    let count = TestScale.count(8000)
    let fixture = try ShellFixture(
      """
      set keep 100
      record '\(folder.path)/run'
      block { } --count \(count) --name x
      wait
      block { } --count \(count) --name y
      wait
      record off
      """)
    #expect(fixture.session.jobs.operations.hasDropped)
    let text = try #require(folder.read("run"))
    #expect(!text.contains("\"command\":\"record\""))
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    #expect(replay.session.jobs.operations.all.count == 2 * count)
    #expect(replay.session.jobs.operations.all.allSatisfy { $0.outcome == .succeeded })
  }

  @Test("A session whose log has dropped its beginning cannot be recorded")
  func tooLate() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture("set keep 0; block { } --count 9000; wait")
    #expect(
      try fixture.error(of: "record '\(folder.path)/run'").code == "recording-too-late")
    #expect(folder.read("run") == nil)
  }

  @Test("A replay says what the executing operations did")
  func activities() throws {
    let folder = try ScratchFolder()
    let session = try ShellFixture(
      """
      set clock virtual
      queue width 4
      record '\(folder.path)/run'
      server latency 5s
      delay 3s --name d
      block --name b { sleep 4s }
      fetch questions --name g --retry 1
      sleep 1s
      record off
      """)
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    for name in ["d", "b", "g"] {
      let told = try session.shown(by: "why \(name)")
      #expect("\(told)".contains("has been executing for 1 s: "))
      #expect(try replay.shown(by: "why \(name)") == told)
    }
  }

  @Test("A replay says what Foundation's queue holds up")
  func foundation() throws {
    let folder = try ScratchFolder()
    var configuration = SessionConfiguration()
    configuration.program = try BuiltProducts.executable("opsh")
    let session = try ShellFixture(
      """
      record '\(folder.path)/run'
      queue new raw --engine foundation
      delay 1m --name slow --queue raw
      delay 1ms --name stuck --queue raw --after slow
      deps stuck off slow
      """, configuration)
    let stuck = try session.operation("stuck")
    #expect(try session.pump { stuck.waitReasons().contains { $0.code == .foundation } })
    try session.run("record off")
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    #expect(try session.shown(by: "why stuck") == replay.shown(by: "why stuck"))
  }

  @Test("'set keep' drops nothing that is not recorded yet")
  func keepWhileRecording() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      """
      record '\(folder.path)/run'
      set keep 0
      block { } --count 9000
      wait
      """)
    try fixture.run("record off")
    let replay = try ShellFixture("replay '\(folder.path)/run'")
    #expect(replay.session.jobs.operations.all.count == 9000)
  }

  @Test("A group that a recording puts into itself is refused")
  func groupInItself() throws {
    let (folder, lines) = try recorded("group g { delay 1ms --name a }; wait")
    let group = try #require(lines.first { $0["keyPath"]?.string == "group" })
    let id: Int = try #require(group["queueID"]?.exactInteger())
    let texts = lines.map { line in
      line["operation"]?["name"]?.string == "g" && line["type"]?.string == "transition"
        ? line.text.replacing("\"queueID\":1", with: "\"queueID\":\(id)") : line.text
    }
    try folder.write(texts.joined(separator: "\n"), to: "bad")
    let error = try ShellFixture().error(of: "replay '\(folder.path)/bad'")
    #expect(error.message.hasSuffix("operation 1 cannot be in itself"), "\(error.message)")
  }

  @Test("A pipe without a reader, a folder, and a device block nothing")
  func otherFiles() throws {
    let folder = try ScratchFolder()
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let fixture = try ShellFixture()
    #expect(try fixture.error(of: "record '\(pipe)' --replace").code == "file(6)")
    #expect(try fixture.error(of: "record '\(folder.path)' --replace").code == "file(21)")
    #expect(try fixture.error(of: "replay '\(folder.path)'").code == "file(21)")
    #expect(try fixture.error(of: "replay /dev/null").code == "bad-recording")
    #expect(try fixture.error(of: "replay '\(folder.path)/none'").code == "file(2)")
  }

  @Test("A change of an operation that is held has its own time")
  func changesWhileHeld() throws {
    let (_, lines) = try recorded(
      """
      set clock virtual
      delay 1s --name x --hold; delay 1s --name y --hold
      sleep 1s; priority x high
      sleep 1s; deps x on y
      sleep 1s; deps x off y
      """)
    let times = lines.filter { $0["operation"]?["name"]?.string == "x" && $0["keyPath"] != nil }
      .compactMap { $0["elapsed"]?.double.map { Int($0) } }
    #expect(times == [0, 1, 2, 3])
  }

  @Test("A recording that breaks off is shown up to there")
  func brokenOff() throws {
    let (folder, lines) = try recorded("delay 1ms --name a; delay 1ms --name b --after a; wait")
    let text = lines.map(\.text).joined(separator: "\n")
    for length in stride(from: text.utf8.count - 1, to: lines[0].text.utf8.count, by: -97) {
      try folder.write(String(decoding: text.utf8.prefix(length), as: UTF8.self), to: "part")
      let fixture = try ShellFixture("replay '\(folder.path)/part'")
      #expect(throws: Never.self) { try fixture.run("why; blame all; timeline; ops; stats") }
    }
  }

  @Test("Nothing runs and nothing changes in a replay")
  func nothingRuns() throws {
    let (folder, _) = try recorded("delay 1ms --name a; queue pause; delay 1ms --name b")
    let fixture = try ShellFixture("replay '\(folder.path)/run'")
    let refused = [
      "delay 1ms", "fetch questions", "cancel b", "queue resume", "queue width 3", "start b",
      "priority b high", "wait", "finish b", "set clock virtual", "set seed 1", "deps b on a",
      "queue new x", "record x", "tags add x", "server latency 1ms", "sleep 1s",
      "expect (b.state == finished) within 1h", "follow b",
    ]
    for command in refused {
      #expect(try fixture.error(of: command).code == "in-replay", "\(command)")
    }
    #expect(try fixture.error(of: "replay '\(folder.path)/run'").code == "in-replay")
    try fixture.run(
      "expect (b.state == ready); echo hello; let n = (count of ops where state == ready)")
    let recording = try ShellFixture("record '\(folder.path)/other'")
    #expect(try recording.error(of: "replay '\(folder.path)/run'").code == "recording-in-use")
    let other = try ShellFixture("delay 1ms --name own; wait")
    #expect(try other.error(of: "replay '\(folder.path)/run'").code == "session-in-use")
  }

  @Test("The option shows a recording before the program, which ends at once")
  func option() throws {
    let folder = try ScratchFolder()
    let made = try Opsh.run(
      "record 'a run'; queue new slow; queue pause; delay 1ms --name a; record off; queue resume",
      directory: folder.path)
    #expect(made.status == 0, "\(made)")
    let shown = try Opsh.run(
      "why a; (a.state)", options: ["--replay", "a run"], directory: folder.path)
    #expect(shown.status == 0, "\(shown)")
    #expect(shown.output.contains("queue 'network' is paused") && shown.output.hasSuffix("ready\n"))
    // What happened in the recording is not told as if it happened now.
    #expect(!shown.errors.contains("→"), "\(shown.errors)")
    // The names of the recording are known, and programs take no time of its clock.
    let asked = try Opsh.run(
      "replay 'a run'\nqueue show slow\n!echo real", directory: folder.path)
    #expect(asked.status == 0, "\(asked)")
    #expect(asked.output.contains("slow") && asked.output.hasSuffix("real\n"))
    let program = try Opsh.run(
      "!echo real", options: ["--replay", "a run"], directory: folder.path)
    #expect(program.status == 0 && program.output.hasSuffix("real\n"), "\(program)")
    let failed = try Opsh.run("echo x", options: ["--replay", "none"], directory: folder.path)
    #expect(failed.status == 1 && failed.output == "" && failed.errors.contains("[file(2)]"))
  }

  @Test("A killed process leaves what had happened")
  func killed() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      "record run; delay 1ms --name a; wait; delay 1h --name b; sleep 50ms; !kill -KILL $PPID; sleep 5s",
      directory: folder.path)
    #expect(outcome.status != 0)
    let shown = try Opsh.run("ops", options: ["--replay", "run"], directory: folder.path)
    #expect(shown.status == 0, "\(shown)")
    #expect(shown.output.contains("executing") && shown.output.contains("succeeded"))
    #expect(shown.errors.contains("was not ended"))
  }
}
