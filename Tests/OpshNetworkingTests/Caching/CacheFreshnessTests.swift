import Foundation
import Testing

@testable import OpshNetworking

@Suite("Freshness")
struct CacheFreshnessTests {
  static let start = Date(timeIntervalSince1970: 784_111_777)
  static let startText = "Sun, 06 Nov 1994 08:49:37 GMT"

  struct Case: Sendable, CustomTestStringConvertible {
    let headers: String
    var request = ""
    let seconds: Double
    let expected: CacheFreshness

    var testDescription: String { "\(headers) ⟨\(request)⟩ after \(seconds) s: \(expected)" }

    init(_ headers: String, request: String = "", _ seconds: Double, _ expected: CacheFreshness) {
      self.headers = headers
      self.request = request
      self.seconds = seconds
      self.expected = expected
    }
  }

  /// Headers from one text with a header on each line.
  static func headers(_ text: String) -> HTTPHeaders {
    HTTPHeaders(
      received: text.split(separator: "\n").map { line in
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        return (
          String(line[..<colon]),
          line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
        )
      })
  }

  static func entry(_ text: String, delay: Double = 0, status: Int = 200) -> CacheEntry {
    CacheEntry(
      id: 1, method: "GET", url: "http://a/", status: status, headers: headers(text),
      requestedAt: start - delay, receivedAt: start, bodySize: 0, storedSize: 0)
  }

