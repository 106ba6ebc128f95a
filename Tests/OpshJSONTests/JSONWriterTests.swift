import OpshJSON
import Testing

@Suite("JSONWriter")
struct JSONWriterTests {
  private func text(
    escaping: JSONWriter.Escaping = .required, _ write: (inout JSONWriter) -> Void
  ) -> String {
    var json = JSONWriter(escaping: escaping)
    write(&json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test("Members and elements are written in the order of the calls")
  func order() {
    let written = text { json in
      json.beginObject()
      json.field("z", 1)
      json.field("least", Int.min)
      json.field(optional: "none", nil)
      json.field("a", "x")
      json.key("list")
      json.beginArray()
      json.boolean(false)
      json.null()
      json.thousandths(1_005)
      json.beginObject()
      json.endObject()
      json.endArray()
      json.key(text: "q\"")
      json.value(.array([.literal("1.10"), .real(2), .real(0.5), .integer(-7)]))
      json.endObject()
    }
    #expect(
      written == #"{"z":1,"least":-9223372036854775808,"a":"x","list":[false,null,1.005,{}],"#
        + #""q\"":[1.10,2,0.5,-7]}"#)
  }

  @Test(
    "A string is escaped as JSON requires, and further as asked for",
    arguments: [
      (JSONWriter.Escaping.required, "\"q\\\" b\\\\ \\n\\r\\t \\u0001 \u{7F} é 😀\u{2028}\""),
      (.controls, "\"q\\\" b\\\\ \\n\\r\\t \\u0001 \\u007f é 😀\\u2028\""),
      (
        .nonASCII,
        "\"q\\\" b\\\\ \\n\\r\\t \\u0001 \u{7F} \\u00e9 \\ud83d\\ude00\\u2028\""
      ),
    ])
  func escapes(escaping: JSONWriter.Escaping, expected: String) {
    #expect(
      text(escaping: escaping) { $0.string("q\" b\\ \n\r\t \u{1} \u{7F} é 😀\u{2028}") }
        == expected)
  }
}
