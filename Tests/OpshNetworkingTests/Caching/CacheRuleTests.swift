import Foundation
import Testing

@testable import OpshNetworking

/// What RFC 9111 and RFC 5861 say of a private cache, one rule in each row.
@Suite("Rules of RFC 9111")
struct CacheRuleTests {
  /// What becomes of a response.
  enum Expected: Sendable, Equatable {
    case notStored(CachePolicy.Refusal)
    case stored(CacheFreshness)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let section: String
    let rule: String
    var status = 200
    var response = ""
    var method = "GET"
    var request = ""
    /// How many seconds after the response the same request is made again.
    var after = 0.0
    let expected: Expected

    var testDescription: String { "\(section): \(rule)" }
  }

  /// When every response arrives: Sun, 06 Nov 1994 08:49:37 GMT.
  private static let arrival = CacheFreshnessTests.start
  private static let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT"

  private static let storing: [Row] = [
    Row(
      section: "3", rule: "A POST is not stored", response: "Cache-Control: max-age=9",
      method: "POST", expected: .notStored(.method)),
    Row(
      section: "3", rule: "no-store is obeyed", response: "Cache-Control: max-age=9, no-store",
      expected: .notStored(.noStore)),
    Row(
      section: "3", rule: "An error with max-age is stored", status: 500,
      response: "Cache-Control: max-age=9", expected: .stored(.fresh)),
    Row(
      section: "3", rule: "An error with Expires is stored", status: 503,
      response: "\(date)\nExpires: Sun, 06 Nov 1994 08:49:47 GMT", expected: .stored(.fresh)),
    Row(
      section: "3", rule: "A status that is not known is stored if it is public", status: 599,
      response: "Cache-Control: public", expected: .stored(.mustRevalidate)),
    Row(
      section: "3", rule: "An error without a lifetime is not stored", status: 500,
      response: "Last-Modified: Sun, 06 Nov 1983 08:49:37 GMT", expected: .notStored(.status)),
    Row(
      section: "3", rule: "A 404 is stored without a lifetime", status: 404,
      expected: .stored(.mustRevalidate)),
    Row(
      section: "3.3", rule: "Partial content is not stored", status: 206,
      response: "Cache-Control: max-age=9", expected: .notStored(.status)),
    Row(
      section: "3.5", rule: "A response to a request with credentials is not stored",
      response: "Cache-Control: max-age=9, public", request: "Authorization: Basic eDp5",
      expected: .notStored(.credentials)),
    Row(
      section: "4.1", rule: "Vary: * is not stored", response: "Cache-Control: max-age=9\nVary: *",
      expected: .notStored(.varies)),
    Row(
      section: "4.1", rule: "* among other names counts",
      response: "Cache-Control: max-age=9\nVary: Accept, *", expected: .notStored(.varies)),
    Row(
      section: "4.1", rule: "* in a second field counts",
      response: "Cache-Control: max-age=9\nVary: Accept\nVary: *", expected: .notStored(.varies)),
    Row(
      section: "4.1", rule: "A Vary that is not a list of names counts as *",
      response: "Cache-Control: max-age=9\nVary: Accept Accept-Language",
      expected: .notStored(.varies)),
    Row(
      section: "4.1", rule: "An empty member of Vary counts for nothing",
      response: "Cache-Control: max-age=9\nVary: , Accept ,", expected: .stored(.fresh)),
  ]

