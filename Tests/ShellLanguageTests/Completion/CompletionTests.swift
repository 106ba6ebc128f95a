import Testing

@testable import ShellLanguage

@Suite("Completion")
struct CompletionTests {
  struct Typed: CustomTestStringConvertible, Sendable {
    let marked: String
    let expectations: String
    let prefix: String

    init(_ marked: String, _ expectations: String, _ prefix: String = "") {
      self.marked = marked
      self.expectations = expectations
      self.prefix = prefix
    }

    var testDescription: String { marked }
  }

  /// `‸` is where the replaced part begins; the cursor is at the end.
  @Test("The text around the cursor decides what can be completed", arguments: cases)
  func completes(_ typed: Typed) {
    let marked = MarkedText(typed.marked)
    let context = CompletionContext.at(
      marked.text, cursor: marked.text.utf8.count, catalog: TestHost().catalog)
    #expect(context.expectations.map(describe).joined(separator: " ") == typed.expectations)
    #expect(context.prefix == typed.prefix)
    #expect(context.range == SourceRange(marked.offset ?? 0, marked.text.utf8.count))
  }

  @Test("A word of a megabyte is completed", .timeLimit(.minutes(1)))
  func longWord() {
    // Copying it for each byte would take an hour.
    let text = "echo " + String(repeating: "a", count: 1_000_000)
    let context = CompletionContext.at(
      text, cursor: text.utf8.count, catalog: TestHost().catalog)
    #expect(context.prefix.utf8.count == 1_000_000)
  }

  private func describe(_ expectation: CompletionContext.Expectation) -> String {
    switch expectation {
    case .command(let path): "command[\(path.joined(separator: ","))]"
    case .option(let signature): "option[\(signature.fullName)]"
    case .value(_, let name, let signature): "value[\(signature.name).\(name)]"
    case .keyword(let words): "keyword[\(words.joined(separator: ","))]"
    case .variable: "variable"
    case .property(let base): "property[\(base)]"
    case .operand: "operand"
    case .operators: "operators"
    case .comparand(let property): "comparand[\(property)]"
    case .program: "program"
    case .file: "file"
    }
  }

  static let cases: [Typed] = [
    Typed("‸", "command[]"), Typed("‸fe", "command[]", "fe"),
    Typed("echo a; ‸fe", "command[]", "fe"),
    Typed("if (true) { ‸fe", "command[]", "fe"), Typed("fetch ‸que", "command[fetch]", "que"),
    Typed("queue ‸", "command[queue]"), Typed("queue pause ‸ne", "value[queue.queue]", "ne"),
    Typed("queue width ‸", "value[queue.queue] value[queue.width]"),
    Typed("queue width net ‸", "value[queue.width]"), Typed("queue pause net ‸", ""),
    Typed("fetch questions ‸--co", "option[fetch questions]", "--co"),
    Typed("fetch questions ‸", "option[fetch questions]"),
    Typed("fetch questions --count ‸", "value[fetch.--count]"),
    Typed("fetch questions --count=‸5", "value[fetch.--count]", "5"),
    Typed("fetch questions --after a,‸que", "value[fetch.--after]", "que"),
    Typed("fetch questions --after=a,‸", "value[fetch.--after]"),
    Typed("priority a ‸", "value[priority.operation] value[priority.level]"),
    Typed("deps a ‸", "keyword[on] keyword[off]"), Typed("deps a on ‸q", "value[deps.on]", "q"),
    Typed("expect (true) ‸wi", "keyword[within]", "wi"),
    Typed("expect (true) within ‸", "value[expect.within]"),
    Typed("let x = ‸fe", "command[]", "fe"), Typed("let x = fetch ‸", "command[fetch]"),
    Typed("echo $‸na", "variable", "na"), Typed("echo \"a $‸na", "variable", "na"),
    Typed("echo $q.‸st", "property[$q]", "st"), Typed("echo ‸'$na", "value[echo.text]", "$na"),
    Typed("(last.state == ‸", "comparand[last.state]"),
    Typed("(last.state == ‸re", "comparand[last.state]", "re"),
    Typed("(a and b < ‸", "comparand[b]"),
    Typed("(\"a\" == ‸", "operand"), Typed("(last.state ‸", "operators"),
    Typed("((1) ‸", "operators"),
    Typed("(f(1, ‸", "operand"), Typed("(1 + ‸", "operand"),
    Typed("(‸la", "operand", "la"), Typed("(last.‸st", "property[last]", "st"),
    Typed("if ($‸x", "variable", "x"),
    Typed("echo \"${‸up", "variable operand", "up"),
    Typed("echo ${‸na", "variable operand", "na"), Typed("echo \"${a + ‸b", "operand", "b"),
    Typed("echo \"${last.‸st", "property[last] property[$last]", "st"),
    // What '!' begins is the system shell's, also in quotes, up to its end.
    Typed("!echo ‸\"${HO", "file", "${HO"), Typed("!echo ‸${HO", "file", "${HO"),
    Typed("!echo ‸$(ls", "file", "$(ls"), Typed("!ls ${A}; ‸fe", "command[]", "fe"),
    Typed("repeat 2 { !ls }; ‸fe", "command[]", "fe"),
    Typed("let x = !‸da", "program", "da"), Typed("for x in ‸al", "keyword[all]", "al"),
    Typed("echo a > ‸fi", "file", "fi"),
    Typed("run ‸", "option[run]"), Typed("run ‸ls", "program", "ls"),
    Typed("run ls ‸fi", "file", "fi"), Typed("run ls -l ‸", "file"),
    Typed("run ls ‸--na", "file", "--na"),
    Typed("echo a | ‸gr", "program", "gr"), Typed("echo a | sort ‸f", "file", "f"),
    Typed("fetch questions --after='a,‸que", "value[fetch.--after]", "que"),
    Typed("fetch questions --count=‸'5", "value[fetch.--count]", "5"),
    Typed("fetch questions --after='a'b,‸", "value[fetch.--after]"),
    Typed("time ‸fe", "command[] value[time.command]", "fe"),
    Typed("time fetch ‸", "command[fetch]"),
    Typed("if (true) { } ‸", "keyword[else]"), Typed("try { } ‸ca", "keyword[catch]", "ca"),
    Typed("for x ‸", "keyword[in]"), Typed("nothing ‸", ""),
    Typed("get ‸\"htt", "value[get.url]", "htt"),
  ]
}
