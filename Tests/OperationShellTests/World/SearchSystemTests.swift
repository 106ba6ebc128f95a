import Foundation
import OpshNetworking
import Operations
import PracticeServer
import ShellLanguage
import Testing

@testable import BuildCommands
@testable import ShellSession

/// The asynchronous HTTP client that searches for tweets, row by row.
@Suite("The search", .timeLimit(.minutes(15)))
struct SearchSystemTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  @Test("All searches share one queue, two at a time by default")
  func queue() throws {
    let shell = try ShellFixture("set clock virtual; server latency 50ms", keepingIn: folder)
    try shell.run("fetch tweets a b c d")
    let queue = shell.session.jobs.queues.inUse
    #expect(queue.name == "network" && queue.maxConcurrentOperationCount == 2)
    #expect(queue.snapshot.executing <= 2)
    try shell.run("expect (tweets-2.state == executing) within 20s; queue width 4; wait")
    let started = try (1...4).map { try shell.operation("tweets-\($0)").timestamps.executing }
    let ended = try shell.operation("tweets-1").timestamps.finished
    // With a width of two the third would have waited for another to end.
    #expect(try #require(started[3]) < (try #require(ended)))
  }

  @Test("Search tags can be added, removed, edited and stored")
  func tags() throws {
    var shell = try ShellFixture("tags add swfit c++; tags add 'R&D' 日本語", keepingIn: folder)
    try shell.run("tags rename swfit swift; tags remove c++")
    shell = try ShellFixture(keepingIn: folder)
    #expect(try shell.output(of: "tags list") == ["swift", "R&D", "日本語"])
    #expect(try shell.run("tags list").text == "swift R&D 日本語")
    let unknown = try shell.error(of: "tags remove swfit")
    #expect(unknown.code == "tag-unknown" && unknown.help?.contains("swift") == true)
    let known = try shell.error(of: "tags add new SWIFT")
    #expect(known.code == "tag-exists" && known.column == 14)
    let twice = try shell.error(of: "tags add one two ONE")
    #expect(twice.code == "tag-exists" && twice.message == "the tag 'ONE' is given twice")
    #expect(try shell.error(of: "tags rename swift 'R&D'").code == "tag-exists")
    #expect(try shell.error(of: "tags remove").code == "bad-arguments")
    #expect(
      try shell.error(of: "let none = (list()); tags remove --all $none").code == "bad-arguments")
    #expect(try shell.output(of: "tags list").count == 3, "a refusal changes nothing")
    try shell.run("tags remove --all")
    #expect(try shell.output(of: "tags list") == ["no tags are kept; 'tags add swift' keeps one"])
    #expect(try shell.error(of: "fetch tweets").code == "no-tags")
  }

  @Test("A search has one operation per tag, by default for all stored tags, and a list value")
  func oneOperationPerTag() throws {
    let shell = try ShellFixture("tags add swift c++", keepingIn: folder)
    try shell.run("let searches = fetch tweets; wait $searches; let one = fetch tweets solo; wait")
    #expect(try shell.run("($searches)").text == "tweets-1 tweets-2")
    #expect(try shell.run("($one)").text == "tweets-3")
    #expect(try shell.text("(tweets-2.tag)") == "c++")
    #expect(try shell.text("(tweets-1.kind)") == "fetch tweets")
    let names = try shell.run("fetch tweets a b a A --name found")
    #expect(names.text == "found-1 found-2", "the same tag twice is one search")
  }

  @Test(
    "Tags are sent unchanged",
    arguments: ["c++", "R&D", "日本語", "50%", "a=b&c=d", "#sky", "x y", "emoji 🎈", "ß/?"])
  func encoding(tag: String) throws {
    let shell = try ShellFixture(keepingIn: folder)
    try shell.run("fetch tweets '\(tag)' --per-tag 2; wait")
    guard
      case .string(let echoed)? = shell.session.jobs.operations.last.flatMap({ operation in
        (operation.resultValue as? TweetsPage)?.raw["query"]
      })
    else {
      Issue.record("no page")
      return
    }
    #expect(echoed.replacing("+", with: " ").removingPercentEncoding == tag)
    let lines = try shell.output(of: "result tweets")
    #expect(lines.dropFirst().allSatisfy { $0.contains(tag) } && lines.count == 3)
  }

  @Test("Results per tag, entities, result type, a time limit, the cache bypassed")
  func options() throws {
    let shell = try ShellFixture(keepingIn: folder)
    try shell.run("fetch tweets kites --per-tag 7 --type popular --timeout 30s --name found; wait")
    let operation = try #require(try shell.operation("found") as? TweetsFetchOperation)
    #expect(
      operation.requestURL.hasSuffix(
        "/search.json?q=kites&rpp=7&result_type=popular&include_entities=true"))
    #expect(operation.itemCount == 4)
    #expect(operation.timeLimit == .seconds(30))
    let page = try #require(operation.resultValue as? TweetsPage)
    #expect(page.tweets.allSatisfy { $0.resultType == "popular" })
    #expect(page.raw["results"]?[0]?["entities"] != nil)
    #expect(operation.cacheUse == nil)
    #expect(try shell.session.outside.responseCache.statistics().entryCount == 0)
    try shell.setFault("stall")
    try shell.run("fetch tweets kites --timeout 50ms --name late; wait --any-outcome")
    #expect(try shell.outcome(of: "late") == "timed-out")
    #expect(throws: Diagnostic.self) { try shell.run("fetch tweets a --per-tag 101") }
    #expect(throws: Diagnostic.self) { try shell.run("fetch tweets a --type newest") }
  }

  @Test("HTTP and decoding errors are reported per tag, and the other tags continue")
  func errors() throws {
    let shell = try ShellFixture(keepingIn: folder)
    let complex = (1...30).map { "w\($0)" }.joined(separator: " ")
    try shell.run("fetch tweets swift '\(complex)' linux --per-tag 3; wait --any-outcome")
    #expect(try shell.outcome(of: "tweets-1") == "succeeded")
    #expect(try shell.outcome(of: "tweets-2").hasPrefix("api(403, forbidden, Sorry, your query"))
    #expect(try shell.outcome(of: "tweets-3") == "succeeded")
    let lines = try shell.output(of: "result tweets")
    #expect(lines.count == 8, "a head, six tweets, and what became of the other")
    #expect(lines.last?.contains("(tweets-2): failed: api(403") == true)
    for (fault, code) in [
      ("malformed-json", "serialization"), ("wrong-types", "serialization"),
      ("empty-body", "missing-data"), ("html-body", "serialization"), ("status-502", ""),
    ] {
      shell.server.reset()
      try shell.setFault(fault)
      try shell.run("fetch tweets swift --name x; wait --any-outcome")
      let found = try shell.outcome(of: "x")
      #expect(code.isEmpty ? found.contains("502") : found == code, "\(fault): \(found)")
    }
  }

  @Test("A 420 is honoured if retries are enabled")
  func rateLimit() throws {
    let shell = try ShellFixture(keepingIn: folder)
    try shell.setFault("rate-limited", duration: .seconds(1))
    try shell.run("fetch tweets swift --name calm; wait --any-outcome")
    #expect(try shell.outcome(of: "calm").hasPrefix("api(420, rate_limited, You have been rate"))
    try shell.run("fetch tweets swift --retry 60 --name again")
    #expect(try shell.pump { try shell.operation("again").state == .executing })
    shell.server.reset()
    try shell.run("wait")
    #expect(try shell.outcome(of: "again") == "succeeded")
  }

  @Test("Results are merged across tags as they arrive, newest first")
  func merged() throws {
    let shell = try ShellFixture(keepingIn: folder)
    #expect(try shell.error(of: "result tweets").code == "no-tweets")
    try shell.run("fetch tweets swift --per-tag 4; wait; server latency 60s; fetch tweets linux")
    let early = try shell.output(of: "result tweets")
    #expect(early.count == 6 && early.last?.contains("'linux' (tweets-2): still") == true)
    shell.server.reset()
    try shell.run("cancel tweets-2; fetch tweets linux --per-tag 4; wait --any-outcome")
    let value = try shell.run("result tweets > /dev/null")
    guard case .list(let tweets) = value else {
      Issue.record("no list")
      return
    }
    #expect(tweets.count == 8)
    let folder = try ScratchFolder()
    try shell.run("result tweets > '\(folder.path)/all'")
    let times = (folder.read("all") ?? "").split(separator: "\n").dropFirst().map { $0.prefix(16) }
    #expect(times.count == 8 && times == times.sorted(by: >))
    #expect(try shell.output(of: "result tweets tweets-1 --limit 2").count == 3)
    #expect(try shell.output(of: "result tweets-1").count == 5)
  }

  @Test("Some searches have very high priority; all or single ones can be cancelled")
  func steering() throws {
    let shell = try ShellFixture("queue pause; queue width 1", keepingIn: folder)
    try shell.run("fetch tweets a b c; fetch tweets d --priority veryHigh; cancel 3")
    try shell.run("queue resume; wait --any-outcome")
    let first = try #require(try shell.operation("tweets-4").timestamps.executing)
    let second = try #require(try shell.operation("tweets-1").timestamps.executing)
    #expect(first < second)
    #expect(try shell.outcome(of: "tweets-3") == "cancelled")
    try shell.run("server latency 10s; fetch tweets e f g; cancel all; wait --any-outcome")
    #expect(try shell.outcome(of: "tweets-7") == "cancelled")
  }

  @Test("A request to a discontinued service is an error that says so")
  func live() throws {
    let shell = try ShellFixture("endpoint live", keepingIn: folder)
    for command in ["fetch tweets a", "fetch quotes", "quotes sync"] {
      #expect(try shell.error(of: command).code == "service-gone")
    }
    #expect(shell.session.jobs.operations.count == 0)
  }
}
