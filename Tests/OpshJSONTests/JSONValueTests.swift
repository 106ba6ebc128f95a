import OpshJSON
import Testing

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

  @Test("Valid JSON is parsed; anything else is rejected", arguments: cases)
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

  @Test("A long number is read only as types that can hold it")
  func longNumbers() throws {
    func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }
    #expect(try value("18446744073709551615").exactInteger(UInt64.self) == .max)
    #expect(try value("30.0").exactInteger(Int.self) == 30)
    #expect(try value("1.10").double == 1.1)
    #expect(try value("18446744073709551616").double == 0x1p64)
    #expect(try value("18446744073709551616").exactInteger(Int.self) == nil)
    #expect(try value("1e400").double == .infinity)
  }

  @Test("A whole number in any notation decodes as an integer, and no other value does")
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

  @Test("Invalid UTF-8 is rejected")
  func invalidText() {
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0x5C, 0x6E, 0xC3, 0x22]) }
  }

  @Test("Deep nesting is rejected without recursion")
  func depth() throws {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(throws: JSONError.self) { try JSONValue(parsing: deep) }
    let allowed = Array(
      (String(repeating: "[", count: 512) + String(repeating: "]", count: 512)).utf8)
    _ = try JSONValue(parsing: allowed)
    #expect(throws: JSONError.self) { try JSONValue(parsing: allowed, maximumDepth: 511) }
  }

  @Test("Every prefix of a text is rejected without a trap")
  func beginnings() throws {
    let text = Array(#"{"a": [1.5e3, "\u00e4\n", null, true], "b": {"c": -2}}"#.utf8)
    for length in 0..<text.count {
      #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.prefix(length))) }
    }
    let value = try JSONValue(parsing: text)
    #expect(value["a"]?[1] == .string("ä\n"))
    #expect(value["b"]?["c"] == .integer(-2))
    #expect(value["c"] == nil && value["a"]?[9] == nil && value[0] == nil)
  }

  @Test(
    "An error says what is wrong, and at which byte",
    arguments: [
      ("[1,]", "no value begins like this (byte 3 of 4)"),
      (#"{"a" 1}"#, "a colon is missing (byte 5 of 7)"),
      ("", "unexpected end of the text (byte 0 of 0)"),
    ])
  func errors(text: String, description: String) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
    #expect(error?.description == description)
  }

  @Test("A member is found by its name, the last of several, and can be set and removed")
  func members() throws {
    guard case .object(var members) = try JSONValue(parsing: Array(#"{"a":1,"b":2,"a":3}"#.utf8))
    else { return #expect(Bool(false), "the text is an object") }
    #expect(members.count == 3 && members["a"] == .integer(3) && members["c"] == nil)
    members["b"] = .null
    members["c"] = .boolean(true)
    #expect(JSONValue.object(members).text == #"{"a":1,"b":null,"a":3,"c":true}"#)
    members["a"] = nil
    #expect(JSONValue.object(members).text == #"{"b":null,"c":true}"#)
  }

  @Test("The text of a value parses to the same value")
  func text() throws {
    let text = #"{"a":[1,2.5,"\"\\\n\u0001é",null],"b":{},"c":[true,false]}"#
    let value = try JSONValue(parsing: Array(text.utf8))
    #expect(value.text == text)
  }
}
