import CommandParts
import Foundation
import Operations
import OpshJSON
import ShellOutput
import TestSupport
import Testing

@testable import InspectCommands
@testable import ShellCommands
@testable import ShellSession
@testable import ViewCommands

@Suite("Pictures for slides", .timeLimit(.minutes(15)))
struct PictureTests {
  private static func exported(_ fixture: ShellFixture) -> ExportedSession {
    ExportedSession(
      fixture.session.jobs, fixture.session.run, masking: fixture.session.screen.secrets)
  }

  /// The same operations with other names.
  private static func renamed(
    _ session: ExportedSession, _ name: (ExportedSession.Row) -> String
  ) -> ExportedSession {
    let rows = session.rows.map { row in
      ExportedSession.Row(
        id: row.id, name: name(row), kind: row.kind, queue: row.queue, state: row.state,
        outcome: row.outcome, error: row.error, depth: row.depth, times: row.times,
        phases: row.phases, attempts: row.attempts, bytes: row.bytes, status: row.status,
        dependencies: row.dependencies)
    }
    return ExportedSession(rows: rows, clock: session.clock, now: session.now, path: session.path)
  }

  /// Some operations on three queues, with groups, failures and what is skipped.
  private static func script(_ count: Int) -> String {
    var lines = ["set clock virtual", "queue new disk --width 1", "queue new mail --width 3"]
    for index in 0..<count / 5 {
      let after = index > 0 ? " --after one-\(index - 1)" : ""
      lines += [
        "delay 10ms --name one-\(index) --queue disk\(after)",
        "block --name bad-\(index) --queue mail { fail \"no\" }",
        "delay 5ms --name skipped-\(index) --after bad-\(index) --on-failure skip",
        "group g-\(index) --queue network\(after) { delay 7ms --name in-\(index) }",
      ]
    }
    return (lines + ["wait --any-outcome"]).joined(separator: "\n")
  }

  private static func expectApart(_ labels: [SVGBuilder.Label], _ what: String) {
    let page = SVGBuilder.Box(
      x: 0, y: 0, width: SVGBuilder.size.width, height: SVGBuilder.size.height)
    for (index, label) in labels.enumerated() {
      let box = label.box
      let isOnPage = box.x >= page.x && box.right <= page.right && box.bottom <= page.bottom
      #expect(isOnPage, "\(what): '\(label.text)' is not on the page")
      for other in labels.dropFirst(index + 1) {
        #expect(!box.overlaps(other.box), "\(what): '\(label.text)' and '\(other.text)'")
      }
    }
  }

  // MARK: The timeline

  @Test("No text of a timeline overlaps another", arguments: [10, 60, 200, 1_000, 5_000])
  func labels(_ count: Int) throws {
    let count = TestScale.isSanitized ? min(count, 200) : count
    let session = Self.exported(try ShellFixture(Self.script(count)))
    let names: [(String, (ExportedSession.Row) -> String)] = [
      ("short", { $0.name }), ("long", { String(repeating: "Müller-", count: 20) + $0.name }),
      ("wide", { String(repeating: "漢字", count: 40) + $0.name }), ("same", { _ in "WWWWWW" }),
    ]
    let title = String(repeating: "A title that does not fit into one line ", count: 9)
    for (kind, name) in names {
      let picture = SVGTimeline(of: Self.renamed(session, name), title: title)
      Self.expectApart(picture.labels, "\(count) \(kind)")
      // The names of the queues are always there.
      for queue in ["disk", "mail", "network"] {
        #expect(picture.labels.contains { $0.text == queue }, "\(count) \(kind)")
      }
    }
  }

