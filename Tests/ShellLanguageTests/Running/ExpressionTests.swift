import Testing

@testable import ShellLanguage

@Suite("Expressions")
struct ExpressionTests {
  struct Sum: CustomTestStringConvertible, Sendable {
    let expression: String
    let text: String

    init(_ expression: String, _ text: String) {
      self.expression = expression
      self.text = text
    }

    var testDescription: String { "\(expression) is \(text)" }
  }

  private static func evaluate(_ text: String) throws -> Value {
    let host = TestHost()
    host.add(TestObject("questions-1", ["state": .string("finished"), "finished": .real(1.5)]))
    host.add(TestObject("last", ["finished": .null, "started": .real(2)]))
    host.add(
      TestObject(
        "3",
        ["result": .record([.init("items", .list([.record([.init("title", .string("T"))])]))])]))
    let context = Interpreter(host: host).makeContext()
    context.setVariable("five", .integer(5))
    context.setVariable("word", .string("hello"))
    context.setVariable("letters", .string(String(repeating: "a", count: 8_200)))
    context.setVariable("list", .list([.integer(1), .string("two")]))
    let source = SourceText(name: "e", text: text)
    let expression = try Parser.parseExpression(source)
    return try Evaluator(context: context, source: source).evaluate(expression)
  }

  @Test("Expressions evaluate to the expected values", arguments: sums)
  func evaluates(_ sum: Sum) throws {
    #expect(try Self.evaluate(sum.expression).text == sum.text)
  }

  @Test("An impossible expression fails at its operator", arguments: failures)
  func fails(_ wrong: WrongScript) throws {
    let marked = MarkedText(wrong.marked)
    let thrown = #expect(throws: Diagnostic.self) { try Self.evaluate(marked.text) }
    let diagnostic = try #require(thrown)
    #expect(diagnostic.code == wrong.code)
    #expect(diagnostic.range.lower == marked.offset)
  }

  @Test(
    "An overflow has a help for the kind of the value",
    arguments: [
      ("2000000h * 2000000", "a duration is at most"), ("9000TB * 2000", "a size is at most"),
      ("9223372036854775807 + 1", "a real number reaches further: 1e30"),
      ("1e308 * 10", "a real number is at most"),
    ])
  func overflow(expression: String, help: String) {
    let diagnostic = #expect(throws: Diagnostic.self) { try Self.evaluate(expression) }
    #expect(diagnostic?.help?.hasPrefix(help) == true)
  }

  @Test("Integers of any length, as in JSON, compare by their value")
  func longIntegers() throws {
    func long(_ text: String) -> Value { .spelled(.real(Double(text) ?? .nan), text) }
    let ascending = [
      "-100000000000000000001", "-100000000000000000000", "-99999999999999999999",
      "99999999999999999999", "100000000000000000000", "100000000000000000001",
    ].map(long)
    for (place, value) in ascending.enumerated() {
      for (other, second) in ascending.enumerated() {
        let order: Value.Order = place == other ? .same : place < other ? .before : .after
        #expect(try value.order(with: second) == order, "\(value.text) and \(second.text)")
        #expect(value.isEqual(to: second) == (place == other))
      }
    }
  }

