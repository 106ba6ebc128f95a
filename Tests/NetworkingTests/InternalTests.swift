import Foundation
import Operations
import Testing

@testable import Networking

/// Internal parts that no public interface shows separately.
@Suite("Parts of Networking")
struct InternalTests {
  @Test("The error about a missing libcurl names its package")
  func missingLibrary() throws {
    guard case .failure(let error) = CurlLibrary.open(named: "libcurl-of-no-system.so.4") else {
      Issue.record("the library was opened")
      return
    }
    #expect(error.code == "transport-unavailable")
    #expect(error.message.contains("libcurl4"))
  }

  @Test("A library without curl's functions is rejected")
  func wrongLibrary() throws {
    guard case .failure(let error) = CurlLibrary.open(named: "libz.so.1") else {
      Issue.record("the library was accepted")
      return
    }
    #expect(error.message.contains("curl_"))
  }

  @Test(
    "References are resolved by the rules of RFC 3986",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
      (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
      ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://h/x", "https://h/x"),
      ("a b", "http://a/b/c/a%20b"),
    ])
  func references(reference: String, expected: String) throws {
    let base = try WebAddress(parsing: "http://a/b/c/d;p?q")
    #expect(try base.resolving(reference).text == expected)
  }

  @Test(
    "The fast parser splits a normalized address like the full parser",
    arguments: [
      "http://a/", "http://a/b", "https://a.b-c.example/x/y.z?q=%41&r=a.b/.c", "http://a:8080/",
      "http://127.0.0.1:65535/2.3/questions?site=x&page=1", "http://a/?", "http://a/b?c?d",
      "http://a/a..b/c.", "https://a:80/x", "http://a:443/x", "http://a/%2e%2E/x",
    ])
  func normalForm(url: String) throws {
    #expect(WebAddress.PlainParts(url) != nil)
    let address = try WebAddress(parsing: url)
    // With a fragment it takes the full parser.
    let other = try WebAddress(parsing: url + "#x")
    #expect(address.text == url)
    #expect(
      [address.scheme, address.host, address.path, address.query, address.text]
        == [other.scheme, other.host, other.path, other.query, other.text])
    #expect(address.port == other.port)
    #expect(address.isLoopback == other.isLoopback)
    #expect(try WebAddress(parsing: address.root).isSamePlace(as: address))
    let target = address.text.utf8.dropFirst(address.lengthBeforePath)
    #expect(String(Substring(target)) == address.path + (address.query.map { "?" + $0 } ?? ""))
  }

  @Test(
    "The fast parser leaves other addresses to the full parser",
    arguments: [
      "HTTP://a/", "http://A/", "http://a", "http://a:80/", "https://a:443/", "http://a:080/",
      "http://a:0/", "http://a:65536/", "http://a:/", "http://a../", "http://.a/", "http://a./",
      "http://u@a/", "http://[::1]/", "http://a_b/", "http://a/./b", "http://a/../b", "http://a/.b",
      "http://a/ ", "http://a/\u{e9}", "http://a/{b}", "http://a/b#c", "http://a?b", "http:///a",
      "http://", "ftp://a/", "http://a/\u{0}", "http://a:99999999999999999999/",
      "http://" + String(repeating: "a", count: 64) + "/",
    ])
  func otherForms(url: String) {
    #expect(WebAddress.PlainParts(url) == nil)
  }

  @Test("Header fields are parsed from the received bytes")
  func receivedFields() throws {
    var parser = ResponseHeadParser()
    var headers: HTTPHeaders?
    let lines = [
      "HTTP/1.1 200 OK", "Content-Length:  14 ", "X-Long: a", "\t b  ", " c", "x-long:d", "Empty:",
      "",
    ]
    for line in lines {
      var text = line + "\r\n"
      let step = try text.withUTF8 { bytes throws(NetworkError) in try parser.take(bytes) }
      if case .complete(_, let found) = step { headers = found }
    }
    var fields = try #require(headers)
    #expect(fields.fields.map(\.name) == ["Content-Length", "X-Long", "x-long", "Empty"])
    #expect(fields.fields.map(\.value) == ["14", "a b c", "d", ""])
    #expect(fields["x-LONG"] == "a b c")
    #expect(fields.values(of: "X-Long") == ["a b c", "d"])
    #expect(fields["X-Lon"] == nil)
    #expect(fields.soleNumber(of: "content-length") == 14)
    #expect(fields.soleNumber(of: "X-Long") == nil)
    fields.remove("x-long")
    try fields.append("A", "b")
    #expect(fields.fields.map(\.name) == ["Content-Length", "Empty", "A"])
  }

  @Test(
    "Loopback addresses are recognized, and similar addresses are not",
    arguments: [
      ("http://localhost/", true), ("http://a.localhost/", true), ("http://127.9.0.1/", true),
      ("http://[::1]/", true), ("http://127.0.0.1.example.com/", false),
      ("http://localhost.example.com/", false), ("http://10.0.0.1/", false),
    ])
  func loopback(url: String, expected: Bool) throws {
    #expect(try WebAddress(parsing: url).isLoopback == expected)
  }

  @Test(
    "Retry-After is parsed as seconds or as a date",
    arguments: [
      ("0", Duration.zero), ("120", .seconds(120)),
      ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(37)),
      ("Sun, 06 Nov 1994 08:48:00 GMT", .zero), ("99999999999999999999", .seconds(Int32.max)),
      ("-1", nil), ("soon", nil), ("", nil), ("Sun, 06 Nov 1994 25:49:37 GMT", nil),
    ] as [(String, Duration?)])
  func retryAfter(text: String, expected: Duration?) {
    // 08:49:00 of that day.
    let now = Date(timeIntervalSince1970: 784_111_740)
    #expect(RetryAdvice.retryAfter(text, now: now) == expected)
  }

  @Test("The backoff is parsed from the throttle message of the service")
  func throttle() {
    let policy = RetryPolicy(limit: 1, longestBackoff: .seconds(100))
    let asked = { (message: String) in
      RetryAdvice.askedPause(
        .api(id: 502, name: "throttle_violation", message: message), nil, Date())
    }
    let decision = { (asked: Duration?, chance: Double) -> RetryDecision in
      RetryAdvice.decision(
        asked: asked, after: 1, policy: policy, standard: .milliseconds(500), chance: chance)
    }
    let soon = asked("too many requests, more requests available in 42 seconds")
    let note = ", which asks for 42 s"
    #expect(soon == .seconds(42))
    #expect(decision(soon, 0) == .after(.seconds(42), note: note))
    #expect(decision(soon, 1) == .after(.seconds(43), note: note))
    let late = asked("too many requests, more requests available in 4321 seconds")
    #expect(
      decision(late, 0)
        == .stop(
          reason: "the server asks for a pause of 1 h 12 min, and 1 min 40 s is the longest"))
    #expect(asked("Violation of backoff parameter") == nil)
    #expect(decision(nil, 0) == .after(.milliseconds(500)))
  }

  @Test("Backoff doubles, is randomized, and stays within its bound")
  func backoff() {
    let decide = { (policy: RetryPolicy, attempt: Int, chance: Double) -> RetryDecision in
      RetryAdvice.decision(
        asked: nil, after: attempt, policy: policy, standard: .milliseconds(500), chance: chance)
    }
    let policy = RetryPolicy(
      limit: 9, backoff: .milliseconds(100), longestBackoff: .seconds(1))
    for (attempt, least) in [(1, 100), (2, 200), (3, 400), (8, 1000), (499, 1000)] {
      #expect(decide(policy, attempt, 0) == .after(.milliseconds(least)))
      #expect(
        decide(policy, attempt, 1) == .after(min(.milliseconds(least) * 1.25, .seconds(1))))
    }
    let absurd = RetryPolicy(limit: 9, backoff: .seconds(Int64.max))
    #expect(decide(absurd, 98, 1) == .after(.nanoseconds(Int64.max)))
  }

  @Test(
    "The error about a failed proxy names the proxy that libcurl chose, without its password",
    arguments: [
      ("http://a.b/", ["http_proxy": "http://u:p@w@p:1/"], "http://*****@p:1/"),
      ("http://a.b/", ["http_proxy": "u:p,w@p:1"], "*****@p:1"),
      ("http://a.b/", ["http_proxy": "k3y@p:1"], "***@p:1"),
      ("http://a.b/", ["HTTP_PROXY": "p:1"], nil), ("https://a.b/", ["HTTPS_PROXY": "p:1"], "p:1"),
      ("https://a.b/", ["http_proxy": "p:1", "all_proxy": "q:2"], "q:2"),
      ("http://a.b/", ["http_proxy": "", "all_proxy": "q:2"], "q:2"),
      ("http://a.b/", ["http_proxy": "p:1", "no_proxy": "x, .b"], nil),
      ("http://ab/", ["http_proxy": "p:1", "no_proxy": "b"], "p:1"),
      ("http://a.b/", ["http_proxy": "p:1", "NO_PROXY": "*"], nil),
      ("http://127.0.0.1/", ["http_proxy": "p:1"], nil),
    ] as [(String, [String: String], String?)])
  func proxy(url: String, environment: [String: String], expected: String?) throws {
    let address = try HTTPRequest(url: url).address
    #expect(ProxyChoice.proxy(for: address, environment: environment) == expected)
    guard let expected else { return }
    let error = NetworkError.proxy(expected, .connectionRefused)
    #expect(error.code == "connection-refused" && RetryAdvice.isTransient(error))
    #expect(error.message == "the proxy '\(expected)' does not accept connections")
  }

  @Test("All values below a secret name in a body are credentials")
  func credentials() throws {
    var request = try HTTPRequest(method: "POST", url: "http://a/")
    request.body = Array(
      #"""
      {"token":["abcdefgh",12345678],"user":"me","note":{"apiKey":7},
      "password":{"current":"hunter22","rest":[{"x":1.25,"y":true,"z":1e400}]}}
      """#.utf8)
    #expect(
      request.credentials(adding: HTTPHeaders())
        == ["abcdefgh", "12345678", "7", "hunter22", "1.25", "1e400"])
  }

  @Test("Milliseconds are rounded up, so that no timer fires early")
  func milliseconds() {
    #expect(Duration.zero.wholeMilliseconds == 0)
    #expect(Duration.microseconds(1).wholeMilliseconds == 1)
    #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == Int(Int32.max))
  }

  @Test("A queue returns elements in insertion order for any mix of operations")
  func firstInFirstOut() {
    var queue = FirstInFirstOut<Int>()
    var expected = 0
    for number in 0..<100 {
      queue.append(number)
      if number.isMultiple(of: 3) {
        #expect(queue.popFirst() == expected)
        expected += 1
      }
    }
    while let number = queue.popFirst() {
      #expect(number == expected)
      expected += 1
    }
    #expect(expected == 100 && queue.isEmpty)
  }
}
