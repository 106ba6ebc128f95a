import Testing

@testable import OpshNetworking

@Suite("Response heads")
struct ResponseHeadParserTests {
  @Test("Header fields are parsed from the received bytes")
  func receivedFields() throws {
    var parser = ResponseHeadParser()
    var head: ResponseHeadParser.Head?
    let lines = [
      "HTTP/1.1 200 OK", "Content-Length:  14 ", "X-Long: a", "\t b  ", " c", "x-long:d", "Empty:",
      "",
    ]
    for line in lines {
      var text = line + "\r\n"
      let step = try text.withUTF8 { bytes throws(NetworkError) in try parser.take(bytes) }
      if case .complete(let found) = step { head = found }
    }
    #expect(head?.status == 200 && head?.reasonPhrase == "OK")
    var fields = try #require(head?.headers)
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

  @Test("A length that is received twice is none")
  func twoLengths() throws {
    var parser = ResponseHeadParser()
    var head: ResponseHeadParser.Head?
    for line in ["HTTP/1.1 200 OK", "Content-Length: 14", "Content-Length: 15", ""] {
      var text = line + "\r\n"
      let step = try text.withUTF8 { bytes throws(NetworkError) in try parser.take(bytes) }
      if case .complete(let found) = step { head = found }
    }
    #expect(try #require(head).headers.soleNumber(of: "Content-Length") == nil)
  }

  @Test(
    "The text after the status is kept, and cut if it is long",
    arguments: [
      ("HTTP/1.1 404 Not Found", "Not Found"), ("HTTP/1.1 599 ", ""), ("HTTP/2 200", ""),
      ("HTTP/1.1 500 " + String(repeating: "x", count: 900), String(repeating: "x", count: 200)),
    ])
  func reasonPhrase(line: String, phrase: String) throws {
    var parser = ResponseHeadParser()
    for text in [line, ""] {
      var text = text + "\r\n"
      let step = try text.withUTF8 { bytes throws(NetworkError) in try parser.take(bytes) }
      if case .complete(let head) = step { #expect(head.reasonPhrase == phrase) }
    }
  }
}