  static let sums: [Sum] = [
    Sum("1 + 2 * 3", "7"), Sum("(1 + 2) * 3", "9"), Sum("10 - 3 - 2", "5"),
    Sum("0.000000002 * 1", "0.000000002"), Sum("0 - 0.000042584", "-0.000042584"),
    Sum("1 / 50000.0", "0.00002"), Sum("1 / 8.0", "0.125"), Sum("1e-10 * 1", "1e-10"),
    Sum("1e20 * 1", "1e+20"),
    Sum("100 / 10 / 5", "2"), Sum("7 % 3", "1"), Sum("-7 % 3", "-1"), Sum("-7 / 2", "-3"),
    Sum("2 * -3", "-6"), Sum("-$five", "-5"), Sum("-(2 + 3)", "-5"), Sum("1.5 + 1", "2.5"),
    Sum("7 / 2.0", "3.5"), Sum("1 - -1", "2"), Sum("1 < 2 and 2 < 3", "true"),
    Sum("true or false and false", "true"), Sum("(true or false) and false", "false"),
    Sum("not true or true", "true"), Sum("not 1 == 2", "true"), Sum("not not true", "true"),
    Sum("1 + 1 == 2", "true"), Sum("1 == 1.0", "true"), Sum("\"5\" == 5", "true"),
    Sum("\"a\" == 5", "false"), Sum("\"a\" < \"b\"", "true"), Sum("null == null", "true"),
    Sum("null == 0", "false"), Sum("null < 5", "false"), Sum("null", "null"),
    Sum("on == true", "true"), Sum("1..5", "1 2 3 4 5"), Sum("5..1", ""),
    Sum("1 .. 1 + 2", "1 2 3"),
    Sum("1..$five", "1 2 3 4 5"), Sum("3 in 1..5", "true"), Sum("9 in 1..5", "false"),
    Sum("\"ell\" in $word", "true"), Sum("\"two\" in $list", "true"),
    Sum("50% * 1MB", "500kB"), Sum("1MB * 50%", "500kB"), Sum("50% * 10s", "5s"),
    Sum("questions-1.state == finished", "true"), Sum("questions-1.state", "finished"),
    Sum("questions-1.finished before last.started", "true"),
    Sum("last.finished before last.started", "false"),
    Sum("last.finished after questions-1.finished", "false"),
    Sum("not last.finished", "true"), Sum("$word matches h*o", "true"),
    Sum("$word matches \"h?llo\"", "true"), Sum("$word matches h", "false"),
    Sum("3.result.items[0].title", "T"), Sum("3.result.items[-1].title", "T"),
    Sum("3.result.items.count", "1"), Sum("$list[$five - 4]", "two"), Sum("$list.count", "2"),
    Sum("200ms + 1s", "1.2s"), Sum("2s * 3", "6s"), Sum("1m - 1s", "59s"), Sum("1h / 2", "30m"),
    Sum("2s == 2000ms", "true"), Sum("2s > 1", "true"), Sum("1m / 1s", "60.0"),
    Sum("500us", "500us"), Sum("0.5s", "500ms"), Sum("1.000000001s", "1.000000001s"),
    Sum("64kB + 1MB", "1064kB"), Sum("1KiB", "1KiB"), Sum("2 * 10B", "20B"),
    Sum("1MB > 64kB", "true"), Sum("1MB / 4", "250kB"), Sum("20% == 20", "true"),
    Sum("20% < 30%", "true"), Sum("50% * 200", "100.0"), Sum("\"a\" + \"b\"", "ab"),
    Sum("\"n = ${$five + 1}\"", "n = 6"), Sum("'$five'", "$five"), Sum("\"$word.\"", "hello."),
    Sum("\"5\" * 2", "10"), Sum("\"7\" - \"5\"", "2"), Sum("upper($word)", "HELLO"),
    Sum("length(\"Zoë 👩‍💻\")", "5"), Sum("join(split(\"a,b,c\", \",\"), \"-\")", "a-b-c"),
    Sum("replace($word, \"l\", \"L\")", "heLLo"), Sum("starts-with($word, he)", "true"),
    Sum("contains($list, 1)", "true"), Sum("number(\" 12 \") + 1", "13"),
    Sum("trim(\"  a b \")", "a b"), Sum("list(1, 2).count", "2"),
    Sum("9223372036854775807", "9223372036854775807"),
    Sum("-9223372036854775808", "-9223372036854775808"),
    Sum("9007199254740993 == 9007199254740992.0", "false"),
    Sum("9223372036854775807 < 9223372036854775808.0", "true"),
    Sum("-9223372036854775808 == -9223372036854775808.0", "true"),
    Sum("length(1..1000000)", "1000000"),
    Sum("1\n + 2 # comment\n + 3", "6"), Sum("questions-1 == questions-1", "true"),
    Sum("false and (1 / $five).nothing", "false"),
  ]

  static let failures: [WrongScript] = [
    WrongScript("overflow", "9223372036854775807 ‸+ 1"),
    WrongScript("overflow", "-9223372036854775808 ‸- 1"),
    WrongScript("overflow", "9223372036854775807 ‸* 2"),
    WrongScript("overflow", "-9223372036854775808 ‸/ -1"),
    WrongScript("division-by-zero", "1 ‸/ 0"),
    WrongScript("division-by-zero", "1 ‸% 0"),
    WrongScript("division-by-zero", "1.0 ‸/ 0"),
    WrongScript("overflow", "2000000h ‸* 2000000"),
    WrongScript("overflow", "9000TB ‸* 2000"),
    WrongScript("type-mismatch", "5 ‸+ true"),
    WrongScript("type-mismatch", "\"x\" ‸+ 5"),
    WrongScript("type-mismatch", "1s ‸+ 1"),
    WrongScript("type-mismatch", "1s ‸< 1kB"),
    WrongScript("type-mismatch", "$word ‸< 5"),
    WrongScript("type-mismatch", "1 ‸in 5"),
    WrongScript("type-mismatch", "1 ‸.. $word"),
    WrongScript("list-too-long", "1‸..2000000"),
    WrongScript("list-too-long", "1‸..1000001"),
    WrongScript("too-large", "(1..1000000) ‸+ list(1)"),
    WrongScript("too-large", "‸replace($letters, \"a\", $letters)"),
    WrongScript("overflow", "1e308 ‸* 10"),
    WrongScript("unknown-name", "‸nothing.state"),
    WrongScript("unknown-name", "‸questions-2.state"),
    WrongScript("unknown-property", "questions-1.‸stat"),
    WrongScript("no-value", "last.finished.‸more"),
    WrongScript("out-of-range", "‸$list[2]"),
    WrongScript("out-of-range", "‸$list[-3]"),
    WrongScript("type-mismatch", "‸$list[\"a\"]"),
    WrongScript("undefined-variable", "‸$nothing"),
    WrongScript("missing-argument", "‸$1"),
  ]
}
