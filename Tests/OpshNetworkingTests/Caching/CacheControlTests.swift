import Testing

@testable import OpshNetworking

@Suite("Cache-Control")
struct CacheControlTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let values: [String]
    var maxAge: Int?
    var whileRevalidate: Int?
    var ifError: Int?
    var flags = ""

    var testDescription: String { values.joined(separator: " | ") }

    init(
      _ values: String..., maxAge: Int? = nil, whileRevalidate: Int? = nil, ifError: Int? = nil,
      flags: String = ""
    ) {
      self.values = values
      self.maxAge = maxAge
      self.whileRevalidate = whileRevalidate
      self.ifError = ifError
      self.flags = flags
    }
  }

  @Test(
    "Directives are parsed by RFC 9111; ambiguous ones are read as the stricter",
    arguments: [
      Case(""), Case("max-age=60", maxAge: 60), Case("MAX-AGE=60", maxAge: 60),
      Case("max-age=\"60\"", maxAge: 60), Case("max-age = 60", maxAge: 60),
      Case("public, max-age=60 , must-revalidate", maxAge: 60, flags: "must-revalidate"),
      Case("max-age=60, max-age=10", maxAge: 10), Case("max-age=60", "max-age=10", maxAge: 10),
      Case("max-age=10, max-age=60", maxAge: 10), Case("max-age=10", "max-age=60", maxAge: 10),
      Case(
        "stale-while-revalidate=2, stale-if-error=3, stale-while-revalidate=9, stale-if-error=9",
        whileRevalidate: 2, ifError: 3),
      Case("max-age", maxAge: 0), Case("max-age=", maxAge: 0), Case("max-age=-1", maxAge: 0),
      Case("max-age=1.5", maxAge: 0), Case("max-age=soon", maxAge: 0),
      Case("max-age=99999999999999999999999", maxAge: 1 << 31),
      Case("s-maxage=60, x-max-age=1"), Case("no-store", flags: "no-store"),
      Case("no-cache", flags: "no-cache"), Case("no-cache=\"set-cookie\"", flags: "no-cache"),
      Case(
        "max-age=1, stale-while-revalidate=2, stale-if-error=3", maxAge: 1, whileRevalidate: 2,
        ifError: 3),
      // Text in quotation marks is never a directive.
      Case("private=\"a, no-store, max-age=1\", max-age=5", maxAge: 5),
      Case("x=\"\\\", no-store, \", max-age=5", maxAge: 5), Case("x=\"no-store"),
      Case(",,, ,max-age=5,", maxAge: 5), Case("max-age=5;no-store", maxAge: 0),
      Case("no-cache, no-store, must-revalidate", flags: "no-store no-cache must-revalidate"),
    ])
  func directives(_ one: Case) throws {
    let control = CacheControl(HTTPHeaders(received: one.values.map { ("cache-control", $0) }))
    #expect(control.maxAge == one.maxAge)
    #expect(control.staleWhileRevalidate == one.whileRevalidate)
    #expect(control.staleIfError == one.ifError)
    #expect(control.isNoStore == one.flags.contains("no-store"))
    #expect(control.isNoCache == one.flags.contains("no-cache"))
    #expect(control.mustRevalidate == one.flags.contains("must-revalidate"))
  }

  @Test("Pragma applies only without Cache-Control")
  func pragma() {
    #expect(CacheControl(HTTPHeaders(received: [("Pragma", "x, No-Cache")])).isNoCache)
    #expect(
      !CacheControl(
        HTTPHeaders(received: [("Pragma", "no-cache"), ("Cache-Control", "max-age=1")])
      ).isNoCache)
  }
}
