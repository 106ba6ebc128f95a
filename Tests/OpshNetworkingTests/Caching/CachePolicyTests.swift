import Foundation
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("Cache policy")
struct CachePolicyTests {
  private func request(
    _ url: String = "http://a/x", method: String = "GET", headers: [(String, String)] = []
  ) throws -> HTTPRequest {
    var request = try HTTPRequest(method: method, url: url)
    for (name, value) in headers { try request.headers.append(name, value) }
    return request
  }

  private func response(
    _ status: Int = 200, headers: [(String, String)] = [], body: String = "body",
    url: String = "http://a/x"
  ) -> HTTPResponse {
    HTTPResponse(
      head: HTTPResponseHead(status: status, headers: HTTPHeaders(received: headers), url: url),
      body: Array(body.utf8))
  }

  @Test(
    "Some requests are never answered from the cache",
    arguments: [
      ("POST", [], .method), ("PUT", [], .method), ("get", [], .method), ("OPTIONS", [], .method),
      ("GET", [("Range", "bytes=0-1")], .conditionalRequest),
      ("GET", [("if-none-match", "x")], .conditionalRequest),
      ("GET", [("If-Match", "x")], .conditionalRequest),
      ("GET", [("If-Modified-Since", "x")], .conditionalRequest),
      ("GET", [("If-Unmodified-Since", "x")], .conditionalRequest),
      ("GET", [("If-Range", "x")], .conditionalRequest),
      ("GET", [("Authorization", "Bearer x")], .credentials),
      ("GET", [("Cookie", "a=b")], .credentials),
      ("GET", [("X-Parse-Session-Token", "r:x")], .credentials),
      ("GET", [("X-Parse-Master-Key", "x")], .credentials),
      ("GET", [("X-Auth-Token", "x")], .credentials), ("GET", [("token2", "x")], .credentials),
      ("GET", [("X-Authentication", "x")], .credentials),
      ("GET", [("Cache-Control", "no-store")], .noStore),
      ("GET", [("X-Parse-REST-API-Key", "x")], nil), ("GET", [("Accept", "text/html")], nil),
      ("HEAD", [], nil), ("GET", [], nil),
    ] as [(String, [(String, String)], CachePolicy.Refusal?)])
  func requests(
    method: String, headers: [(String, String)], expected: CachePolicy.Refusal?
  ) throws {
    let request = try request(method: method, headers: headers)
    #expect(CachePolicy.refusal(of: request) == expected)
    #expect(CachePolicy.refusal(of: response(), to: request) == expected)
  }

  @Test("A request with a file of cookies is not cached")
  func cookies() throws {
    let folder = try TemporaryFolder()
    var request = try request()
    request.transfer.cookies = try CookieJar(path: folder.path + "/jar")
    #expect(CachePolicy.refusal(of: request) == .credentials)
  }

  @Test("A GET with a body is not cached")
  func body() throws {
    var request = try request()
    request.body = []
    #expect(CachePolicy.refusal(of: request) == .method)
  }

  @Test(
    "Query fields with personal data are recognized by name in any spelling",
    arguments: [
      ("access_token=x", true), ("ACCESS_TOKEN=x", true), ("%61ccess_token=x", true),
      ("a=1&password=x", true), ("client_secret", true), ("key=x", false), ("tokens=x", false),
      ("a=access_token", false), ("", false),
    ])
  func persons(query: String, isPerson: Bool) throws {
    let request = try request("http://a/x?\(query)")
    #expect((CachePolicy.refusal(of: request) == .credentials) == isPerson)
  }