  @Test(
    "Freshness follows from the headers and the time",
    arguments: [
      Case("Cache-Control: max-age=60", 0, .fresh), Case("Cache-Control: max-age=60", 59.9, .fresh),
      Case("Cache-Control: max-age=60", 60, .mustRevalidate),
      Case("Cache-Control: max-age=0", 0, .mustRevalidate),
      Case("", 0, .mustRevalidate),
      Case("Last-Modified: Sat, 06 Nov 1993 08:49:37 GMT", 0, .fresh),
      Case("Cache-Control: max-age=60, no-cache", 1, .mustRevalidate),
      Case("Cache-Control: max-age=60, no-store", 1, .mustRevalidate),
      Case("Cache-Control: max-age=60, must-revalidate", 59, .fresh),
      // The server's Date and the Age of intermediate caches count.
      Case("Cache-Control: max-age=60\nAge: 50", 9, .fresh),
      Case("Cache-Control: max-age=60\nAge: 50", 10, .mustRevalidate),
      // Not a number of seconds, so it is ignored; of a list the first counts.
      Case("Cache-Control: max-age=60\nAge: nonsense", 59, .fresh),
      Case("Cache-Control: max-age=60\nAge: 7200.0", 59, .fresh),
      Case("Cache-Control: max-age=60\nAge: 7200a", 59, .fresh),
      Case("Cache-Control: max-age=60\nAge: -7200", 59, .fresh),
      Case("Cache-Control: max-age=60\nAge: 7200, 0", 0, .mustRevalidate),
      Case("Cache-Control: max-age=60\nAge: 7200\nAge: 0", 0, .mustRevalidate),
      Case("Cache-Control: max-age=60\nAge: 99999999999999999999", 0, .mustRevalidate),
      Case("Cache-Control: max-age=60\nDate: Sun, 06 Nov 1994 08:49:07 GMT", 29, .fresh),
      Case("Cache-Control: max-age=60\nDate: Sun, 06 Nov 1994 08:49:07 GMT", 30, .mustRevalidate),
      Case("Cache-Control: max-age=60\nDate: Sun, 06 Nov 1994 09:49:37 GMT", 59, .fresh),
      Case("Cache-Control: max-age=60\nDate: yesterday", 59, .fresh),
      // Expires; max-age takes precedence.
      Case("Date: \(startText)\nExpires: Sun, 06 Nov 1994 08:50:37 GMT", 59, .fresh),
      Case("Date: \(startText)\nExpires: Sun, 06 Nov 1994 08:50:37 GMT", 60, .mustRevalidate),
      Case("Expires: Sun, 06 Nov 1994 08:50:37 GMT", 59, .fresh),
      // The lifetime begins with the server's Date, not when the response arrived.
      Case(
        "Date: Sun, 06 Nov 1994 08:48:37 GMT\nExpires: Sun, 06 Nov 1994 08:50:37 GMT", 59, .fresh),
      Case(
        "Date: Sun, 06 Nov 1994 08:48:37 GMT\nExpires: Sun, 06 Nov 1994 08:50:37 GMT", 60,
        .mustRevalidate),
      Case("Expires: 0", 0, .mustRevalidate), Case("Expires: ", 0, .mustRevalidate),
      Case("Expires: 0\nCache-Control: max-age=60", 1, .fresh),
      // Stale, but usable while revalidating.
      Case("Cache-Control: max-age=60, stale-while-revalidate=30", 59, .fresh),
      Case(
        "Cache-Control: max-age=60, stale-while-revalidate=30", 60, .usableWhileRevalidating),
      Case(
        "Cache-Control: max-age=60, stale-while-revalidate=30", 89.9, .usableWhileRevalidating),
      Case("Cache-Control: max-age=60, stale-while-revalidate=30", 90, .mustRevalidate),
      Case(
        "Cache-Control: max-age=60, stale-while-revalidate=30, must-revalidate", 60,
        .mustRevalidate),
      Case("Cache-Control: stale-while-revalidate=30", 5, .usableWhileRevalidating),
      // Directives of the request.
      Case(
        "Cache-Control: max-age=60", request: "Cache-Control: no-cache", 0, .mustRevalidate),
      Case("Cache-Control: max-age=60", request: "Cache-Control: max-age=10", 9, .fresh),
      Case(
        "Cache-Control: max-age=60", request: "Cache-Control: max-age=10", 10, .mustRevalidate),
      Case(
        "Cache-Control: max-age=60", request: "Cache-Control: max-age=0", 0, .mustRevalidate),
      Case("Cache-Control: max-age=60", request: "Pragma: no-cache", 0, .mustRevalidate),
      // A clock that was set back: a small step is ignored, a large one makes the age unknown.
      Case("Cache-Control: max-age=60", -30, .fresh),
      Case("Cache-Control: max-age=60", -61, .mustRevalidate),
    ])
  func decisions(_ one: Case) throws {
    var request = try HTTPRequest(url: "http://a/")
    for field in Self.headers(one.request).fields {
      try request.headers.append(field.name, field.value)
    }
    #expect(
      CacheFreshness.of(
        Self.entry(one.headers), for: request, at: Self.start + one.seconds) == one.expected)
  }

  @Test("A lifetime is guessed only for statuses that are stored by default, and for 'public'")
  func guesses() {
    let modified = "Last-Modified: Sat, 06 Nov 1993 08:49:37 GMT"
    #expect(Self.entry(modified, status: 404).freshnessLifetime == 86_400)
    #expect(Self.entry(modified, status: 302).freshnessLifetime == 0)
    let isPublic = modified + "\nCache-Control: public"
    #expect(Self.entry(isPublic, status: 302).freshnessLifetime == 86_400)
  }

  @Test("Without a stored response there is nothing to use")
  func nothing() throws {
    let request = try HTTPRequest(url: "http://a/")
    #expect(CacheFreshness.of(nil, for: request, at: Self.start) == .notStored)
  }

  @Test("The response time counts towards the age")
  func delay() throws {
    let entry = Self.entry("Cache-Control: max-age=60", delay: 20)
    let request = try HTTPRequest(url: "http://a/")
    #expect(entry.age(at: Self.start + 5) == 25)
    #expect(CacheFreshness.of(entry, for: request, at: Self.start + 39) == .fresh)
    #expect(CacheFreshness.of(entry, for: request, at: Self.start + 40) == .mustRevalidate)
  }

  @Test("Dates out of range cause no crash")
  func absurdTimes() throws {
    let request = try HTTPRequest(url: "http://a/")
    let entry = Self.entry("Cache-Control: max-age=60, stale-if-error=60")
    for time in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
      #expect(CacheFreshness.of(entry, for: request, at: time) == .mustRevalidate)
      #expect(!entry.isUsableAfterError(at: time))
    }
  }

  @Test("After an error, stale-if-error limits how long a stale response is used")
  func afterError() {
    let usable = { (headers: String, seconds: Double) in
      Self.entry(headers).isUsableAfterError(at: Self.start + seconds)
    }
    #expect(usable("Cache-Control: max-age=60", 59))
    #expect(!usable("Cache-Control: max-age=60", 60))
    #expect(usable("Cache-Control: max-age=60, stale-if-error=600", 659))
    #expect(!usable("Cache-Control: max-age=60, stale-if-error=600", 660))
    #expect(!usable("Cache-Control: max-age=60, stale-if-error=600, must-revalidate", 61))
    #expect(!usable("Cache-Control: max-age=60, stale-if-error=600, no-cache", 1))
  }

  @Test("A conditional request sends the available validators")
  func conditional() throws {
    let request = try HTTPRequest(url: "http://a/")
    let both = Self.entry("ETag: \"v1\"\nLast-Modified: \(Self.startText)").conditional(request)
    #expect(both.headers["If-None-Match"] == "\"v1\"")
    #expect(both.headers["If-Modified-Since"] == Self.startText)
    #expect(Self.entry("").conditional(request) == request)
    // A server may send anything; validators that are invalid in a request are omitted.
    let hostile = CacheEntry(
      id: 1, method: "GET", url: "", status: 200,
      headers: HTTPHeaders(received: [("ETag", "a\r\nX-Evil: 1")]), requestedAt: Self.start,
      receivedAt: Self.start, bodySize: 0, storedSize: 0)
    #expect(hostile.conditional(request) == request)
  }
}
