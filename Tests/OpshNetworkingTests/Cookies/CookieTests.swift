import Foundation
import Testing

@testable import OpshNetworking

@Suite("Cookies")
struct CookieTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  struct Case: Sendable, CustomTestStringConvertible {
    let field: String
    var from = "http://www.example.com/a/b"
    /// The line of the file; nil where the cookie is ignored.
    let line: String?
    var testDescription: String { field }
  }

  @Test(
    "Set-Cookie is read by RFC 6265",
    arguments: [
      Case(field: "a=b", line: "www.example.com FALSE /a FALSE 0 a b"),
      Case(field: "a=", line: "www.example.com FALSE /a FALSE 0 a "),
      Case(field: " a = b ; Path=/", line: "www.example.com FALSE / FALSE 0 a b"),
      Case(field: "a=\"b=c\"; path=c", line: "www.example.com FALSE /a FALSE 0 a \"b=c\""),
      Case(field: "a=b; Domain=.Example.COM", line: ".example.com TRUE /a FALSE 0 a b"),
      Case(field: "a=b; domain=www.example.com", line: ".www.example.com TRUE /a FALSE 0 a b"),
      Case(field: "a=b; Domain=other.com", line: nil),
      Case(field: "a=b; Domain=ample.com", line: nil),
      Case(field: "a=b; Domain=com", line: nil),
      Case(field: "a=b; Domain=a.www.example.com", line: nil),
      Case(field: "a=b; Domain=", line: "www.example.com FALSE /a FALSE 0 a b"),
      Case(field: "a=b; HttpOnly", line: "#HttpOnly_www.example.com FALSE /a FALSE 0 a b"),
      Case(field: "a=b; Secure", line: nil),
      Case(
        field: "a=b; Secure", from: "https://h.example/",
        line: "h.example FALSE / TRUE 0 a b"),
      Case(field: "a=b; secure", from: "http://127.0.0.1/", line: "127.0.0.1 FALSE / TRUE 0 a b"),
      Case(field: "a=b; Domain=0.0.1", from: "http://127.0.0.1/", line: nil),
      Case(
        field: "a=b; Max-Age=60; Expires=Wed, 21 Oct 2015 07:28:00 GMT",
        line: "www.example.com FALSE /a FALSE 1800000060 a b"),
      Case(
        field: "a=b; Expires=Tue, 19-Jan-27 03:14:07 GMT",
        line: "www.example.com FALSE /a FALSE 1800328447 a b"),
      Case(
        field: "a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT",
        line: "www.example.com FALSE /a FALSE 1834560000 a b"),
      Case(field: "a=b; Max-Age=6x", line: "www.example.com FALSE /a FALSE 0 a b"),
      Case(field: "a=b; Expires=never", line: "www.example.com FALSE /a FALSE 0 a b"),
      Case(
        field: "a=b; Expires=Tue, 19-Jan-27 03:14:07 GMT; Expires=never",
        line: "www.example.com FALSE /a FALSE 1800328447 a b"),
      // Two digits of a year: 69 is 2069, and no longer than 400 days; 70 is 1970.
      Case(
        field: "a=b; Expires=Thu, 01-Jan-69 00:00:01 GMT",
        line: "www.example.com FALSE /a FALSE 1834560000 a b"),
      Case(
        field: "a=b; Expires=Thu, 01-Jan-70 00:00:01 GMT",
        line: "www.example.com FALSE /a FALSE 1 a b"),
      Case(
        field: "a=b; Expires=Wed, 31 Feb 2027 00:00:00 GMT",
        line: "www.example.com FALSE /a FALSE 0 a b"),
      Case(field: "=b", line: nil), Case(field: "b", line: nil), Case(field: "", line: nil),
      Case(field: "a=b\u{1}", line: nil), Case(field: "a=b\u{7F}", line: nil),
      Case(field: "a=b\tc", line: nil),
      Case(
        field: "a=" + String(repeating: "x", count: 4_095),
        line: "www.example.com FALSE /a FALSE 0 a " + String(repeating: "x", count: 4_095)),
      Case(field: "a=" + String(repeating: "x", count: 4_096), line: nil),
      Case(field: "__Secure-a=b", line: nil), Case(field: "__Host-a=b; Secure", line: nil),
      Case(field: "__Secure-a=b", from: "https://h.example/", line: nil),
      Case(field: "__Host-a=b; Path=/", from: "https://h.example/", line: nil),
      Case(field: "__Host-a=b; Secure; Path=/x", from: "https://h.example/x/y", line: nil),
      Case(
        field: "__Host-a=b; Secure; Path=/; Domain=h.example", from: "https://h.example/",
        line: nil),
      Case(
        field: "__Host-a=b; Secure; Path=/", from: "https://h.example/x/y",
        line: "h.example FALSE / TRUE 0 __Host-a b"),
    ])
  func reading(one: Case) throws {
    let address = try WebAddress(parsing: one.from)
    let cookie = Cookie(setting: one.field, from: address, now: Self.now)
    let line = cookie.map { cookie in
      [
        (cookie.isHTTPOnly ? "#HttpOnly_" : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
        cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
        String(cookie.expires.map { Int($0.timeIntervalSince1970) } ?? 0), cookie.name,
        cookie.value,
      ].joined(separator: " ")
    }
    #expect(line == one.line)
  }

  @Test("An expired cookie deletes, a negative Max-Age too")
  func expired() throws {
    let address = try WebAddress(parsing: "http://a.example/")
    for attribute in ["Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:00 GMT"] {
      let cookie = try #require(Cookie(setting: "a=b; " + attribute, from: address, now: Self.now))
      #expect(cookie.isExpired(at: Self.now))
    }
    let cookie = try #require(Cookie(setting: "a=b; Max-Age=60", from: address, now: Self.now))
    #expect(!cookie.isExpired(at: Self.now + 59.9) && cookie.isExpired(at: Self.now + 60))
  }

  @Test(
    "A cookie is sent to its host, its path and over TLS",
    arguments: [
      ("http://www.example.com/a", true), ("http://www.example.com/a/x?y", true),
      ("http://www.example.com:8080/a/", true), ("http://www.example.com/ab", false),
      ("http://www.example.com/", false), ("http://x.www.example.com/a", false),
      ("http://example.com/a", false),
    ])
  func sending(url: String, isSent: Bool) throws {
    let address = try WebAddress(parsing: "http://www.example.com/a/b")
    let cookie = try #require(Cookie(setting: "a=b", from: address, now: Self.now))
    #expect(cookie.belongs(to: try WebAddress(parsing: url)) == isSent)
  }

  @Test("A cookie of a domain is sent to hosts below it, a secure one not without TLS")
  func domains() throws {
    let address = try WebAddress(parsing: "https://www.example.com/")
    let cookie = try #require(
      Cookie(setting: "a=b; Domain=example.com; Secure", from: address, now: Self.now))
    for (url, isSent) in [
      ("https://example.com/", true), ("https://a.b.example.com/", true),
      ("https://notexample.com/", false), ("http://www.example.com/", false),
    ] {
      #expect(cookie.belongs(to: try WebAddress(parsing: url)) == isSent, "\(url)")
    }
  }
}