  @Test(
    "Some responses are not stored",
    arguments: [
      (200, [], nil), (404, [], nil), (301, [], nil), (206, [], .status), (302, [], .status),
      (304, [], .status), (500, [], .status), (200, [("Cache-Control", "no-store")], .noStore),
      (200, [("Cache-Control", "private, max-age=1")], nil), (200, [("Vary", "*")], .varies),
      (200, [("Vary", "Accept, *")], .varies), (200, [("Vary", "Accept")], nil),
    ] as [(Int, [(String, String)], CachePolicy.Refusal?)])
  func responses(
    status: Int, headers: [(String, String)], expected: CachePolicy.Refusal?
  ) throws {
    #expect(
      CachePolicy.refusal(of: response(status, headers: headers), to: try request()) == expected)
  }

  @Test("A response from another origin is not stored")
  func redirected() throws {
    #expect(
      CachePolicy.refusal(of: response(url: "http://a/y"), to: try request()) == .redirected)
  }

  @Test(
    "A body that contains the request's secret is not stored",
    arguments: [
      ("SeCrEt-1", "all is well", nil), ("SeCrEt-1", "you are SeCrEt-1", .secretInBody),
      ("SeCrEt-1", "SeCrEt-1", .secretInBody), ("SeCrEt-1", "SeCrEt-SeCrEt-1", .secretInBody),
      ("SeCrEt-1", "SeCrEt-", nil), ("S%65crEt", "SecrEt", .secretInBody), ("", "", nil),
    ] as [(String, String, CachePolicy.Refusal?)])
  func secretInBody(secret: String, body: String, expected: CachePolicy.Refusal?) throws {
    let url = "http://a/x?key=\(secret)"
    let request = try request(url)
    #expect(
      CachePolicy.refusal(of: response(body: body, url: request.url), to: request) == expected)
  }

  @Test("A code in the address is too short to be looked for in a body")
  func codeInBody() throws {
    let request = try request("http://a/x?code=is")
    #expect(
      CachePolicy.refusal(of: response(body: "this is", url: request.url), to: request) == nil)
  }

  @Test("Hop-by-hop headers, cookies and secrets are not stored")
  func keptHeaders() throws {
    let request = try request("http://a/x?key=s3cret")
    let kept = CachePolicy.keptHeaders(
      HTTPHeaders(received: [
        ("Content-Type", "text/plain"), ("Connection", "close, X-Hop"), ("X-Hop", "1"),
        ("Transfer-Encoding", "chunked"), ("Set-Cookie", "a=b"), ("SET-COOKIE", "c=d"),
        ("Link", "<http://a/x?key=s3cret&page=2>"), ("ETag", "\"1\""), ("X-Many", "1"),
        ("X-Many", "2"),
      ]), request: request)
    #expect(kept.fields.map(\.name) == ["Content-Type", "ETag", "X-Many", "X-Many"])
  }

  @Test("A 304 replaces the headers it contains, except those that describe the body")
  func updatedHeaders() throws {
    let old = HTTPHeaders(received: [
      ("ETag", "\"1\""), ("Cache-Control", "max-age=1"), ("Content-Length", "4"), ("Age", "100"),
      ("X-Old", "stays"), ("Date", "old"),
    ])
    let update = HTTPHeaders(received: [
      ("etag", "W/\"1\""), ("cache-control", "max-age=2"), ("Content-Length", "0"),
      ("Date", "new"), ("Set-Cookie", "a=b"),
    ])
    let request = try request()
    let new = try #require(CachePolicy.updatedHeaders(old, by: update, request: request))
    #expect(new["Cache-Control"] == "max-age=2")
    #expect(new.values(of: "Date") == ["new"])
    #expect(new["Content-Length"] == "4")
    #expect(new["X-Old"] == "stays")
    #expect(new["Age"] == nil)
    #expect(new["Set-Cookie"] == nil)
    let other = HTTPHeaders(received: [("ETag", "\"2\"")])
    #expect(CachePolicy.updatedHeaders(old, by: other, request: request) == nil)
  }

  @Test("Header names in Vary become one sorted list")
  func varying() {
    let headers = HTTPHeaders(received: [("Vary", "Accept-Language , accept"), ("vary", "ACCEPT,")])
    #expect(CachePolicy.varyingNames(headers) == ["accept", "accept-language"])
  }

  // MARK: Identity

  @Test("Secrets are masked in the address and still distinguish requests")
  func identity() throws {
    let salt: [UInt8] = [1, 2, 3]
    let identity = { (url: String, headers: [(String, String)]) in
      RequestIdentity(try self.request(url, headers: headers), salt: salt)
    }
    let one = try identity("http://a/x?key=one&page=1", [])
    #expect(one.url == "http://a/x?key=***&page=1")
    #expect(one == (try identity("http://a/x?key=one&page=1", [("Accept", "x")])))
    #expect(one != (try identity("http://a/x?key=two&page=1", [])))
    #expect(try identity("http://a/x?%6Bey=one", []).url == "http://a/x?%6Bey=***")
    #expect(try identity("http://a/x", []).fingerprint.isEmpty)
    let parse = try identity("http://a/x", [("X-Parse-Application-Id", "a")])
    #expect(parse != (try identity("http://a/x", [("x-parse-application-id", "b")])))
    #expect(parse == (try identity("http://a/x", [("x-parse-application-id", "a")])))
    // The same secret in two positions, and two secrets that concatenate equally, differ.
    #expect(
      try identity("http://a/x?key=ab&api_key=c", []).fingerprint
        != identity("http://a/x?key=a&api_key=bc", []).fingerprint)
    #expect(
      RequestIdentity(try request("http://a/x?key=one"), salt: [9]).fingerprint != one.fingerprint)
  }

  @Test("A variant depends only on the named headers, including whether they are present")
  func variants() throws {
    let variant = { (headers: [(String, String)], names: [String]) in
      RequestIdentity.variant(
        of: try self.request(headers: headers), varyingBy: names, salt: [1])
    }
    #expect(try variant([("Accept", "a")], []).isEmpty)
    let one = try variant([("Accept", "a"), ("X-Other", "1")], ["accept"])
    #expect(one == (try variant([("accept", "a")], ["accept"])))
    #expect(one != (try variant([("Accept", "b")], ["accept"])))
    #expect(one != (try variant([], ["accept"])))
    #expect(try variant([("Accept", "")], ["accept"]) != variant([], ["accept"]))
    #expect(
      try variant([("Accept", "a"), ("Accept", "b")], ["accept"])
        != variant([("Accept", "a, b")], ["accept"]))
  }
}
