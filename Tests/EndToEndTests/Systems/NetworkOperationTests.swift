import TestSupport
import Testing

/// System 3: the network operation that is the delegate of its session.
@Suite("The network operation", .timeLimit(.minutes(15)))
struct NetworkOperationTests {
  private let system: SystemScript
  private static let page = "'/2.3/questions?site=stackoverflow&pagesize=100'"

  init() throws {
    system = try SystemScript()
  }

  @Test("Data is collected chunk by chunk, and a request can be cancelled before the response")
  func chunks() throws {
    let outcome = try system.text(
      """
      server bandwidth 20kB
      get \(Self.page) --name slow
      expect (slow.bytes > 0 and slow.state == executing) within 10s
      let first = (slow.bytes)
      expect (slow.bytes > $first) within 10s
      show slow
      cancel slow; wait slow --any-outcome
      server reset; server latency 30s
      get \(Self.page) --name silent
      expect (silent.state == executing) within 10s
      cancel silent; wait silent --any-outcome
      expect (silent.outcome == cancelled and silent.status == null)
      """)
    #expect(outcome.output.contains(/received +[0-9.]+ k?B of [0-9.]+ kB, [0-9]+ %/))
  }

  @Test("Headers, time limits and the User-Agent of a request can be set")
  func configuration() throws {
    let outcome = try system.text(
      """
      get '/2.3/info?site=stackoverflow' --header 'Accept-Language: de' --user-agent 'Reader/2'
      wait; show get-1
      server latency 30s
      get '/2.3/info?site=stackoverflow' --timeout 60ms --name late
      get '/2.3/info?site=stackoverflow' --idle-timeout 60ms --name idle
      wait --any-outcome
      expect (late.error.code == timed-out and idle.error.code == timed-out)
      """)
    #expect(outcome.output.contains(/header +Accept-Language: de/))
    #expect(outcome.output.contains(/header +User-Agent: Reader\/2/))
  }

  @Test("Cancelling during a slow body ends the request within one chunk")
  func cancelInBody() throws {
    try system.text(
      """
      server bandwidth 10kB
      get \(Self.page) --name slow
      expect (slow.bytes > 0 and slow.state == executing) within 10s
      let got = (slow.bytes)
      cancel slow; wait slow --any-outcome
      expect (slow.outcome == cancelled and slow.bytes <= $got + 16384)
      expect (slow.result == null)
      """)
  }

  @Test("A request can end after the header, because of its status, size or a redirect")
  func head() throws {
    try system.text(
      """
      get '/2.3/questions?site=nowhere' --name refused
      get \(Self.page) --max-size 1kB --name large
      server fault redirect-loop --route '/2.3/info'
      get '/2.3/info?site=stackoverflow' --no-redirects --name elsewhere
      wait --any-outcome
      expect (refused.error.code == 'invalid-status-code(400)')
      expect (large.error.code == too-large)
      expect (elsewhere.status >= 300 and elsewhere.status < 400)
      """)
  }

  @Test("An error discards everything received")
  func thrownAway() throws {
    try system.text(
      """
      server fault truncated-body
      get \(Self.page) --name cut; fetch questions --name page; wait --any-outcome
      expect (cut.error.code == connection-lost and cut.result == null)
      expect (page.outcome == failed and page.result == null)
      """)
  }

  @Test(
    "'fetch' differs from 'get' only in the hook that processes the data")
  func processed() throws {
    try system.text(
      """
      get '/2.3/questions?site=stackoverflow&pagesize=2' --name raw
      fetch questions --pagesize 2 --name decoded
      wait
      expect (raw.result.status == 200 and raw.result.body.items[0].title == decoded.result.items[0].title)
      expect (raw.items == null and decoded.items == 2)
      """)
  }

  @Test("An invalid address is a clear error")
  func badAddress() throws {
    let outcome = try system.text("get nonsense", status: 2)
    #expect(outcome.errors.contains("address such as http://example.org/path, found 'nonsense'"))
    for address in ["http://", "ftp://example.org/", "http://a b/", "'http://exa mple.org/'"] {
      #expect(try system.text("get \(address)", status: 2).errors.contains("error: "))
    }
    let unknown = try system.text("get http://nobody.invalid/; wait", status: 1)
    #expect(
      unknown.errors.contains(
        "host-not-found: the name of the server at 'nobody.invalid:80' could not be resolved"))
    #expect(unknown.errors.contains("help: check the name in the address"))
  }

  @Test("Bandwidth is measured, and changes the queue's width with a logged reason")
  func bandwidth() throws {
    let outcome = try system.text(
      """
      queue width network auto
      server latency 20ms
      fetch questions --pagesize 20 --count 40
      wait
      expect (questions-40.bandwidth > 0)
      show questions-40
      queue width network 2
      """)
    #expect(outcome.output.contains(/bandwidth +[0-9.]+ k?M?B\/s/))
    let told = outcome.output + outcome.errors
    #expect(told.contains(/queue network: width 6 → 1[0-9]: [0-9.]+ answers\/s with [0-9]/))
  }

  @Test("A high-priority post runs before avatars; unneeded avatars are cancelled")
  func priorities() throws {
    try system.text(
      """
      queue width 1; queue pause
      get '/2.3/info?site=stackoverflow' --count 6 --name avatar --priority low
      post /1/classes/Quote --json '{"text":"Go"}' --priority veryHigh --name posting \\
        --header 'X-Parse-Application-Id: opsh' --header 'X-Parse-REST-API-Key: practice'
      cancel avatar-4 avatar-5 avatar-6
      queue resume; wait --any-outcome
      expect (posting.started before avatar-1.started and posting.status == 201)
      expect (avatar-3.outcome == succeeded and avatar-4.outcome == cancelled)
      """)
  }

  @Test("In the background, essential operations get time to finish")
  func background() throws {
    let lines = try system.lines(
      """
      queue width unlimited
      server latency 2s
      fetch questions --pagesize 1 --name upload --essential
      delay 60s --name feed
      app background --grace 10s; app
      wait --any-outcome
      expect (upload.outcome == succeeded and feed.outcome == cancelled)
      app foreground
      delay 60s --name endless --essential
      app background --grace 1100ms
      wait --any-outcome
      expect (endless.outcome == cancelled)
      """)
    let told = lines.messages.joined(separator: "\n")
    #expect(told.contains("in the background: 1 operation cancelled, 10s for upload"))
    #expect(told.contains(" s left for endless"))
    #expect(told.contains("the time in the background is over; cancelling endless"))
  }

  @Test("A terminated app cancels all operations and builds none until it is launched")
  func terminated() throws {
    try system.text(
      """
      delay 60s --essential --name upload; app terminate; wait --any-outcome
      expect (upload.outcome == cancelled)
      try { fetch questions } catch e { expect ($e.code == app-terminated) }
      app foreground; fetch questions --pagesize 1; wait
      """)
  }
}
