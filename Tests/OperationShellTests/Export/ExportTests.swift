import Foundation
import Operations
import ShellLanguage
import ShellOutput
import TestSupport
import Testing

@testable import ShellCommands
@testable import ShellSession
@testable import ViewCommands

@Suite("Exports", .timeLimit(.minutes(15)))
struct ExportTests {
  private static let script = """
    set clock virtual
    queue width 2
    server latency 20ms
    delay 10ms --name load
    delay 10ms --name tags
    delay 30ms --name merge --after load,tags
    fetch questions --name q --after load --on-failure skip
    group sync { delay 5ms --name part; block --name broken { fail "a \\"quoted\\", <b>bold</b>\\nline" } }
    delay 1ms --name final --after sync --on-failure skip
    wait --any-outcome
    """
  private static let endings = ["html", "svg", "csv", "dot", "mmd", "md", "har", "trace.json"]

  private func exported(_ ending: String, _ options: String = "") throws -> String {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(Self.script)
    try fixture.run("export '\(folder.path)/out.\(ending)' \(options)")
    return try String(contentsOfFile: "\(folder.path)/out.\(ending)", encoding: .utf8)
  }

  @Test("On the virtual clock the same session writes the same bytes", arguments: endings)
  func deterministic(ending: String) throws {
    #expect(try exported(ending) == exported(ending))
  }