  @Test("The rows of a timeline are those of each queue, members below their group and indented")
  func rows() throws {
    let session = Self.exported(try ShellFixture(Self.script(20)))
    let places = SVGTimeline(of: session).places
    let byID = session.rowsByID
    let queues = places.filter { $0.operation == nil }.map(\.queue)
    #expect(queues == ["disk", "mail", "network"])
    for (place, next) in zip(places, places.dropFirst()) {
      #expect(abs(place.y + place.height - next.y) < 0.001)
      guard let id = next.operation, let row = byID[id] else { continue }
      #expect(next.depth == row.depth + 1)
      if row.depth == 0 {
        #expect(row.queue == next.queue)
      } else {
        #expect(place.operation.flatMap { byID[$0]?.name }?.hasPrefix("g-") == true)
        #expect(next.queue == place.queue)
      }
    }
    #expect(places.count { $0.operation != nil } == session.rows.count)
  }

  @Test("The critical path of a timeline is the one that blame tells")
  func path() throws {
    var steps = 0
    for seed in 1...UInt64(TestScale.isSanitized ? 5 : 40) {
      var random = try RandomSession(seed: seed)
      try random.go()
      let jobs = random.fixture.session.jobs
      let session = Self.exported(random.fixture)
      let history = LifeAccount(of: jobs.engine.log, until: session.now)
      let told = BlameReport(on: jobs.operations.all, in: history, jobs).objects
        .filter { $0["part"] == .string("path") }
      // Blame divides the work of a request into its steps.
      let seconds = told.compactMap { $0["seconds"]?.double }.reduce(0, +)
      let drawn = SVGTimeline(of: session)
      let length = session.path.reduce(Duration.zero) { $0 + $1.span.duration }
      #expect(abs(length / .seconds(1) - seconds) < 0.001 * Double(told.count + 1), "seed \(seed)")
      var names: [Int] = []
      for row in told {
        guard let id = row["operation"]?["id"]?.exactInteger(Int.self) else { continue }
        if names.last != id { names.append(id) }
      }
      var ids: [Int] = []
      for step in session.path where ids.last != step.operation { ids.append(step.operation) }
      #expect(names == ids, "seed \(seed)")
      let isOnPath = Set(drawn.path.map(\.operation))
      #expect(isOnPath.isSubset(of: ids))
      let bold = Set(drawn.labels.lazy.filter(\.isBold).map(\.text))
      for row in session.rows where drawn.labels.contains(where: { $0.text == row.name }) {
        #expect(bold.contains(row.name) == isOnPath.contains(row.id), "seed \(seed): \(row.name)")
      }
      steps += drawn.path.count
    }
    // Five sessions have about 20 steps.
    #expect(steps > (TestScale.isSanitized ? 5 : 50))
  }

  // MARK: The title and the colours

  @Test(
    "The title is the first comment, or what --title says",
    arguments: [
      ("#!/usr/bin/env opsh\n\n# The jam & more\n# second\n", "", "The jam &amp; more"),
      ("", " --title '<b>\"x\"</b>'", "&lt;b&gt;&quot;x&quot;&lt;/b&gt;"),
      ("# no\n", " --title 'A title'", "A title"), ("", "", "1 operation in 1 ms"),
    ])
  func titles(_ head: String, _ option: String, _ title: String) throws {
    let folder = try ScratchFolder()
    try ShellFixture().run(
      head + "set clock virtual; delay 1ms; wait\nexport '\(folder.path)/a.svg'\(option)")
    let text = try #require(folder.read("a.svg"))
    #expect(text.contains(" xml:space=\"preserve\">\(title)</text>"), "\(text)")
  }

