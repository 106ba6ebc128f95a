import Testing

@testable import Networking

@Suite("The choice of a proxy")
struct ProxyChoiceTests {
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
}