  private static let lifetimes: [Row] = [
    Row(
      section: "4.2", rule: "Fresh until max-age", response: "Cache-Control: max-age=9",
      after: 8, expected: .stored(.fresh)),
    Row(
      section: "4.2", rule: "Not fresh at max-age", response: "Cache-Control: max-age=9",
      after: 9, expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.1", rule: "max-age comes before Expires",
      response: "Cache-Control: max-age=9\nExpires: Sun, 06 Nov 1983 08:49:37 GMT",
      expected: .stored(.fresh)),
    Row(
      section: "4.2.1", rule: "s-maxage is for shared caches",
      response: "Cache-Control: s-maxage=0, max-age=9", expected: .stored(.fresh)),
    Row(
      section: "4.2.1", rule: "The smallest of several max-age counts",
      response: "Cache-Control: max-age=9\nCache-Control: max-age=1", after: 2,
      expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.1", rule: "A max-age that is not a number is 0",
      response: "Cache-Control: max-age=9s", expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.1", rule: "Digits with white space between them are no number",
      response: "Cache-Control: max-age=1 0", after: 2, expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.1", rule: "Two different Expires have expired",
      response: """
        \(date)
        Expires: Sun, 06 Nov 1994 08:59:37 GMT
        Expires: Sun, 06 Nov 1994 09:59:37 GMT
        """, expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.2", rule: "Without a lifetime a tenth of the age of the resource",
      response: "\(date)\nLast-Modified: Sun, 06 Nov 1994 08:32:57 GMT", after: 99,
      expected: .stored(.fresh)),
    Row(
      section: "4.2.2", rule: "and no more",
      response: "\(date)\nLast-Modified: Sun, 06 Nov 1994 08:32:57 GMT", after: 100,
      expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.2", rule: "but at most a day",
      response: "\(date)\nLast-Modified: Sun, 06 Nov 1983 08:49:37 GMT", after: 86_400,
      expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.2", rule: "No estimate if an invalid Expires is there",
      response: "\(date)\nExpires: 0\nLast-Modified: Sun, 06 Nov 1983 08:49:37 GMT",
      expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.2", rule: "No estimate for a modification in the future",
      response: "\(date)\nLast-Modified: Sun, 06 Nov 2094 08:49:37 GMT",
      expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.2", rule: "An estimate for any status that is public", status: 599,
      response: "Cache-Control: public\n\(date)\nLast-Modified: Sun, 06 Nov 1983 08:49:37 GMT",
      after: 9, expected: .stored(.fresh)),
  ]

  private static let ages: [Row] = [
    Row(
      section: "4.2.3", rule: "Age counts", response: "Cache-Control: max-age=3600\nAge: 3595",
      after: 5, expected: .stored(.mustRevalidate)),
    Row(
      section: "5.1", rule: "Of several ages the first counts",
      response: "Cache-Control: max-age=3600\nAge: 0, 7200", expected: .stored(.fresh)),
    Row(
      section: "5.1", rule: "An age that is not a number is ignored",
      response: "Cache-Control: max-age=3600\nAge: -7200", expected: .stored(.fresh)),
    Row(
      section: "5.1", rule: "An age that is not a whole number is ignored",
      response: "Cache-Control: max-age=3600\nAge: 7200.0", expected: .stored(.fresh)),
    Row(
      section: "4.2.3", rule: "Date counts if there is no Age",
      response: "Cache-Control: max-age=60\nDate: Sun, 06 Nov 1994 08:48:37 GMT",
      expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.3", rule: "An RFC 850 date counts",
      response: "Cache-Control: max-age=60\nDate: Sunday, 06-Nov-94 08:48:37 GMT",
      expected: .stored(.mustRevalidate)),
    Row(
      section: "4.2.3", rule: "An asctime date counts",
      response: "Cache-Control: max-age=60\nDate: Sun Nov  6 08:48:37 1994",
      expected: .stored(.mustRevalidate)),
  ]

