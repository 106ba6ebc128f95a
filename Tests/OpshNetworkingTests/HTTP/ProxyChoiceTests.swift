import Testing

@testable import OpshNetworking

@Suite("The choice of a proxy")
struct ProxyChoiceTests {
  @Test("The names and passwords for proxies are credentials")
  func credentials() {
    let environment = [
      "http_proxy": "http://ada:proxysecret77@p:1", "ALL_PROXY": "bob:other88@q:2",
      "no_proxy": "c:d@e",
    ]
    let found = ProxyChoice.credentials(in: environment)
    #expect(found.contains("proxysecret77") && found.contains("other88"))
    #expect(!found.contains { $0.contains("p:1") }, "the proxy itself is none")
    #expect(!found.contains { $0.hasPrefix("c:") }, "'no_proxy' has none")
    #expect(ProxyChoice.credentials(in: ["http_proxy": "http://p:1"]).isEmpty)
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
      ("http://a.b/", ["http_proxy": "p:1", "all_proxy": "q:2"], "p:1"),
      ("http://a.b/", ["http_proxy": "p:1", "no_proxy": "x, .b"], nil),
      ("http://a.b/", ["http_proxy": "p:1", "no_proxy": "x,*"], "p:1"),
      ("http://ab/", ["http_proxy": "p:1", "no_proxy": "b"], "p:1"),
      ("http://a.b/", ["http_proxy": "p:1", "NO_PROXY": "*"], nil),
      ("http://a.b/", ["http_proxy": "p:1", "no_proxy": "a.b."], nil),
      ("http://a.b./", ["http_proxy": "p:1", "no_proxy": "b"], nil),
      ("http://a.b/", ["http_proxy": "p:1", "no_proxy": "."], "p:1"),
      ("http://192.0.2.7/", ["http_proxy": "p:1", "no_proxy": "192.0.2.0/24"], nil),
      ("http://192.0.3.7/", ["http_proxy": "p:1", "no_proxy": "192.0.2.0/24"], "p:1"),
      ("http://192.0.3.7/", ["http_proxy": "p:1", "no_proxy": "192.0.2.0/23"], nil),
      ("http://192.0.4.7/", ["http_proxy": "p:1", "no_proxy": "192.0.2.0/23"], "p:1"),
      ("http://192.0.2.7/", ["http_proxy": "p:1", "no_proxy": "2.7"], "p:1"),
      ("http://192.0.0.2/", ["http_proxy": "p:1", "no_proxy": "192.0.2"], "p:1"),
      ("http://192.0.2.7/", ["http_proxy": "p:1", "no_proxy": "192.0.2.7/33"], "p:1"),
      ("http://192.0.2.7/", ["http_proxy": "p:1", "no_proxy": "192.0.2.0/0"], "p:1"),
      ("http://192.0.2.7/", ["http_proxy": "p:1", "no_proxy": "192.0.2.7/"], nil),
      ("http://[2001:db8::1]/", ["http_proxy": "p:1", "no_proxy": "2001:db8::/32"], nil),
      ("http://[2001:db9::1]/", ["http_proxy": "p:1", "no_proxy": "2001:db8::/32"], "p:1"),
      ("http://127.0.0.1/", ["http_proxy": "p:1"], nil),
      ("http://2130706433/", ["http_proxy": "p:1"], nil),
      ("http://0x7f.1/", ["http_proxy": "p:1"], nil),
      ("http://0.0.0.0/", ["http_proxy": "p:1"], nil),
      ("http://localhost./", ["http_proxy": "p:1"], nil),
      ("http://[0:0:0:0:0:0:0:1]/", ["http_proxy": "p:1"], nil),
      ("http://[::ffff:127.0.0.1]/", ["http_proxy": "p:1"], nil),
      ("http://[::ffff:192.0.2.7]/", ["http_proxy": "p:1"], "p:1"),
      ("http://128.0.0.1/", ["http_proxy": "p:1"], "p:1"),
    ] as [(String, [String: String], String?)])
  func proxy(url: String, environment: [String: String], expected: String?) throws {
    let address = try HTTPRequest(url: url).address
    #expect(ProxyChoice.proxy(for: address, environment: environment) == expected)
    guard let expected else { return }
    let error = NetworkError.proxy(expected, .connectionRefused(.init(at: "a.example:80")))
    #expect(error.code == "connection-refused" && RetryAdvice.isTransient(error))
    #expect(error.message == "the proxy '\(expected)' does not accept connections")
    #expect(error.topic == "proxy-failed")
  }

  @Test(
    "A proxy is asked for a whole address only where it speaks HTTP",
    arguments: [
      ("http://a.b/", "p:1", true), ("http://a.b/", "http://p:1", true),
      ("http://a.b/", "socks5://p:1", false), ("http://a.b/", "SOCKS5H://p:1", false),
      ("https://a.b/", "p:1", false), ("http://127.0.0.1/", "p:1", false),
    ])
  func wholeAddress(url: String, proxy: String, isAsked: Bool) throws {
    let address = try HTTPRequest(url: url).address
    #expect(ProxyChoice.isAsked(for: address, environment: ["all_proxy": proxy]) == isAsked)
  }

  @Test(
    "A proxy with a protocol that proxies do not have is said to have it",
    arguments: [
      ("ftp://127.0.0.1:1", "unsupported-protocol"), ("HTTP://127.0.0.1:1", "connection-refused"),
      ("socks5h://127.0.0.1:1", "connection-refused"), ("127.0.0.1:1", "connection-refused"),
    ])
  func schemes(proxy: String, code: String) async throws {
    let transport = CurlTransport(
      configuration: .init(environment: ["http_proxy": proxy]))
    defer { transport.shutdown() }
    let delegate = RecordingDelegate()
    _ = transport.start(try HTTPRequest(url: "http://host.invalid/"), delegate: delegate)
    guard case .failure(let error) = try await delegate.end() else {
      Issue.record("there was an answer")
      return
    }
    #expect(error.code == code)
    #expect(error.message.contains("the proxy '\(proxy)'"))
  }
}
