import Testing

@testable import Networking

@Suite("JSONValue")
struct JSONValueTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var input: String
    var expected: JSONValue?
    var testDescription: String { input }
    init(_ input: String, _ expected: JSONValue?) {
      self.input = input
      self.expected = expected
    }
  }

  static let cases: [Case] = [
    Case("null", .null), Case(" true\n", .boolean(true)), Case("false", .boolean(false)),
    Case("0", .integer(0)), Case("-12", .integer(-12)), Case("1.5", .real(1.5)),
    Case("1e2", .literal("1e2")), Case("-0", .literal("-0")), Case("1.10", .literal("1.10")),
    Case("9223372036854775807", .integer(.max)),
    Case("9223372036854775808", .literal("9223372036854775808")),
    Case("-9223372036854775809", .literal("-9223372036854775809")),
    Case("1e999", .literal("1e999")),
    Case("\"\"", .string("")), Case(#""a\n\"\\\/\u0041""#, .string("a\n\"\\/A")),
    Case(#""\ud83d\ude00""#, .string("😀")), Case(#""\ud83d""#, .string("\u{FFFD}")),
    Case(#""\ud83dx""#, .string("\u{FFFD}x")), Case("\"日本\"", .string("日本")),
    Case("[]", .array([])), Case("[1, [2]]", .array([.integer(1), .array([.integer(2)])])),
    Case("{}", .object([])), Case("\u{FEFF}1", .integer(1)),
    Case(
      #"{"b": 1, "a": 2}"#,
      .object([.init(name: "b", value: .integer(1)), .init(name: "a", value: .integer(2))])),
    Case("", nil), Case("nul", nil), Case("01", nil), Case("1.", nil), Case(".5", nil),
    Case("+1", nil), Case("1e", nil), Case("\"a", nil), Case("\"\n\"", nil),
    Case(#""\x""#, nil), Case(#""\u12""#, nil), Case("[1,]", nil), Case("[1 2]", nil),
    Case("{1: 2}", nil), Case(#"{"a" 1}"#, nil), Case(#"{"a": 1,}"#, nil), Case("1 2", nil),
    Case("NaN", nil), Case("'a'", nil), Case("[", nil), Case("{\"a\":", nil),
  ]

  @Test("A text is parsed, or refused", arguments: cases)
  func parse(testCase: Case) {
    #expect((try? JSONValue(parsing: Array(testCase.input.utf8))) == testCase.expected)
  }

  @Test(
    "A number is written as it was received",
    arguments: [
      "0", "-0", "1", "1.0", "1.10", "1e2", "1E+2", "1e400", "-1e-400", "0.1",
      "3.14159265358979323846264338327950288", "123456789012345678901234567890",
      "-9223372036854775809", "18446744073709551615", "9007199254740993",
    ])
  func numbersKept(text: String) throws {
    let page = #"{"a":[\#(text)],"b":\#(text)}"#
    #expect(try JSONValue(parsing: Array(page.utf8)).text == page)
  }

  @Test("A long number is read by types that hold it, and by no others")
  func longNumbers() throws {
    func decode<Number: Decodable>(_ text: String, as type: Number.Type) throws -> Number {
      try JSONValueDecoder.decode(type, from: try JSONValue(parsing: Array(text.utf8)))
    }
    #expect(try decode("18446744073709551615", as: UInt64.self) == .max)
    #expect(try decode("30.0", as: Int.self) == 30)
    #expect(try decode("1.10", as: Double.self) == 1.1)
    #expect(try decode("18446744073709551616", as: Double.self) == 0x1p64)
    #expect(
      throws: NetworkError.serialization("the value is an integer that does not fit 64 bits")
    ) {
      try decode("18446744073709551616", as: Int.self)
    }
    #expect(throws: NetworkError.self) { try decode("1e400", as: Double.self) }
    #expect(try JSONValue(parsing: Array("1e400".utf8)).double == .infinity)
  }

  @Test("A whole number is an integer however it is written, and no other value is one")
  func exactIntegers() throws {
    func integer(_ text: String) throws -> Int? {
      try JSONValue(parsing: Array(text.utf8)).exactInteger()
    }
    for text in ["30", "30.0", "3e1", "300e-1"] { #expect(try integer(text) == 30) }
    #expect(try integer("9007199254740993") == 9_007_199_254_740_993)
    for text in ["1.5", "1e400", "9223372036854775808", "\"30\"", "null", "[30]"] {
      #expect(try integer(text) == nil, "\(text)")
    }
    #expect(JSONValue.integer(300).exactInteger(UInt8.self) == nil)
  }

  @Test("Invalid UTF-8 is refused")
  func invalidText() {
    #expect(throws: NetworkError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    #expect(throws: NetworkError.self) { try JSONValue(parsing: [0x22, 0x5C, 0x6E, 0xC3, 0x22]) }
  }

  @Test("Deep nesting is refused and not followed")
  func depth() throws {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(throws: NetworkError.self) { try JSONValue(parsing: deep) }
    let allowed = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
    _ = try JSONValue(parsing: Array(allowed.utf8))
  }

  @Test("Every beginning of a text is refused without a trap")
  func beginnings() throws {
    let text = Array(#"{"a": [1.5e3, "\u00e4\n", null, true], "b": {"c": -2}}"#.utf8)
    for length in 0..<text.count {
      #expect(throws: NetworkError.self) { try JSONValue(parsing: Array(text.prefix(length))) }
    }
    let value = try JSONValue(parsing: text)
    #expect(value["a"]?[1] == .string("ä\n"))
    #expect(value["b"]?["c"] == .integer(-2))
    #expect(value["c"] == nil && value["a"]?[9] == nil && value[0] == nil)
  }

  @Test("The text of a value parses to the same value")
  func text() throws {
    let text = #"{"a":[1,2.5,"\"\\\n\u0001é",null],"b":{},"c":[true,false]}"#
    let value = try JSONValue(parsing: Array(text.utf8))
    #expect(value.text == text)
  }
}