  private static let expirations: [Row] = [
    Row(
      section: "5.3", rule: "Expires is an RFC 850 date",
      response: "\(date)\nExpires: Sunday, 06-Nov-94 08:50:37 GMT", after: 59,
      expected: .stored(.fresh)),
    Row(
      section: "5.3", rule: "Expires is an asctime date",
      response: "\(date)\nExpires: Sun Nov  6 08:50:37 1994", after: 59,
      expected: .stored(.fresh)),
    Row(
      section: "5.3", rule: "A malformed Expires has expired",
      response: "\(date)\nExpires: Sun, 6 Nov 2094 8:50:37 GMT",
      expected: .stored(.mustRevalidate)),
    Row(
      section: "5.3", rule: "Expires in another zone has expired",
      response: "\(date)\nExpires: Sun, 06 Nov 2094 08:50:37 AEST",
      expected: .stored(.mustRevalidate)),
    Row(
      section: "5.3", rule: "Expires at the Date has expired",
      response: "\(date)\nExpires: Sun, 06 Nov 1994 08:49:37 GMT",
      expected: .stored(.mustRevalidate)),
  ]

  private static let directives: [Row] = [
    Row(
      section: "5.2.1.1", rule: "max-age of the request",
      response: "Cache-Control: max-age=60", request: "Cache-Control: max-age=5", after: 5,
      expected: .stored(.mustRevalidate)),
    Row(
      section: "5.2.1.4", rule: "no-cache of the request",
      response: "Cache-Control: max-age=60", request: "Cache-Control: no-cache",
      expected: .stored(.mustRevalidate)),
    Row(
      section: "5.4", rule: "Pragma of the request", response: "Cache-Control: max-age=60",
      request: "Pragma: no-cache", expected: .stored(.mustRevalidate)),
    Row(
      section: "5.2.1.5", rule: "no-store of the request", response: "Cache-Control: max-age=60",
      request: "Cache-Control: no-store", expected: .notStored(.noStore)),
    Row(
      section: "5.2.2.4", rule: "no-cache must be revalidated",
      response: "Cache-Control: max-age=60, no-cache", expected: .stored(.mustRevalidate)),
    Row(
      section: "5.2.2.4", rule: "no-cache for some fields counts for all",
      response: "Cache-Control: max-age=60, no-cache=\"X-A\"",
      expected: .stored(.mustRevalidate)),
    Row(
      section: "5.2.2.2", rule: "must-revalidate ends the use of stale responses",
      response: "Cache-Control: max-age=1, must-revalidate, stale-while-revalidate=9", after: 1,
      expected: .stored(.mustRevalidate)),
    Row(
      section: "RFC 5861, 3", rule: "stale-while-revalidate",
      response: "Cache-Control: max-age=1, stale-while-revalidate=9", after: 9,
      expected: .stored(.usableWhileRevalidating)),
    Row(
      section: "RFC 5861, 3", rule: "and no longer",
      response: "Cache-Control: max-age=1, stale-while-revalidate=9", after: 10,
      expected: .stored(.mustRevalidate)),
    Row(
      section: "RFC 5861, 3", rule: "An invalid stale-while-revalidate is 0",
      response: "Cache-Control: max-age=1, stale-while-revalidate=9s", after: 1,
      expected: .stored(.mustRevalidate)),
  ]

  @Test(
    "A response is stored, and used again, by the rules",
    arguments: [storing, lifetimes, ages, expirations, directives].flatMap(\.self))
  func rule(_ row: Row) throws {
    var request = try HTTPRequest(method: row.method, url: "http://a/")
    for field in CacheFreshnessTests.headers(row.request).fields {
      try request.headers.append(field.name, field.value)
    }
    let headers = CacheFreshnessTests.headers(row.response)
    let response = HTTPResponse(
      head: HTTPResponseHead(status: row.status, headers: headers, url: request.url),
      body: Array("body".utf8))
    if let refusal = CachePolicy.refusal(of: response, to: request) {
      #expect(row.expected == .notStored(refusal))
      return
    }
    let entry = CacheEntry(
      id: 1, method: row.method, url: request.url, status: row.status, headers: headers,
      requestedAt: Self.arrival, receivedAt: Self.arrival, bodySize: 4, storedSize: 4)
    #expect(
      row.expected
        == .stored(CacheFreshness.of(entry, for: request, at: Self.arrival + row.after)))
  }
}
