@testable import OpshNetworking
import Testing

@Suite("HTTPRequest")
struct HTTPRequestTests {
  struct URLCase: Sendable, CustomTestStringConvertible {
    var input: String
    /// The normalized address, or the code of the error.
    var expected: String
    var testDescription: String { input }
    init(_ input: String, _ expected: String) {
      self.input = input
      self.expected = expected
    }
  }

  static let urls: [URLCase] = [
    URLCase("http://host", "http://host/"),
    URLCase("HTTP://HoSt:80/A?b#c", "http://host/A?b"),
    URLCase("https://host:443/", "https://host/"),
    URLCase("https://host:80", "https://host:80/"),
    URLCase("http://host:/x", "http://host/x"),
    URLCase("http://host?q=1", "http://host/?q=1"),
    URLCase("http://host/a/./b/../c", "http://host/a/c"),
    URLCase("http://host/../..", "http://host/"),
    URLCase("http://host/日本?q=ä", "http://host/%E6%97%A5%E6%9C%AC?q=%C3%A4"),
    URLCase("http://host/a|b\"<>", "http://host/a%7Cb%22%3C%3E"),
    URLCase("http://[::1]:8080/x", "http://[::1]:8080/x"),
    URLCase("http://127.0.0.1:1/", "http://127.0.0.1:1/"),
    URLCase("nonsense", "bad-url"),
    URLCase("", "bad-url"),
    URLCase("/path", "bad-url"),
    URLCase("//host/path", "bad-url"),
    URLCase("localhost:8080/x", "bad-url"),
    URLCase("http:/host", "bad-url"),
    URLCase("http:host", "bad-url"),
    URLCase("http://", "bad-url"),
    URLCase("http:///host/", "bad-url"),
    URLCase("http://:80/", "bad-url"),
    URLCase("http://host:99999/", "bad-url"),
    URLCase("http://host:0/", "bad-url"),
    URLCase("http://host:8o/", "bad-url"),
    URLCase("http://user:secret@host/", "bad-url"),
    URLCase("http://host/a b", "bad-url"),
    URLCase("http://host/a\r\nX: y", "bad-url"),
    URLCase("http://ho st/", "bad-url"),
    URLCase("http://hö.st/", "bad-url"),
    URLCase("http://[::1/", "bad-url"),
    URLCase("http://[zz]/", "bad-url"),
    URLCase("http://a..b/", "bad-url"),
    URLCase("ftp://host/", "unsupported-protocol"),
    URLCase("file:///etc/passwd", "unsupported-protocol"),
    URLCase("javascript:alert(1)", "unsupported-protocol"),
  ]

  @Test("An address is normalized or rejected", arguments: urls)
  func url(testCase: URLCase) {
    do {
      #expect(try HTTPRequest(url: testCase.input).url == testCase.expected)
    } catch {
      #expect(error.code == testCase.expected)
      #expect(!error.message.contains("secret"))
    }
  }

  @Test("A method is a token", arguments: ["", "GET /", "G\r\nT", "CONNECT", "TRACE", "GÉT"])
  func method(method: String) throws {
    let error = try #require(throws: NetworkError.self) {
      try HTTPRequest(method: method, url: "http://host/")
    }
    #expect(error.code == "bad-request")
  }

  struct Header: Sendable, CustomTestStringConvertible {
    var name: String
    var value: String
    var testDescription: String { "\(name.debugDescription): \(value.debugDescription)" }
  }

  static let badHeaders: [Header] = [
    Header(name: "", value: "x"), Header(name: "A B", value: "x"), Header(name: "A:", value: "x"),
    Header(name: "A\r\nB", value: "x"), Header(name: "Ä", value: "x"),
    Header(name: "A", value: "x\r\nB: y"), Header(name: "A", value: "x\ny"),
    Header(name: "A", value: "x\u{0}"), Header(name: "A", value: "x\ry"),
    Header(name: "Host", value: "x"), Header(name: "content-length", value: "1"),
    Header(name: "Transfer-Encoding", value: "chunked"), Header(name: "Connection", value: "x"),
  ]

  @Test("A header that could change the request is rejected", arguments: badHeaders)
  func header(header: Header) throws {
    var headers = HTTPHeaders()
    let error = try #require(throws: NetworkError.self) {
      try headers.append(header.name, header.value)
    }
    #expect(error.code == "bad-request")
    #expect(throws: NetworkError.self) { try headers.set(header.name, header.value) }
    #expect(headers.fields.isEmpty)
  }

  @Test("Headers keep their order and duplicates; look-up ignores case")
  func headers() throws {
    var headers = try HTTPHeaders([("B", "1"), ("a", " 2 "), ("b", "3")])
    #expect(headers.fields.map(\.name) == ["B", "a", "b"])
    #expect(headers["A"] == "2")
    #expect(headers.values(of: "B") == ["1", "3"])
    try headers.set("b", "4")
    #expect(headers.fields.map(\.value) == ["2", "4"])
    headers.remove("A")
    #expect(headers["a"] == nil)
  }

  @Test(
    "Secrets in an address are masked, also in a parameter of the path and in a nested address",
    arguments: [
      (
        "http://host/a?site=x&key=SECRET&Access_Token=SECRET&k",
        "http://host/a?site=x&key=***&Access_Token=***&k"
      ),
      ("http://host/a;v=1;token=SECRET/b", "http://host/a;v=1;token=***/b"),
      ("http://host/a?next=/x?token=SECRET&b=1", "http://host/a?next=***&b=1"),
      ("http://host/a?next=%2Fx%3Ftoken%3DSECRET", "http://host/a?next=***"),
    ])
  func masking(address: String, masked: String) throws {
    let request = try HTTPRequest(url: address)
    #expect(request.maskedURL == masked)
    #expect(request.credentials(adding: HTTPHeaders()).contains("SECRET"))
  }

  @Test(
    "An address without a secret is shown as it is",
    arguments: ["a;v=1?next=%2Fx%3Fa%3D1", "cookies/secret?a=b", "token;v=1/key", "?q=a=b"])
  func notMasked(target: String) throws {
    let request = try HTTPRequest(url: "http://host/" + target)
    #expect(request.maskedURL == "http://host/" + target)
    #expect(request.credentials(adding: HTTPHeaders()).isEmpty)
  }
}