  @Test("A comment that was typed is the title of what was typed after it")
  func typedTitle() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture("set clock virtual")
    for line in ["# A lecture", "delay 1ms", "wait", "export '\(folder.path)/a.svg'"] {
      try fixture.session.run.noting(typed: line) {
        try fixture.run(line)
        return .whole
      }
    }
    #expect(folder.read("a.svg")?.contains(">A lecture</text>") == true)
  }

  @Test(
    "A dark picture has the same places and other colours", arguments: ["", "--graph", "--life a"])
  func dark(_ kind: String) throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      "set clock virtual; delay 1ms --name a; delay 1ms --after a; wait")
    try fixture.run("export '\(folder.path)/light.svg' \(kind)")
    try fixture.run("export '\(folder.path)/dark.svg' \(kind) --dark")
    let texts = [try #require(folder.read("light.svg")), try #require(folder.read("dark.svg"))]
    #expect(texts[0].contains("fill=\"#ffffff\"/>") && !texts[1].contains("#ffffff"))
    let shapes = texts.map { $0.replacing(/#[0-9a-f]{6}/, with: "") }
    #expect(shapes[0] == shapes[1])
  }

  // MARK: The graph

  @Test("Groups are frames around their members, and unconnected operations are left out")
  func graph() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 1ms --name alone; delay 1ms --name first
      group outer --after first { group inner { delay 1ms --name deep }; delay 1ms --name member }
      delay 1ms --name final --after outer; wait
      """)
    let graph = SVGGraph(of: Self.exported(fixture))
    let names = graph.rows.map(\.name)
    #expect(names == ["first", "outer", "inner", "deep", "member", "final"])
    #expect(graph.layout.frames.keys.sorted() == [1, 2])
    let (boxes, frames) = (graph.layout.boxes, graph.layout.frames)
    #expect(boxes[0].bottom < frames[1]?.y ?? 0 && frames[1]?.bottom ?? .infinity < boxes[5].y)
  }

  // MARK: The life

  @Test("The picture of a life says what the diagram says, each reason and each notification")
  func life() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue pause
      delay 5ms --name a; delay 5ms --name b --after a; delay 1h --name c --hold
      sleep 2ms; cancel a; queue resume; wait b --any-outcome
      """)
    let folder = try ScratchFolder()
    for name in ["a", "b", "c"] {
      try fixture.run("export '\(folder.path)/\(name).svg' --life \(name)")
      let text = try #require(folder.read("\(name).svg"))
      let parts = try fixture.output(of: "diagram \(name)").dropFirst().flatMap { line in
        line.split(separator: "  ").map { $0.drop { "│●○├ 0123456789.".contains($0) } }
      }
      #expect(parts.count > 8)
      for part in parts where !part.isEmpty {
        #expect(text.contains(part), "\(name): '\(part)'")
      }
    }
  }

  @Test("No text of a life overlaps another, however long the life is")
  func longLife() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; set seed 3
      server fault status-503 100%
      fetch questions --name many --retry 40 --backoff 10ms; wait --any-outcome
      """)
    let session = Self.exported(fixture)
    let row = try #require(session.rows.first)
    let operation = try fixture.operation("many")
    var life = LifeCycle(of: operation)
    let entries = fixture.session.jobs.engine.log.entries(from: 0, limit: .max).entries
    let steps = entries.flatMap { life.steps(for: $0) }
    #expect(steps.count > 60)
    Self.expectApart(SVGLife(of: row, steps, in: session).labels, "many")
    Self.expectApart(SVGLife(of: row, Array(steps.prefix(4)), in: session).labels, "few")
  }

  @Test(
    "Every picture of hostile names and titles is well-formed",
    arguments: ["", "--graph", "--life one-0", "--dark", "--graph --dark"])
  func wellFormed(_ options: String) throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(Self.script(20))
    try fixture.run(
      "export '\(folder.path)/a.svg' \(options) --title \"]]>&<'\\u{1}\\u{7}\\u{202E}\\u{FFFF}\"")
    let hostile = Self.renamed(Self.exported(fixture)) { row in
      row.id % 2 == 0 ? "<\"&'>\u{0}\u{1B}[2J\u{FFFE}" : "]]></svg><script>\n"
    }
    try SVGTimeline(of: hostile).text
      .write(toFile: folder.path + "/b.svg", atomically: true, encoding: .utf8)
    try SVGGraph(of: hostile).text
      .write(toFile: folder.path + "/c.svg", atomically: true, encoding: .utf8)
    for name in ["a", "b", "c"] {
      let outcome = try ChildProcess.run(
        "/usr/bin/env",
        arguments: ["rsvg-convert", "-o", folder.path + "/a.png", "\(folder.path)/\(name).svg"])
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
      #expect(folder.read("\(name).svg")?.contains("<script") == false)
    }
  }
}
