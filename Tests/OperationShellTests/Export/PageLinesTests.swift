import Foundation
import Operations
import ShellSession
import Testing

@testable import ShellCommands
@testable import SteerCommands
@testable import ViewCommands

@Suite("The lines of a page", .timeLimit(.minutes(5)))
struct PageLinesTests {
  /// Gives a span after each event, which says what the event was.
  private final class Echo: SpanSource {
    func spans(after event: SpanEvent) -> [RecordedSpan] {
      switch event {
      case .log(.entry(let entry)):
        [
          RecordedSpan(
            of: .operation(entry.operation.id), at: entry.time, "work", culprit: 7,
            text: "entry \(entry.sequence)", owed: 8)
        ]
      case .log(.change(let change)):
        [RecordedSpan(of: change.subject, at: change.time, nil, text: "change \(change.sequence)")]
      case .transfers, .time: []
      }
    }
  }

  private static func objects(_ lines: [String]) throws -> [[String: Any]] {
    try lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private static func types(_ lines: [String]) throws -> [String] {
    try objects(lines).compactMap { $0["type"] as? String }
  }

  @Test("A span stands after the event with which it begins, and every event is asked for spans")
  func order() throws {
    let fixture = try ShellFixture(
      "set clock virtual; delay 1s --name a; delay 1s --name b --after a; queue width 3; wait")
    var lines = RecordingLines(of: fixture.session.run, spans: Echo())
    let objects = try Self.objects(lines.next() + lines.end(status: 0))
    #expect(objects.compactMap { $0["sequence"] as? Int } == Array(0..<objects.count))
    let log = fixture.session.jobs.engine.log
    let (entries, changes) = (log.count, log.changeCount)
    #expect(entries > 7 && changes > 3)
    var texts: [String] = []
    for (line, next) in zip(objects, objects.dropFirst()) where next["type"] as? String == "span" {
      texts.append(try #require(next["text"] as? String))
      let subject = line["type"] as? String == "transition" ? "entry" : "change"
      #expect(texts.last?.hasPrefix(subject) == true, "\(line), then \(next)")
      #expect(line["elapsed"] as? Double == next["elapsed"] as? Double)
      if let operation = line["operation"] as? [String: Any] {
        #expect((next["operation"] as? [String: Any])?["id"] as? Int == operation["id"] as? Int)
      } else {
        #expect(next["queueID"] as? Int == line["queueID"] as? Int)
        #expect(next["queue"] as? String == line["queue"] as? String)
      }
    }
    #expect(texts.count { $0.hasPrefix("entry") } == entries)
    #expect(texts.filter { $0.hasPrefix("change") } == (0..<changes).map { "change \($0)" })
    let span = try #require(objects.last { $0["cause"] as? String == "work" })
    #expect(span["culprit"] as? Int == 7 && span["owed"] as? Int == 8 && span["cure"] is NSNull)
  }

  @Test("The spans of a session say what keeps operations and queues, and end with the operation")
  func spans() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue width 1
      delay 2s --name slow; block --name broken { fail "x" }; delay 1s --name given-up
      delay 1s --name skipped --after broken --on-failure skip
      sleep 1s; cancel given-up; wait --any-outcome
      """)
    let lines = try Self.objects(SessionLines(of: fixture.session.run, fixture.session.jobs).next())
    let spans = lines.filter { $0["type"] as? String == "span" }
    func number(of name: String) throws -> Int {
      try #require(fixture.session.jobs.operations.operation(named: name)?.id)
    }
    func told(_ name: String) -> [[String: Any]] {
      spans.filter { ($0["operation"] as? [String: Any])?["name"] as? String == name }
    }
    for name in ["slow", "broken", "given-up", "skipped"] {
      let last = try #require(told(name).last)
      #expect(last["cause"] is NSNull, "\(name): \(last)")
      let end = lines.last {
        ($0["operation"] as? [String: Any])?["name"] as? String == name
          && $0["to"] as? String == "finished"
      }
      #expect(last["elapsed"] as? Double == end?["elapsed"] as? Double, "\(name)")
    }
    #expect(told("broken").compactMap { $0["cause"] as? String } == ["queue", "work"])
    let dependency = try #require(told("skipped").first)
    #expect(dependency["text"] as? String == "waits for 'broken'")
    #expect(try dependency["culprit"] as? Int == number(of: "broken"))
    let ofQueue = spans.filter { $0["queue"] as? String == "network" }
    let full = try #require(ofQueue.first { $0["cause"] as? String == "queue-full" })
    #expect(full["text"] as? String == "queue 'network' is full: 'slow' holds its slot")
    #expect(full["cure"] as? String == "queue width network unlimited")
    #expect(try full["culprit"] as? Int == number(of: "slow"))
    #expect((full["elapsed"] as? Double).map { $0 < 0.001 } == true)
    #expect(try ofQueue.contains { $0["owed"] as? Int == (try number(of: "slow")) }, "\(ofQueue)")
  }

  /// The spans of an operation or a queue that a page gets.
  private static func spans(_ fixture: ShellFixture, of name: String) throws -> [[String: Any]] {
    try objects(SessionLines(of: fixture.session.run, fixture.session.jobs).next()).filter {
      $0["type"] as? String == "span"
        && ($0["operation"] as? [String: Any])?["name"] as? String == name
    }
  }

  @Test("A wait for several dependencies is one span, owed to the last of them")
  func dependencies() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue width 3
      delay 2s --name b; delay 1s --name a; delay 1s --name c --after a,b; wait
      """)
    let spans = try Self.spans(fixture, of: "c").filter { $0["cause"] as? String == "dependency" }
    #expect(spans.compactMap { $0["culprit"] as? Int } == [2, 1])
    #expect(spans.compactMap { $0["continues"] as? Bool } == [false, true])
    let end = try #require(
      try Self.spans(fixture, of: "c").first { $0["owed"] as? Int != nil })
    #expect(end["owed"] as? Int == 1 && (end["elapsed"] as? Double)?.rounded() == 2)
    let life = try #require(
      LifeAccount(of: fixture.session.jobs.engine.log, until: fixture.session.jobs.engine.now)
        .spans(of: 3).first)
    #expect(life.cause == .dependency && life.culprit == 1, "the rule of 'blame'")
  }

  @Test("Ready operations have ranks in the order in which they start, also after a change")
  func ranks() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue width 1
      delay 1s --name first; delay 1s --name low --priority low; delay 1s --name late
      delay 1s --name high --priority high; delay 1s --name raised
      priority raised veryHigh
      """)
    let names = ["low", "late", "high", "raised"]
    let ranked = try names.map { name in
      (name, try #require(try Self.spans(fixture, of: name).last?["rank"] as? Int))
    }
    #expect(ranked.sorted { $0.1 < $1.1 }.map(\.0) == ["raised", "high", "late", "low"])
    #expect(try Self.spans(fixture, of: "raised").last?["continues"] as? Bool == true)
  }

  @Test("A circle is a span of each operation in it, until it opens")
  func circle() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue new q --width 1
      delay 1s --name behind --queue q --hold
      group g --queue q { delay 1s --name child --after behind }
      sleep 1s; start behind; sleep 1s
      """)
    let page = SessionLines(of: fixture.session.run, fixture.session.jobs)
    func told() throws -> [String] {
      try Self.objects(page.next()).filter { $0["type"] as? String == "span" }.compactMap { span in
        guard let operation = span["operation"] as? [String: Any] else { return nil }
        let seconds = (span["elapsed"] as? Double ?? 0).rounded()
        return "\(operation["name"] ?? "") \(span["cause"] ?? "") \(Int(seconds))"
      }
    }
    let closed = try told().filter { $0.contains("deadlock") }
    #expect(closed.sorted() == ["behind deadlock 1", "child deadlock 1", "g deadlock 1"])
    #expect(try told().isEmpty, "once")
    try fixture.run("sleep 1s; queue width q 2")
    #expect(try told().contains("behind work 3"))
  }

  @Test("A page gets a line when virtual time has passed without an event; a recording does not")
  func time() throws {
    let fixture = try ShellFixture("set clock virtual; delay 1s --name a; wait")
    let page = SessionLines(of: fixture.session.run, fixture.session.jobs)
    var recording = RecordingLines(of: fixture.session.run)
    #expect(try !Self.types(page.next() + recording.next()).contains("clock"))
    #expect(page.next().isEmpty)
    try fixture.run("sleep 10s")
    let passed = try Self.objects(page.next())
    #expect(passed.compactMap { $0["type"] as? String } == ["clock"])
    #expect(passed.compactMap { $0["elapsed"] as? Double } == [11])
    #expect(page.next().isEmpty, "once for the same time")
    #expect(!recording.hasNews && recording.next().isEmpty)
    try fixture.run("delay 1s --name b; wait")
    #expect(try !Self.types(page.next()).contains("clock"), "an event tells the time")
  }

  @Test("A page is told how fast time passes; a recording is not")
  func speed() throws {
    let fixture = try ShellFixture("delay 1ms; wait")
    let page = SessionLines(of: fixture.session.run, fixture.session.jobs)
    var recording = RecordingLines(of: fixture.session.run)
    #expect(try !Self.types(page.next() + recording.next()).contains("clock"))
    try fixture.run("set speed 1/4")
    let told = try Self.objects(page.next())
    #expect(told.last?["type"] as? String == "clock" && told.last?["speed"] as? Double == 0.25)
    #expect(page.next().isEmpty && !recording.hasNews)
  }

  @Test("The head of the page has words, short form, letter and colours of every cause")
  func causes() throws {
    let page = SessionPage.html(lines: nil)
    let start = try #require(page.range(of: "<meta name=\"opsh-causes\" content='"))
    let end = try #require(page.range(of: "'>", range: start.upperBound..<page.endIndex))
    let text = page[start.upperBound..<end.lowerBound]
    let read = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let table = try #require(read as? [String: [String: Any]])
    #expect(Set(table.keys) == Set(Cause.allCases.map(\.rawValue)))
    for (code, cause) in table {
      for name in ["words", "short", "letter"] {
        #expect((cause[name] as? String)?.isEmpty == false, "\(code): \(name)")
      }
      #expect(cause["light"] is String && cause["dark"] is String, "\(code)")
    }
  }
}
