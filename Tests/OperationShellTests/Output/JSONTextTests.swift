import Foundation
import OpshNetworking
import Testing

@testable import ShellOutput

@Suite("JSON text")
struct JSONTextTests {
  @Test(
    "Strings are escaped so that they stay on one line and contain no control characters",
    arguments: [
      ("", #""""#), ("plain", #""plain""#), ("say \"no\"", #""say \"no\"""#), ("a\\b", #""a\\b""#),
      ("\n\r\t", #""\n\r\t""#), ("\u{0}", #""\u0000""#), ("\u{1B}[31m", #""\u001b[31m""#),
      ("\u{7F}", #""\u007f""#), ("\u{9B}", #""\u009b""#), ("\u{2028}\u{2029}", #""\u2028\u2029""#),
      ("é 👩‍🚀 中", #""é 👩‍🚀 中""#), ("e\u{301}", "\"e\u{301}\""), ("/", #""/""#),
      ("\r\n", #""\r\n""#),
    ])
  func strings(_ text: String, _ expected: String) {
    let encoded = JSONValue.string(text).text
    #expect(Array(encoded.unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test("Foundation's parser returns every scalar unchanged")
  func everyScalar() throws {
    var scalars = String.UnicodeScalarView()
    for value in UInt32(0)...0x2FFF {
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
    }
    scalars.append("\u{FEFF}")
    scalars.append("\u{10FFFF}")
    let text = String(scalars)
    let encoded = JSONValue.array([.string(text)]).text
    let read = try #require(
      try JSONSerialization.jsonObject(with: Data(encoded.utf8)) as? [String])
    #expect(Array(read[0].unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test(
    "Numbers are written in the shortest form that parses to the same value",
    arguments: [
      (JSONValue.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"),
      (.real(0), "0"), (.real(1), "1"), (.real(-3), "-3"), (.real(0.588), "0.588"),
      (.real(1e300), "1e+300"), (.real(.infinity), "null"), (.real(.nan), "null"),
      (.real(.leastNonzeroMagnitude), "5e-324"), (.boolean(true), "true"),
      (.boolean(false), "false"),
      (.null, "null"), (.array([]), "[]"), (.object([]), "{}"),
      (.array([.null, .integer(1)]), "[null,1]"),
    ])
  func numbers(_ value: JSONValue, _ expected: String) {
    #expect(value.text == expected)
  }

  @Test("Members keep their order")
  func order() {
    var fields: JSONFields = ["zebra": .number(1), "apple": .string("x")]
    fields.append("middle", .optional(nil as String?))
    #expect(fields.value.text == #"{"zebra":1,"apple":"x","middle":null}"#)
  }

  @Test(
    "Seconds are rounded to milliseconds",
    arguments: [
      (0.0004, "0"), (0.0005, "0.001"), (0.5884, "0.588"), (59.9996, "60"), (-0.25, "-0.25"),
    ])
  func seconds(_ seconds: Double, _ expected: String) {
    #expect(JSONValue.seconds(seconds).text == expected)
  }

  @Test(
    "Written text parses to the same value",
    arguments: [
      #"{"a":[1,2.5,null,true,"x\ny"],"b":{"c":[]},"a2":-0.001}"#, "[[[[]]]]", #""only""#,
    ])
  func readBack(_ text: String) throws {
    #expect(try JSONValue(parsing: Array(text.utf8)).text == text)
  }
}
