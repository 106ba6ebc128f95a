import Foundation
import OpshNetworking
import Operations
import PracticeServer
import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellSession

/// The long-running task in pieces, row by row.
@Suite("The quotes", .timeLimit(.minutes(15)))
struct QuotesSystemTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  @Test("A sync is a group of three on an inner queue, each depending on the one before")
  func group() throws {
    let shell = try ShellFixture("let sync = quotes sync --hold", keepingIn: folder)
    #expect(try shell.run("($sync)").text == "quotes-1")
    let tree = try shell.output(of: "tree")
    #expect(tree.count == 6)
    #expect(tree[0].hasPrefix("quotes-1  sync quotes, created"))
    #expect(tree[1].contains("download-1  quotes download"))
    #expect(tree[2].contains("parse-1  quotes parse") && tree[3].contains("after download-1"))
    #expect(tree[4].contains("save-1  quotes save") && tree[5].contains("after parse-1"))
    #expect(try shell.output(of: "ops").count == 5)
    try shell.run("start quotes-1; wait")
    let names = ["download-1", "parse-1", "save-1", "quotes-1"]
    let ends = try names.map { try #require(try shell.operation($0).timestamps.finished) }
    #expect(ends == ends.sorted())
    #expect(
      try names.map { try shell.operation($0).queue?.name } == [
        "quotes-1", "quotes-1", "quotes-1", "quotes",
      ])
    #expect(shell.session.jobs.operations.last?.displayName == "quotes-1")
    let timeline = try shell.output(of: "timeline")
    #expect(
      timeline.dropFirst().dropLast().map { $0.split(separator: " ").first } == [
        "quotes-1", "download-1", "parse-1", "save-1",
      ])
  }

  @Test("The download passes its data to the parser, and the parser its records to the save step")
  func handing() throws {
    let shell = try ShellFixture("quotes sync; wait", keepingIn: folder)
    let data = try #require(try shell.operation("download-1").resultValue as? [UInt8])
    let page = try #require(try shell.operation("parse-1").resultValue as? QuotesPage)
    #expect(try QuotesPage(decoding: data) == page)
    let report = try #require(try shell.operation("save-1").resultValue as? QuoteMergeReport)
    #expect(report.created + report.rejected.count == page.records.count)
    // The same as a script.
    try shell.run("block --after parse-1 --name told { (1 + 1) }; wait")
    #expect(try shell.text("(quotes-1.result.created)") == "56")
  }

  @Test("Known records are updated, others created, invalid ones reported; the download wins")
  func merging() throws {
    let shell = try ShellFixture("quotes sync; wait", keepingIn: folder)
    #expect(try shell.reasons(of: "quotes-1").last == "56 new, 4 passed over")
    let lines = try shell.output(of: "result quotes-1")
    #expect(lines.count == 5 && lines[1].contains("it has no text"))
    let kept = try shell.session.outside.quoteStore.list()
    let first = try #require(kept.first)
    _ = try shell.session.outside.quoteStore.raiseReadCount(id: first.id, by: 1_000)
    try shell.session.outside.quoteStore.remove(id: kept[1].id)
    try shell.run("quotes sync; wait")
    #expect(
      try shell.reasons(of: "quotes-2").last == "1 new, 1 changed, 54 the same, 4 passed over")
    #expect(try shell.session.outside.quoteStore.list() == kept)
  }

  @Test("A save is atomic: an earlier failure leaves the old data unchanged")
  func failing() throws {
    let shell = try ShellFixture("quotes sync; wait", keepingIn: folder)
    let kept = try shell.session.outside.quoteStore.list()
    for fault in ["truncated-body", "malformed-json", "status-500", "empty-body"] {
      shell.server.reset()
      try shell.setFault(fault)
      try shell.run("quotes sync --name again; wait --any-outcome")
      #expect(try shell.outcome(of: "again") == "group-failed", "\(fault)")
      #expect(try shell.session.outside.quoteStore.list() == kept)
    }
    shell.server.reset()
    try shell.run("server latency 5s; quotes sync --name gone")
    #expect(try shell.pump { try shell.operation("gone").state == .executing })
    try shell.run("cancel gone; wait --any-outcome")
    #expect(try shell.outcome(of: "gone") == "cancelled")
    #expect(try shell.session.outside.quoteStore.list() == kept)
    try shell.run("server latency 5s; quotes sync --timeout 50ms --name late; wait --any-outcome")
    #expect(try shell.outcome(of: "late") == "timed-out")
  }

  @Test("A read count is incremented atomically on the server, and then in the store")
  func reading() throws {
    let shell = try ShellFixture("quotes sync; wait; let all = quotes list", keepingIn: folder)
    let quote = try #require(try shell.session.outside.quoteStore.list().first)
    let text = try shell.output(of: "quotes read \(quote.id)")
    #expect(text.first == quote.text)
    try shell.run("wait; quotes read \(quote.id.prefix(5)); wait")
    #expect(
      try shell.session.outside.quoteStore.quote(id: quote.id)?.readCount == quote.readCount + 2)
    try shell.run("fetch quotes --limit 1000 --name there; wait")
    let page = try #require(try shell.operation("there").resultValue as? QuotesPage)
    #expect(page.records.first { $0.id == quote.id }?.readCount == quote.readCount + 2)
    #expect(shell.requests.filter { $0.hasPrefix("PUT ") }.count == 2)
    #expect(try shell.reasons(of: "increment-2").last?.hasPrefix("read ") == true)
    // If the service is unreachable, the local count is not incremented either.
    try shell.setFault("drop-before-headers")
    try shell.run("quotes read \(quote.id) --name lost > /dev/null; wait --any-outcome")
    #expect(try shell.outcome(of: "lost") == "group-failed")
    #expect(
      try shell.session.outside.quoteStore.quote(id: quote.id)?.readCount == quote.readCount + 2)
    let unknown = try shell.error(of: "quotes read nonsense")
    #expect(unknown.code == "quote-unknown" && unknown.column == 13)
    #expect(try shell.error(of: "quotes read ''").code == "quote-unknown")
  }

  @Test("The outer queue has a name, runs one operation at a time, and high priority")
  func queue() throws {
    let shell = try ShellFixture("server latency 20ms; quotes sync --count 2", keepingIn: folder)
    let queue = try #require(shell.session.jobs.queues.queue(named: "quotes"))
    #expect(queue.maxConcurrentOperationCount == 1 && queue.qualityOfService == .userInitiated)
    #expect(try shell.operation("quotes-1").qualityOfService == .userInitiated)
    #expect(try shell.operation("save-2").qualityOfService == .userInitiated)
    try shell.run("wait")
    let ended = try #require(try shell.operation("quotes-1").timestamps.finished)
    let began = try #require(try shell.operation("quotes-2").timestamps.executing)
    #expect(ended <= began)
    try shell.run("quotes sync --queue network --qos utility --name other; wait")
    #expect(try shell.operation("other").queue?.name == "network")
    #expect(try shell.operation("other").qualityOfService == .utility)
    try shell.run("group both { quotes sync --name inner }; wait")
    #expect(try shell.operation("inner").group?.displayName == "both")
  }

  @Test("The outer queue exists after it is first named, and is not listed before")
  func namedQueue() throws {
    let text = "queue pause quotes; on queue quotes empty { echo empty }; quotes sync; why quotes-1"
    let shell = try ShellFixture(keepingIn: folder)
    #expect(try !shell.output(of: "queue").joined().contains("quotes"))
    let script = Parser.parse(SourceText(name: "test", text: text))
    let context = shell.shell.interpreter.makeContext(source: script.source)
    let problems = shell.session.run.check(script, isWhole: true, names: .mistakes, in: context)
    #expect(!problems.contains { $0.severity == .error }, "\(problems)")
    try shell.run(text)
    let queue = try #require(shell.session.jobs.queues.queue(named: "quotes"))
    #expect(queue.maxConcurrentOperationCount == 1 && queue.qualityOfService == .userInitiated)
    #expect(queue.isSuspended && queue.operationCount == 1)
    try shell.run("queue resume quotes; wait")
    let other = try ShellFixture("queue new quotes --width 3")
    #expect(try other.text("(quotes.width)") == "3")
  }

  @Test("If no record is a quote, decoding fails and the store is unchanged")
  func noQuoteAtAll() throws {
    let shell = try ShellFixture("quotes sync; wait", keepingIn: folder)
    let before = try shell.session.outside.quoteStore.summary().count
    try shell.setFault("wrong-types")
    try shell.run("fetch quotes --limit 4 --name some; quotes sync --name both; wait --any-outcome")
    #expect(try shell.outcome(of: "some") == "serialization")
    #expect(try shell.operation("both").outcome?.failure != nil)
    #expect(try shell.session.outside.quoteStore.summary().count == before)
  }

  @Test("'quotes' and 'tags' alone list the stored items")
  func atAGlance() throws {
    let shell = try ShellFixture(keepingIn: folder)
    #expect(try shell.output(of: "quotes").first?.hasPrefix("no quotes are kept") == true)
    #expect(try shell.output(of: "tags").first?.hasPrefix("no tags are kept") == true)
    try shell.run("quotes sync; tags add swift linux; wait")
    let lines = try shell.output(of: "quotes")
    #expect(lines.count == 12 && lines.last?.contains(" unread, synced ") == true)
    #expect(try shell.output(of: "tags") == ["swift", "linux"])
    #expect(throws: Diagnostic.self) { try shell.run("quotes lsit") }
  }

  @Test("The main queue reloads the view after the sync")
  func reloading() throws {
    let shell = try ShellFixture(keepingIn: folder)
    #expect(try shell.output(of: "quotes list").first?.hasPrefix("no quotes are kept") == true)
    let out = folder.path + "/list"
    try shell.run(
      "quotes sync --hold; on quotes-1 finished { quotes list --order reads --limit 3 > '\(out)' }"
        + "; start quotes-1")
    #expect(try shell.pump { (folder.read("list") ?? "").contains("56 quotes") })
    let lines = (folder.read("list") ?? "").split(separator: "\n")
    #expect(lines.count == 5 && lines[4].contains("synced"))
    // They are available without a network, in another session.
    let other = try ShellFixture("endpoint http://127.0.0.1:1", keepingIn: folder)
    #expect(try other.output(of: "quotes list").count == 58)
    #expect(try other.run("quotes list --limit 2 > /dev/null").text.isEmpty == false)
  }
}
