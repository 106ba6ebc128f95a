@testable import PracticeServer
import Testing

@Suite("Regular expressions that cannot run away")
struct PatternTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let pattern: String
    let text: String
    var options = ""
    let matches: Bool
    var testDescription: String { "\(pattern) in \(text)" }

    init(_ pattern: String, _ text: String, _ matches: Bool, options: String = "") {
      self.pattern = pattern
      self.text = text
      self.matches = matches
      self.options = options
    }
  }

  static let cases: [Case] = [
    Case("", "", true), Case("", "abc", true), Case("b", "abc", true), Case("^b", "abc", false),
    Case("^a.c$", "abc", true), Case("^a.c$", "a\nc", false),
    Case("^a.c$", "a\nc", true, options: "s"), Case("a|b|", "z", true),
    Case("^(a|b)c$", "bc", true),
    Case("^a*$", "", true), Case("^a+$", "", false), Case("^a?b$", "b", true),
    Case("^a{2}$", "aa", true), Case("^a{2}$", "aaa", false), Case("^a{2,}$", "aaaa", true),
    Case("^a{1,3}$", "aaaa", false), Case("a{x}", "a{x}", true), Case("^(ab){2}$", "abab", true),
    Case("a+?b", "aab", true), Case("^[a-c]+$", "abcba", true), Case("^[^a-c]+$", "xyz", true),
    Case("^[^a-c]+$", "xaz", false), Case("^[]a]+$", "]a", true), Case("[a-]", "-", true),
    Case(#"^\d+\.\d*$"#, "12.5", true), Case(#"^\D$"#, "x", true), Case(#"^\w+$"#, "a_1", true),
    Case(#"\W"#, "a_1", false), Case(#"^\s\S$"#, "\tx", true), Case(#"[\d\s]"#, "x y", true),
    Case(#"[^\d\s]"#, "1 2", false), Case(#"[\D]"#, "12", false), Case(#"[\W]"#, "a-b", true),
    Case(#"\bqueue\b"#, "the queue.", true), Case(#"\bqueue\b"#, "queues", false),
    Case(#"\Bue\B"#, "queues", true), Case(#"^\Qa.b*\E$"#, "a.b*", true),
    Case(#"\Qa"#, "a", true), Case(#"\.\*\+\?\(\)\[\]\{\}\^\$\|\\\/"#, #".*+?()[]{}^$|\/"#, true),
    Case(#"\x41\u0042\x{43}"#, "ABC", true), Case("HELLO", "hello", true, options: "i"),
    Case("(?i)HELLO", "hello", true), Case("[A-C]", "b", true, options: "i"),
    Case("^b$", "a\nb\nc", false), Case("^b$", "a\nb\nc", true, options: "m"),
    Case("b$", "ab\n", true), Case(#"b\z"#, "b", true),
    Case("a b # note", "ab", true, options: "x"),
    Case("(?:ab)+", "abab", true), Case("(?<year>[0-9]{4})", "in 2012", true),
    Case("日本", "日本語", true), Case("^.$", "😀", true), Case("É", "é", true, options: "i"),
  ]

  @Test("Patterns match what they describe", arguments: cases)
  func matching(_ example: Case) throws {
    let pattern = try ParsePattern(example.pattern, options: example.options)
    #expect(try pattern.matches(example.text, budget: ParseBudget()) == example.matches)
  }

  @Test(
    "What is wrong or not supported is refused",
    arguments: [
      "(", ")", "[", "[a", "*", "+a", "a**b(", "a{3,2}", #"\"#, #"\1"#, "(?=a)", "(?!a)", "(?<=a)b",
      #"\p{L}"#, "[z-a]", #"\x{}"#, "(?<name", "a{1000}{1000}(", "(a{1000}){1000}",
      String(repeating: "(", count: 500), String(repeating: "a", count: 5_000),
      "((((((){1999}){1999}){1999}){1999}){1999}){1999}",
    ])
  func refused(pattern: String) {
    let error = #expect(throws: ParseError.self) { try ParsePattern(pattern) }
    #expect(error?.code == 102)
  }

  @Test("The time is in proportion to the text")
  func time() throws {
    let text = String(repeating: "a", count: 3_000)
    for pattern in ["^(a+)+$", "(a|a)*b", "(a*)*b", "^(a?){30}a{30}b", "(.*)*(.*)*x"] {
      let found = try ParsePattern(pattern).matches(text, budget: ParseBudget())
      #expect(found == (pattern == "^(a+)+$"))
    }
    #expect(throws: ParseError.tooMuchWork) {
      try ParsePattern("x").matches(text, budget: ParseBudget(steps: 100))
    }
  }
}

@Suite("JSON that clients send")
struct JSONParserTests {
  @Test(
    "What is JSON is read",
    arguments: [
      ("null", "null"), (" [ 1 , -2.50e1, true ]\n", "[1,-25,true]"), ("-0", "0"),
      (#"{"a":{"b":[]},"a":2}"#, #"{"a":2}"#),
      (#""\u0041\n\/\\\"\ud83d\ude00\b""#, #""A\n/\\\"😀\u0008""#),
      (#""\ud83d x""#, "\"\u{FFFD} x\""), ("9223372036854775807", "9223372036854775807"),
      ("1e2", "100"), ("0.1", "0.1"), (#"{"z":1,"a":2}"#, #"{"z":1,"a":2}"#),
    ])
  func reading(text: String, written: String) throws {
    var json = JSONWriter()
    json.value(try JSONParser.parse(text))
    #expect(String(decoding: json.bytes, as: UTF8.self) == written)
  }

  @Test(
    "What is not JSON is refused",
    arguments: [
      "", " ", "nul", "01", "1.", ".5", "+1", "1e", "-", "[1,]", "[1 2]", #"{"a"}"#, #"{"a":1,}"#,
      "{1:2}", "'a'", "\"a", "\"\t\"", #""\x""#, #""\u12""#, "1 2", "[", "1e999", "NaN", "true x",
      String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
    ])
  func refused(text: String) {
    #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(text) }
  }

  @Test("Nothing that is sent does harm")
  func noise() {
    var random = RandomSource(seed: 3)
    let pieces = Array(#"{}[]",:\u0ntf-1.eE "#.utf8) + [0xFF, 0xC3, 0x00]
    for _ in 0..<2_000 {
      let bytes = (0..<random.below(40)).map { _ in random.pick(pieces) }
      _ = try? JSONParser.parse(bytes)
    }
  }
}
