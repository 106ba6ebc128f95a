import Testing

@testable import Networking

@Suite("Response heads")
struct ResponseHeadParserTests {
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
}
