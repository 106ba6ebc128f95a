import Foundation
import OpshNetworking
import Operations
import PracticeServer
import ShellLanguage
import Testing

@testable import ShellSession

/// Cached results are available at once, during the update.
@Suite("Cached results", .timeLimit(.minutes(15)))
struct CachedFetchTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  private func count(_ shell: ShellFixture) -> Int { shell.requests.count }

  @Test(
    "A response that the server confirms is not sent again",
    arguments: ["questions", "answers", "tweets swift", "quotes"])
  func revalidated(what: String) throws {
    let shell = try ShellFixture("fetch \(what) --cached --name a; wait", keepingIn: folder)
    #expect(try shell.text("(a.cache)") == "miss")
    try shell.run("fetch \(what) --cached --name b; wait")
    let (first, second) = (try shell.operation("a"), try shell.operation("b"))
    #expect(try shell.text("(b.cache)") == "revalidated")
    #expect(try shell.text("(b.status)") == "304")
    #expect(try shell.text("(b.bytes)") == "0")
    #expect(try shell.text("(b.items == a.items)") == "true")
    #expect(Value(resultOf: first).json == Value(resultOf: second).json)
    let reasons = try shell.reasons(of: "b")
    #expect(reasons.contains { $0.hasPrefix("stale, ") && $0.hasSuffix(" at hand, asking again") })
    #expect(reasons.last?.contains(", revalidated, ") == true)
    #expect(try shell.output(of: "show b").contains { $0.contains("revalidated") })
    #expect(count(shell) == 2)
  }

  @Test("A cached response has no download in progress")
  func received() throws {
    let shell = try ShellFixture("set clock virtual", keepingIn: folder)
    try shell.setFault("cache")
    try shell.run("fetch questions --cached; wait; fetch questions --cached --name b; wait")
    #expect(try shell.text("(b.cache)") == "hit")
    #expect(try shell.output(of: "cache").contains { $0.contains("; 1 hit, 1 miss, ") })
    let received = try shell.output(of: "show b").first { $0.hasPrefix("received") }
    #expect(received?.hasSuffix("  0 B") == true, "\(received ?? "")")
  }

  @Test("Any GET or HEAD request can use the cache, including blocking ones")
  func requests() throws {
    let shell = try ShellFixture(keepingIn: folder)
    let address = "'/2.3/tags?site=stackoverflow'"
    for command in ["get \(address)", "head \(address)", "fetch questions --blocking"] {
      try shell.run("\(command) --cached --name a; wait; \(command) --cached --name b; wait")
      #expect(try shell.text("(a.cache)") == "miss", "\(command)")
      #expect(try shell.text("(b.cache)") == "revalidated", "\(command)")
      #expect(try shell.output(of: "show b").contains { $0.contains("revalidated") })
      let (first, second) = (try shell.operation("a"), try shell.operation("b"))
      if command.hasPrefix("get") {
        let bodies = [first, second].map { ($0.resultValue as? HTTPResponse)?.body }
        #expect(bodies[0] == bodies[1] && bodies[0]?.isEmpty == false)
      }
    }
    try shell.run("server latency 60s; fetch questions --blocking --cached --name c")
    #expect(
      try shell.pump { try shell.operation("c").networkMetrics?.storedValue != nil })
    #expect(try shell.output(of: "result c").last?.hasPrefix("(stale, ") == true)
    try shell.run("server reset; cancel c; wait")
  }

  @Test("A request that changes a resource invalidates its cached responses")
  func changedHere() throws {
    let shell = try ShellFixture(keepingIn: folder)
    let headers =
      "--header 'X-Parse-Application-Id: opsh' --header 'X-Parse-REST-API-Key: practice'"
    try shell.setFault("cache", duration: .seconds(600))
    try shell.run(
      """
      post /1/classes/Quote --json '{"text":"Go"}' \(headers); wait
      let path = "/1/classes/Quote/${post-1.result.body.objectId}"
      get $path --cached \(headers) --name a; wait; get $path --cached \(headers) --name b; wait
      put $path --json '{"text":"Stay"}' \(headers); wait
      get $path --cached \(headers) --name c; wait
      """)
    #expect(try shell.text("(b.cache)") == "hit")
    #expect(try shell.text("(c.cache)") == "miss")
    #expect(try shell.text("(c.result.body.text)") == "Stay")
  }

  @Test("A fresh response is used without a request, also in a later session")
  func hit() throws {
    var shell = try ShellFixture(keepingIn: folder)
    try shell.run("endpoint practice; server reset; fetch questions --pagesize 0; wait")
    let url = try #require(shell.server.baseURL)
    try shell.setFault("cache", duration: .seconds(600))
    try shell.run("fetch questions --pagesize 3 --cached --name a; wait")
    let asked = count(shell)
    try shell.run("fetch questions --pagesize 3 --cached --name b; wait")
    #expect(count(shell) == asked)
    #expect(try shell.text("(b.cache)") == "hit")
    #expect(try shell.reasons(of: "b").last?.hasPrefix("3 questions, hit, ") == true)
    try shell.run("fetch questions --pagesize 3 --name c; wait")
    #expect(count(shell) == asked + 1, "without '--cached' it is asked for")
    #expect(try shell.text("(c.cache)") == "null")
    // Another session with the same address, where no server answers any more.
    shell.server.stop()
    shell = try ShellFixture("endpoint \(url)", keepingIn: folder)
    try shell.run("fetch questions --pagesize 3 --cached --name d; wait; result d > /dev/null")
    #expect(try shell.text("(d.cache)") == "hit")
  }

  @Test("A stale response is available at once, followed by the fresh one")
  func staleWhileRevalidate() throws {
    let shell = try ShellFixture(keepingIn: folder)
    try shell.setFault("cache", duration: .zero, spread: .seconds(600))
    try shell.run("fetch questions --pagesize 3 --cached --name a; wait; let old = (a.result)")
    try shell.run("server latency 60s; fetch questions --pagesize 3 --cached --name b")
    #expect(
      try shell.pump { try shell.operation("b").networkMetrics?.storedValue != nil })
    #expect(try shell.operation("b").state == .executing)
    #expect(try shell.text("(b.result == $old)") == "true")
    #expect(try shell.output(of: "result b").last?.hasPrefix("(stale, ") == true)
    try shell.run("cancel b; wait --any-outcome")
    #expect(try shell.error(of: "result b").code == "no-value")
  }

  @Test("If the server is unreachable, a stale response is used if stale-if-error permits")
  func staleIfUnreachable() throws {
    let shell = try ShellFixture(keepingIn: folder)
    try shell.setFault("cache", duration: .zero, spread: .seconds(600))
    try shell.run("fetch questions --pagesize 3 --cached --name a; wait")
    try shell.setFault("drop-before-headers")
    try shell.run("fetch questions --pagesize 3 --cached --name b; wait")
    #expect(try shell.text("(b.cache)") == "stale")
    let reason = try #require(try shell.reasons(of: "b").last)
    #expect(reason.hasPrefix("3 questions, stale, ") && reason.hasSuffix("connection-lost"))
    // Responses without such a directive are not used.
    shell.server.reset()
    try shell.run("fetch answers --cached --name c; wait")
    try shell.setFault("drop-before-headers")
    try shell.run("fetch answers --cached --name d; wait --any-outcome")
    #expect(try shell.outcome(of: "d") == "connection-lost")
  }

  @Test("A changed response replaces the cached one")
  func changed() throws {
    let shell = try ShellFixture("fetch questions --cached --name a; wait", keepingIn: folder)
    try shell.run("server seed 7; fetch questions --cached --name b; wait")
    #expect(try shell.text("(b.cache)") == "miss")
    #expect(try shell.text("(a.result == b.result)") == "false")
    try shell.run("fetch questions --cached --name c; wait")
    #expect(try shell.text("(c.cache)") == "revalidated")
    #expect(try shell.text("(b.result == c.result)") == "true")
  }

  @Test("The backoff of a cached response is ignored")
  func backoff() throws {
    let shell = try ShellFixture(keepingIn: folder)
    try shell.setFault("cache", duration: .seconds(600))
    try shell.setFault("backoff", duration: .seconds(300))
    try shell.run("fetch answers --pagesize 2 --cached; wait; server reset")
    let method = "\(try #require(shell.server.baseURL)) answers"
    let pacer = shell.session.outside.network.pacer
    let before = try #require(pacer.pause(of: method))
    try shell.run("fetch answers --pagesize 2 --cached --name a; wait")
    #expect(try shell.text("(a.cache)") == "hit")
    #expect(pacer.pause(of: method) == before)
  }

  @Test("Secrets are never stored")
  func secrets() throws {
    let shell = try ShellFixture(keepingIn: folder)
    try shell.run(
      "fetch questions --cached --header 'Authorization: Bearer SECRETWORD' --name a; "
        + "fetch quotes --cached --header 'X-Parse-REST-API-Key: OTHERWORD' --name b; wait")
    #expect(try shell.text("(a.cache)") == "miss")
    #expect(try shell.output(of: "show a").contains { $0.contains("miss, not kept: credentials") })
    #expect(try shell.output(of: "show b").contains { $0.contains("miss, kept") })
    shell.session.outside.closeStore()
    for name in folder.names {
      let bytes = FileManager.default.contents(atPath: folder.path + "/" + name) ?? Data()
      #expect(bytes.range(of: Data("SECRETWORD".utf8)) == nil)
      #expect(bytes.range(of: Data("OTHERWORD".utf8)) == nil)
    }
  }

  @Test("The cache can be listed, inspected, limited and cleared")
  func commands() throws {
    let shell = try ShellFixture("fetch questions --cached; wait", keepingIn: folder)
    // A second may pass in between.
    let ageless = { (line: String) in line.replacing(#/\d+ (ms|s) +/#, with: "") }
    #expect(
      try shell.output(of: "cache").map(ageless) == shell.output(of: "cache list").map(ageless))
    let lines = try shell.output(of: "cache list")
    #expect(lines.count == 3 && lines[1].contains("/2.3/questions?site=stackoverflow"))
    #expect(lines[2].hasPrefix("1 response, "))
    try shell.run("let kept = cache list")
    #expect(try shell.text("($kept[0].status)") == "200")
    let shown = try shell.output(of: "cache show $kept[0].id --body")
    #expect(shown.contains { $0.contains("ETag: ") } && shown.contains { $0.contains("\"items\"") })
    let unknown = try shell.error(of: "cache show 99")
    #expect(unknown.code == "cache-unknown" && unknown.column == 12)
    #expect(try shell.error(of: "cache clear 99").code == "cache-unknown")
    try shell.run("cache clear $kept[0].id")
    #expect(try shell.output(of: "cache list").first?.hasPrefix("0 responses, ") == true)
    try shell.run("cache limit 0; fetch questions --cached --name a; wait")
    #expect(try shell.output(of: "show a").contains { $0.contains("not kept: too-large") })
    try shell.run("cache limit 64MB; fetch questions --cached; wait; cache clear")
    #expect(try shell.session.outside.responseCache.statistics().entryCount == 0)
  }

  @Test("A request with an unusable store still succeeds")
  func withoutStore() throws {
    try folder.write(
      String(repeating: "no database, but a letter. ", count: 200), to: "store.sqlite")
    let shell = try ShellFixture("fetch questions --cached --name a; wait", keepingIn: folder)
    #expect(try shell.outcome(of: "a") == "succeeded")
    #expect(try shell.output(of: "show a").contains { $0.contains("unavailable: store-damaged") })
  }
}