  @Test("A file is for the user alone, and is not overwritten without being asked for")
  func files() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/times.csv"
    let fixture = try ShellFixture("set clock virtual; delay 1ms; wait; export '\(path)'")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try fixture.error(of: "export '\(path)'").code == "file-exists")
    #expect(try fixture.error(of: "export '\(folder.path)/none/x.csv'").code == "file(2)")
    #expect(try fixture.error(of: "export '\(folder.path)/x.pdf'").code == "unknown-ending")
    #expect(try fixture.error(of: "export '\(folder.path)/x.csv' --graph").code == "unknown-ending")
    let before = try String(contentsOfFile: path, encoding: .utf8)
    try fixture.run("delay 1ms; wait; export '\(path)' --replace")
    #expect(try String(contentsOfFile: path, encoding: .utf8).count > before.count)
    #expect(
      try ShellFixture().error(of: "export '\(folder.path)/empty.csv'").code == "nothing-to-export")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/empty.csv"))
    #expect(try fixture.error(of: "export '\(folder.path)/none.har'").code == "nothing-to-export")
  }

  @Test("A credential is in no export", arguments: endings)
  func masked(ending: String) throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      """
      get /2.3/sites --header "Authorization: Bearer s3cr3t-token-4711"
      block --name b { fail "denied: s3cr3t-token-4711" }
      wait --any-outcome
      export '\(folder.path)/out.\(ending)'
      """)
    _ = fixture
    let text = try String(contentsOfFile: "\(folder.path)/out.\(ending)", encoding: .utf8)
    #expect(!text.contains("s3cr3t"))
  }

  @Test("The picture of the README is what its script writes")
  func readmePicture() throws {
    let folder = try ScratchFolder()
    let outcome = try ChildProcess.run(
      try BuiltProducts.executable("opsh"),
      arguments: [
        "--no-rc", PackageFolder.path + "/scripts/examples/picture.opsh", folder.path + "/new.svg",
      ], environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"])
    #expect(outcome.status == 0, "\(outcome)")
    let path = PackageFolder.path + "/Sources/Operations/Operations.docc/Resources/session.svg"
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    #expect(folder.read("new.svg") == kept, "run the script again, with that path")
    let readme = try String(contentsOfFile: PackageFolder.path + "/README.md", encoding: .utf8)
    #expect(readme.contains("(Sources/Operations/Operations.docc/Resources/session.svg)"))
  }

  // MARK: Markdown and lives

  @Test("Markdown has a row for each operation, every transition, and no live markup")
  func markdown() throws {
    let text = try exported("md")
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("| ") } == 2 + 8)
    #expect(text.contains(#"\<b\>bold\</b\>"#), "\(text)")
    #expect(text.contains("```text\n") && text.contains("```mermaid\nflowchart TB\n"))
    #expect(lines.contains { $0.contains("load         executing → finished") })
    // A cell with a line break or a bar would break the table.
    let cells = lines.filter { $0.hasPrefix("| ") }
      .map { $0.replacing("\\|", with: "").split(separator: "|").count }
    #expect(Set(cells) == [9])
  }

  @Test(
    "Typed lines stand among the transitions that they caused, in a fence that they cannot close")
  func typedLines() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture("set clock virtual")
    let session = fixture.session
    for line in ["delay 1ms --name first", "wait", "echo '```' # fence", "delay 1ms --name second"]
    {
      try session.run.noting(typed: line) {
        try fixture.run(line)
        return .whole
      }
    }
    try fixture.run("wait; export '\(folder.path)/out.md'")
    let lines = try #require(folder.read("out.md")).split(separator: "\n")
    let order = ["opsh> delay 1ms --name first", "first ", "opsh> wait", "opsh> echo", "second "]
    let places = order.map { part in lines.firstIndex { $0.contains(part) && !$0.hasPrefix("|") } }
    #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted() && !places.contains(nil))
    #expect(lines.contains("````text"))
  }

  @Test("The Markdown page says which typed lines did not complete")
  func incompleteLines() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture("set clock virtual")
    let typed: [(String, TypedLine.Completed)] = [
      ("echo first", .whole), ("cancel nothing", .nothing),
      ("echo a\ncancel nothing\n", .part("echo a", operationCount: 0)),
    ]
    for (text, completed) in typed { try fixture.session.run.noting(typed: text) { completed } }
    try fixture.run("delay 1ms; wait; export '\(folder.path)/out.md'")
    let lines = try #require(folder.read("out.md")).split(separator: "\n")
    #expect(
      lines.filter { $0.hasPrefix("opsh> ") || $0.hasPrefix("    > ") } == [
        "opsh> echo first", "opsh> cancel nothing  # not completed", "opsh> echo a",
        "    > cancel nothing  # completed only: echo a",
      ])
  }

  @Test("The life of an operation shows its states, its phases, and whom they are owed to")
  func life() throws {
    let text = try exported("svg", "--life merge")
    for part in [
      ">created<", ">executing<", ">✓ 30 ms<", ">dependency not finished: tags<", ">work<",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    let cancelled = try exported("svg", "--life final")
    #expect(cancelled.contains(", skipped<") && cancelled.contains(">not reached<"))
    let fixture = try ShellFixture("set clock virtual; delay 1ms --name a; wait")
    #expect(try fixture.error(of: "export x.svg --life b").code == "unknown-operation")
  }

  @Test("Pictures and graphs tell two operations of one name apart by their numbers")
  func sharedNames() throws {
    let folder = try ScratchFolder()
    let long = String(repeating: "n", count: 40)
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 1s --name a; delay 1ms --name only; delay 1s --name \(long); wait
      delay 2s --name a --after 1; delay 1ms --name \(long) --after 3
      delay 1ms --name z --after 4; wait
      """)
    func exported(_ file: String, _ options: String = "") throws -> String {
      try fixture.run("export '\(folder.path)/\(file)' \(options)")
      return try #require(folder.read(file))
    }
    let texts = [
      try exported("t.svg"), try exported("g.svg", "--graph"), try exported("t.dot"),
      try exported("t.mmd"),
    ]
    for (index, text) in texts.enumerated() {
      // Mermaid writes parentheses as numbers.
      let text = text.replacing("#40;", with: "(").replacing("#41;", with: ")")
      // A picture cuts a long name in front of its number.
      let end = index < 2 ? "n…" : "n"
      for (id, name) in [(1, "a"), (4, "a"), (3, end), (5, end)] {
        #expect(text.contains("\(name) (\(id))"), "\(index) \(id)")
      }
      #expect(!text.contains("only (") && !text.contains(">a<"), "\(index)")
    }
    #expect(texts[0].contains(">a (1)<") && texts[1].contains(">a (4)<"))
    #expect(texts[0].contains("n… (5)<") && texts[1].contains("n… (5)<"))
    #expect(texts[2].contains("[label=\"a (4)\\n"))
    #expect(try exported("l.svg", "--life 4").contains(">a (4)<"))
    #expect(try exported("z.svg", "--life z").contains(">dependency not finished: a (4)<"))
  }

  // MARK: CSV

  @Test("CSV is RFC 4180: quotes are doubled, lines end in CR LF, columns are constant")
  func csv() throws {
    let text = try exported("csv")
    let table = Self.fields(ofCSV: text)
    #expect(table.allSatisfy { $0.count == table[0].count })
    let byName = Dictionary(uniqueKeysWithValues: table.dropFirst().map { ($0[1], $0) })
    func value(_ name: String, _ column: String) -> String? {
      table[0].firstIndex(of: column).flatMap { byName[name]?[$0] }
    }
    let error = try #require(value("broken", "error"))
    #expect(error.hasPrefix("script: a \"quoted\", <b>bold</b>\nline"), "\(error)")
    #expect(value("merge", "dependencies") == "1 2")
    #expect(value("merge", "ran") == "0.030000")
    #expect(value("part", "depth") == "1" && value("final", "outcome") == "skipped")
    #expect(table.count == 9)
  }

  /// Reads RFC 4180.
  private static func fields(ofCSV text: String) -> [[String]] {
    var (table, row, field, isQuoted) = ([[String]](), [String](), "", false)
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch (scalar, isQuoted) {
      case ("\"", true) where scalars.first == "\"":
        scalars.removeFirst()
        field.append("\"")
      case ("\"", _): isQuoted.toggle()
      case (",", false):
        row.append(field)
        field = ""
      case ("\r", false):
        #expect(scalars.popFirst() == "\n")
        table.append(row + [field])
        (row, field) = ([], "")
      default: field.unicodeScalars.append(scalar)
      }
    }
    #expect(row.isEmpty && field.isEmpty && !isQuoted)
    return table
  }

  // MARK: Graphs

  @Test("Graphviz draws the DOT file, and hostile names stay names")
  func dot() throws {
    let session = try Self.hostileSession()
    for text in [try exported("dot"), DOTText(of: session).text] {
      let drawn = try Self.run(["dot", "-Tplain"], input: text)
      #expect(drawn.contains("node ") && drawn.contains("edge "))
    }
    let json = try Self.run(["dot", "-Tdot_json"], input: DOTText(of: session).text)
    let graph = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let objects = try #require(graph["objects"] as? [[String: Any]])
    #expect(objects.count == 2)
    let label = try #require(objects[0]["label"] as? String)
    #expect(label.hasPrefix(#"a "q" [b] {c} <d> \\ e^Jf"#), "\(label)")
  }

  @Test("Mermaid nodes hold no character that would end their text")
  func mermaid() throws {
    let text = MermaidText(of: try Self.hostileSession()).text
    let lines = text.split(separator: "\n")
    #expect(lines[0] == "flowchart TB" && lines.count == 4)
    let inside = try #require(lines[1].firstMatch(of: /^  n1\["(.*)"\]$/)).1
    #expect(!inside.contains { "\"[]{}".contains($0) })
    #expect(inside.hasPrefix("a #34;q#34; #91;b#93;"))
    #expect(lines[3] == "  n1 -->|skip| n2")
    #expect(try exported("mmd").contains("  n1 --> n3"))
  }

  // MARK: Pictures

  @Test(
    "SVG is well-formed, renders, and has a text for screen readers", arguments: ["", "--graph"])
  func svg(options: String) throws {
    let text = try exported("svg", options)
    #expect(text.contains("viewBox=\"0 0 1600 900\"") && text.contains("role=\"img\""))
    #expect(text.contains("<title id=\"title\">opsh ") && text.contains("merge"))
    // Nothing in it is loaded or run.
    #expect(!text.contains("href") && !text.contains("<script") && !text.contains("<b>bold"))
    try Self.expectRenders(text)
    let hostile = try Self.hostileSession()
    try Self.expectRenders(SVGTimeline(of: hostile).text)
  }

  private static func expectRenders(_ svg: String) throws {
    let folder = try ScratchFolder()
    try svg.write(toFile: folder.path + "/a.svg", atomically: true, encoding: .utf8)
    _ = try run(["rsvg-convert", "-o", folder.path + "/a.png", folder.path + "/a.svg"], input: "")
    let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/a.png")[.size]
    #expect((size as? Int ?? 0) > 1_000)
  }

  // MARK: Traces

  @Test("A trace holds what the Trace Event Format requires, events nest, and times match the log")
  func trace() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(Self.script)
    try fixture.run("export '\(folder.path)/a.trace.json'")
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.trace.json"))
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let events = try #require(root["traceEvents"] as? [[String: Any]])
    for event in events {
      #expect(event["name"] is String && event["ph"] is String, "\(event)")
      #expect(event["ts"] is NSNumber && event["pid"] is Int && event["tid"] is Int, "\(event)")
      switch event["ph"] as? String {
      case "X": #expect((event["dur"] as? Double ?? -1) >= 0, "\(event)")
      case "b", "e", "s", "f": #expect(event["id"] is Int && event["cat"] is String, "\(event)")
      case "M": #expect((event["args"] as? [String: Any])?["name"] is String, "\(event)")
      default: Issue.record("unknown phase of an event: \(event)")
      }
    }
    Self.expectNesting(of: events)
    let merge = try #require(fixture.session.jobs.operations.operation(named: "merge"))
    let execution = try #require(
      events.first { $0["name"] as? String == "merge" && $0["ph"] as? String == "X" })
    let started = try #require(merge.timestamps.executing)
    #expect(
      abs((execution["ts"] as? Double ?? 0) / 1e6 - fixture.session.run.clock.elapsed(started))
        < 0.001)
    #expect(abs((execution["dur"] as? Double ?? 0) - 30_000) < 1)
    #expect(
      events.count { $0["ph"] as? String == "s" } == events.count { $0["ph"] as? String == "f" })
    #expect(events.contains { $0["ph"] as? String == "s" })
  }

  /// Of two complete events of one thread, either none overlaps the other, or one is inside of it.
  private static func expectNesting(of events: [[String: Any]]) {
    let complete = events.filter { $0["ph"] as? String == "X" }
    let threads = Dictionary(grouping: complete) { "\($0["pid"] ?? "")/\($0["tid"] ?? "")" }
    #expect(threads.count > 1)
    for (_, events) in threads {
      let spans = events.map { event -> (Double, Double) in
        let start = event["ts"] as? Double ?? 0
        return (start, start + (event["dur"] as? Double ?? 0))
      }
      for (index, one) in spans.enumerated() {
        for other in spans[(index + 1)...] {
          let isApart = one.1 <= other.0 + 0.01 || other.1 <= one.0 + 0.01
          let isInside =
            (one.0 <= other.0 && other.1 <= one.1) || (other.0 <= one.0 && one.1 <= other.1)
          #expect(isApart || isInside, "\(one) and \(other)")
        }
      }
    }
  }

  @Test(
    "Very many operations are written in each kind", arguments: endings.filter { $0 != "har" })
  func many(ending: String) throws {
    let folder = try ScratchFolder()
    let count = TestScale.isSanitized ? 2_000 : 10_000
    let fixture = try ShellFixture(
      "set clock virtual; queue width 8; delay 1ms --count \(count); wait; "
        + "export '\(folder.path)/out.\(ending)'")
    _ = fixture
    let text = try String(contentsOfFile: "\(folder.path)/out.\(ending)", encoding: .utf8)
    // A picture shows as many as can be told apart, and says so.
    #expect(text.contains(ending == "svg" ? "\(count) operations" : "delay-\(count)"))
  }

  // MARK: HTTP Archive

  @Test("An archive has what HTTP Archive 1.2 requires, an entry for each attempt")
  func archive() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      """
      server fault status-503 100%
      get '/2.3/sites?x=1&y' --name g --retry 1 --backoff 1ms
      wait g --any-outcome
      server fault off
      fetch questions --name q
      wait
      export '\(folder.path)/a.har'
      """)
    _ = fixture
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.har"))
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let log = try #require(root["log"] as? [String: Any])
    #expect(log["version"] as? String == "1.2")
    #expect((log["creator"] as? [String: Any])?["name"] as? String == "opsh")
    let entries = try #require(log["entries"] as? [[String: Any]])
    #expect(entries.compactMap { $0["_operation"] as? String } == ["g", "g", "q"])
    #expect(entries.compactMap { $0["_attempt"] as? Int } == [1, 2, 1])
    for entry in entries {
      let request = try #require(entry["request"] as? [String: Any])
      let response = try #require(entry["response"] as? [String: Any])
      for key in ["method", "url", "httpVersion", "cookies", "headers", "queryString"] {
        #expect(request[key] != nil, "\(key)")
      }
      for key in ["status", "statusText", "httpVersion", "cookies", "headers", "redirectURL"] {
        #expect(response[key] != nil, "\(key)")
      }
      for part in [request, response] {
        #expect(part["headersSize"] is Int && part["bodySize"] is Int)
      }
      let content = try #require(response["content"] as? [String: Any])
      #expect(content["size"] is Int && content["mimeType"] is String && entry["cache"] != nil)
      let started = try #require(entry["startedDateTime"] as? String)
      #expect(started.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
      // The phases that there were add up to the time; that of TLS is a part of connecting.
      let timings = try #require(entry["timings"] as? [String: Double])
      let phases = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap {
        timings[$0]
      }
      #expect(phases.count == 6)
      let sum = phases.filter { $0 > 0 }.reduce(0, +)
      #expect(abs(sum - (entry["time"] as? Double ?? -1)) < 0.1, "\(timings)")
    }
    let first = try #require(entries[0]["request"] as? [String: Any])
    let query = try #require(first["queryString"] as? [[String: String]])
    #expect(query == [["name": "x", "value": "1"], ["name": "y", "value": ""]])
    #expect((entries[0]["response"] as? [String: Any])?["status"] as? Int == 503)
  }

  // MARK: Helpers

  /// Two operations, of which one has a name that no format may take for its own syntax.
  private static func hostileSession() throws -> ExportedSession {
    let fixture = try ShellFixture(
      "set clock virtual; delay 5ms --name a; delay 5ms --name b --after a; wait")
    let real = ExportedSession(
      fixture.session.jobs, fixture.session.run, masking: fixture.session.screen.secrets)
    let names = ["a \"q\" [b] {c} <d> \\ e\nf]]>&#x41;", "<script>alert(1)</script>"]
    let rows = zip(real.rows, names).enumerated().map { index, pair in
      let (row, name) = pair
      return ExportedSession.Row(
        id: row.id, name: name, kind: row.kind, queue: row.queue, state: row.state,
        outcome: row.outcome, error: row.error, depth: row.depth, times: row.times,
        phases: row.phases, attempts: row.attempts, bytes: row.bytes, status: row.status,
        dependencies: index == 0 ? [] : [(real.rows[0].id, .skip)])
    }
    return ExportedSession(rows: rows, clock: real.clock, now: real.now)
  }

  /// Runs a program, and returns what it prints.
  private static func run(_ words: [String], input: String) throws -> String {
    let outcome = try ChildProcess.run("/usr/bin/env", arguments: words, input: input)
    #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    return outcome.output
  }

  @Test(
    "A file that can't be written is an error of the system, as with '>'",
    arguments: [("nowhere/a.csv", 2), ("full.svg", 28), ("b.dot/b.dot", 20), ("folder.md", 21)])
  func unwritable(_ name: String, _ number: Int32) throws {
    let folder = try ScratchFolder()
    try folder.write("", to: "b.dot")
    try folder.makeFolder("folder.md")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/full.svg", withDestinationPath: "/dev/full")
    let names = folder.names
    func lines(_ statement: String) throws -> [String] {
      let outcome = try Opsh.run("delay 1ms; wait; \(statement)", directory: folder.path)
      #expect(outcome.status == 1)
      return outcome.errors.split(separator: "\n").compactMap { line in
        ["error: ", "help: "].compactMap { line.firstRange(of: $0) }.first
          .map { String(line[$0.lowerBound...]) }
      }
    }
    let shown = try lines("export \(name) --replace")
    let message = String(cString: strerror(number))
    #expect(shown.first == "error: '\(name)': \(message) [file(\(number))]")
    #expect(try shown == lines("echo a > \(name)"))
    #expect(folder.names == names)
  }
}
