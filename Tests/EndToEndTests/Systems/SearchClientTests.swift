import Foundation
import TestSupport
import Testing

/// System 4: the asynchronous HTTP client, with searches.
@Suite("The search client", .timeLimit(.minutes(15)))
struct SearchClientTests {
  private let system: SystemScript

  init() throws {
    system = try SystemScript()
  }

  @Test("All searches share one queue, two at a time, and the width can be changed")
  func width() throws {
    let lines = try system.lines(
      """
      set clock virtual
      server latency 100ms
      fetch tweets a b c d e
      expect (tweets-2.state == executing) within 10s
      expect (tweets-3.state == ready)
      queue width 3
      expect (tweets-3.state == executing) within 10s
      wait
      """)
    let reasons = lines.filter { $0.type == "transition" && $0.string("to") == "executing" }
      .compactMap { $0.string("reason") }
    #expect(reasons.first == "slot 1 of 2 on network" && reasons.contains("slot 3 of 3 on network"))
  }

  @Test("Search tags can be added, removed, edited, and stored")
  func tags() throws {
    try system.text("tags add swift 'R&D' rust; tags remove rust; tags rename swift c++")
    let outcome = try system.text("tags")
    #expect(outcome.output == "c++\nR&D\n")
    #expect(try system.text("tags remove --all; tags").output.contains("no tags are kept"))
  }

  @Test("A search has one operation per tag, for all stored tags unless some are named")
  func perTag() throws {
    let lines = try system.lines(
      """
      tags add swift linux
      fetch tweets --per-tag 2; fetch tweets kites --per-tag 1; wait
      expect (tweets-1.tag == swift and tweets-2.tag == linux and tweets-3.tag == kites)
      fetch tweets; cancel all; wait --any-outcome
      """)
    let built = lines.filter { $0.string("to") == "pending" }.map(\.operationName)
    #expect(built == ["tweets-1", "tweets-2", "tweets-3", "tweets-4", "tweets-5"])
  }

  @Test("Tags are sent unchanged; results are per tag, with type and time limit")
  func encoded() throws {
    let outcome = try system.text(
      """
      fetch tweets c++ 'R&D' 日本語 '50%=x#y' --per-tag 2 --type recent --timeout 10s; wait
      expect (tweets-1.items == 2 and tweets-4.items == 2)
      expect (tweets-1.result.results[0].entities != null)
      result tweets; server log
      server fault stall; fetch tweets late --timeout 50ms; wait --any-outcome
      expect (tweets-5.error.code == timed-out)
      """)
    for tag in ["c++", "R&D", "日本語", "50%=x#y"] {
      #expect(outcome.output.contains(tag), "\(tag)")
    }
    #expect(outcome.output.contains("q=c%2B%2B&rpp=2&result_type=recent&include_entities=true"))
  }

  @Test("HTTP and decoding errors are reported per tag, and the other tags continue")
  func errors() throws {
    let many = (1...30).map { "w\($0)" }.joined(separator: " ")
    let outcome = try system.text(
      """
      fetch tweets swift '\(many)' linux --per-tag 2; wait --any-outcome
      expect (tweets-1.outcome == succeeded and tweets-3.outcome == succeeded)
      result tweets
      server fault malformed-json; fetch tweets broken; wait --any-outcome
      expect (tweets-4.error.code == serialization)
      expect (tweets-1.result.results[0].from_user != null and tweets-1.result.results[0].id > 0)
      """)
    #expect(outcome.output.contains("(tweets-2): failed: api(403"))
  }

  @Test("Results are merged across tags as they arrive, newest first")
  func merged() throws {
    let outcome = try system.text(
      """
      fetch tweets swift linux --per-tag 5 --hold
      on tweets-1 finished { echo first; result tweets }
      start tweets-1; wait tweets-1; start tweets-2; wait
      echo both; result tweets
      """)
    let halves = outcome.output.components(separatedBy: "both\n")
    try #require(halves.count == 2)
    #expect(halves[0].contains("first\n"))
    let times = halves[1].split(separator: "\n").dropFirst().map { $0.prefix(16) }
    #expect(times.count == 10 && times == times.sorted(by: >))
  }

  @Test("The prompt's activity mark appears and disappears")
  func activity() throws {
    let session = try PromptSession(arguments: ["--events", "off"])
    session.enter("server latency 2s; fetch tweets swift")
    #expect(session.terminal.wait(timeout: .seconds(20)) { $0.cursorLine == "opsh*>" })
    // Without typed input or transitions.
    #expect(session.terminal.wait(timeout: .seconds(20)) { $0.cursorLine == "opsh>" })
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Some searches have very high priority; all or single ones can be cancelled")
  func steering() throws {
    try system.text(
      """
      queue pause; queue width 1
      fetch tweets a b c; fetch tweets d --priority veryHigh --name urgent
      cancel 3
      queue resume; wait --any-outcome
      expect (urgent.started before tweets-1.started and tweets-3.outcome == cancelled)
      server latency 30s; fetch tweets e f g; cancel all; wait --any-outcome
      expect (tweets-4.outcome == cancelled and tweets-6.outcome == cancelled)
      """)
  }

  @Test("Cached results are available at once during the update")
  func cached() throws {
    try system.text(
      """
      server fault cache --duration 0s --spread 10m
      fetch tweets swift --per-tag 3 --cached --name first; wait
      server latency 2s; fetch tweets swift --per-tag 3 --cached --name again
      expect (again.result == first.result and again.state == executing) within 10s
      expect (again.cache == stale)
      server latency 0s; wait
      expect (again.cache == revalidated and again.status == 304 and again.bytes == 0)
      """)
    // A fresh response is used without a request, by every command that fetches.
    let outcome = try system.text(
      """
      server fault cache --duration 10m
      get '/2.3/tags?site=stackoverflow' --cached --name a; wait
      get '/2.3/tags?site=stackoverflow' --cached --name b; wait
      expect (b.cache == hit and b.result.body == a.result.body)
      cache
      """)
    #expect(outcome.output.contains(/fresh +200 .*\/2\.3\/tags/))
  }
}
