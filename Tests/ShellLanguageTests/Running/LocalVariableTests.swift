import Testing

@testable import ShellLanguage

@Suite("Variables of a definition, and the words of 'for'")
struct LocalVariableTests {
  typealias Example = TextAndNullTests.Example

  private static func host() -> TestHost {
    let host = TestHost()
    for name in ["a-1", "a-2", "b-1"] { host.add(TestObject(name, ["state": .string("ready")])) }
    return host
  }

  @Test("A script prints the expected output", arguments: definitions + loops)
  func prints(_ example: Example) {
    let outcome = run(example.text, host: Self.host(), arguments: ["2"], checked: false)
    #expect(outcome.lines == example.lines)
    #expect(outcome.diagnostic == nil, "\(String(describing: outcome.diagnostic))")
  }

  static let definitions: [Example] = [
    Example("let x = 1; def f { let x = 9; echo $x }; f; echo $x", "9", "1"),
    Example(
      "let x = 1; def f { echo $x; let x = 9; echo $x }; f; f; echo $x", "1", "9", "1", "9", "1"),
    Example(
      "def f { let x = 1; if (true) { let x = 2 }; repeat 1 { let x = ($x + 1) }; echo $x }; f", "3"
    ),
    Example("def f { let x = 1; for i in 1..3 { let x = ($x + $i) }; echo $x }; f", "7"),
    Example(
      "def f { let x = 1; try { let x = 2; fail no } catch e { let x = ($x + 1) }; echo $x }; f",
      "3"),
    Example("let x = 1; def f { if (true) { let x = 2; echo $x } }; f; echo $x", "2", "1"),
    Example(
      "let x = 1; def g { let x = 3 }; def f { let x = 2; g; echo $x }; f; echo $x", "2", "1"),
    Example("def f a { let a = ($a + 1); return $a }; let b = f 1; echo $b", "2"),
    Example("let x = 1; def f { let x = 5; block { echo $x } }; f", "5"),
    Example("let x = 1; def f { let x = 2; echo $x }; block { f; echo $x }", "2", "1"),
    Example(
      "let x = 1; def f { let x = 5; on q finished { let x = ($x + 1); echo $x } }; f; fire; fire; echo $x",
      "6", "7", "1"),
    Example("let x = 1; if (true) { let x = 2 }; echo $x", "2"),
    // A handler is a block of the 'def', whenever it runs.
    Example(
      "let x = 1; def f { on q finished { let x = ($x + 1); echo $x } }; f; fire; fire; echo $x",
      "2", "3", "1"),
    // A 'let' in a block of the 'def' makes the variable of the call.
    Example(
      "let t = 1; def f { while ($t < 3) { let t = ($t + 1); echo $t } }; f; echo $t",
      "2", "3", "1"),
    Example("let t = 1; def f { if (true) { let t = 6 }; echo in $t }; f; echo $t", "in 6", "1"),
    Example("def f { repeat 1 { if (true) { let t = 6 } }; echo $t }; f", "6"),
    Example("def f { for t in 1 { let t = 2; echo $t }; let t = 3; echo $t }; f", "2", "3"),
    Example("def f { try { let t = 6; fail no } catch e { let u = $t }; echo $t $u }; f", "6 6"),
    Example(
      "def f { time echo a; if (true) { def g { let t = 1 } }; let t = 2; g; echo $t }; f",
      "timed", "a", "2"),
    Example("let t = 1; def f { block { if (true) { let own = 6; echo $own } } }; f", "6"),
    Example("let t = 1; if (true) { let own = 6 }; def f { echo $t }; f", "1"),
  ]

  static let loops: [Example] = [
    Example("for i in 1..3 { echo $i }", "1", "2", "3"),
    Example("let n = 2; for i in 1..$n { echo $i }", "1", "2"),
    Example("let n = 2; for i in $n..3 { echo $i }", "2", "3"),
    Example("let a = 1; let b = 2; for i in $a..$b { echo $i }", "1", "2"),
    Example("for i in 1..$1 { echo $i }; for i in ${1 + 1}..3 { echo $i }", "1", "2", "2", "3"),
    Example("let l = (list(5, 6)); for i in $l.first..$l[1] { echo $i }", "5", "6"),
    Example("let n = 0; for i in 1..$n { echo $i }; echo none", "none"),
    Example("for i in -1..1 { echo $i }", "-1", "0", "1"),
    Example("for i in \"1..3\" '1..3' 1.\".3\" { echo $i }", "1..3", "1..3", "1..3"),
    Example("let n = 3; for i in \"1..$n\" { echo $i }", "1..3"),
    Example("let r = \"1..3\"; for i in $r { echo $i }", "1..3"),
    Example("for i in a..b ../x \"1...3\" 1s..3s { echo $i }", "a..b", "../x", "1...3", "1s..3s"),
    Example("for i in 9223372036854775806..9223372036854775807 { break }; echo done", "done"),
    Example("for op in all { echo $op }", "a-1", "a-2", "b-1"),
    Example("for op in a-* { echo $op.state }", "ready", "ready"),
    Example("for op in *-1 x { echo $op }", "a-1", "b-1", "x"),
    Example("let w = 'a'; for op in $w-* ${w}-?* { echo $op }", "a-1", "a-2", "a-1", "a-2"),
    Example("for x in 'all' \"a-*\" a-'*' { echo $x }", "all", "a-*", "a-*"),
    Example("let w = 'all'; let p = 'a-*'; for x in $w $p \"$p\" { echo $x }", "all", "a-*", "a-*"),
    Example("for x in a-? { echo $x }", "a-?"),
  ]

  @Test(
    "A loop over something that cannot be iterated or found fails at the word", arguments: failures)
  func fails(_ wrong: WrongScript) throws {
    let marked = MarkedText(wrong.marked)
    let outcome = run(marked.text, host: Self.host(), checked: false)
    let diagnostic = try #require(outcome.diagnostic, "\(outcome.lines)")
    #expect(diagnostic.code == wrong.code)
    #expect(diagnostic.place == marked.source.place(of: try #require(marked.offset)))
  }

  static let failures: [WrongScript] = [
    WrongScript("type-mismatch", "let n = 'x'; for i in ‸1..$n { echo $i }"),
    WrongScript("type-mismatch", "let n = null; for i in ‸1..$n { echo $i }"),
    WrongScript("type-mismatch", "let n = 1.5; for i in ‸$n..3 { echo $i }"),
    WrongScript("unknown-operation", "for i in ‸c-* { echo $i }"),
    // What the variable holds is letters, and no pattern.
    WrongScript("unknown-operation", "let w = '*'; for i in ‸$w-* { echo $i }"),
    WrongScript("no-value", "let w = null; for i in ‸$w-* { echo $i }"),
  ]

  @Test(
    "The checker follows the same scope rules",
    arguments: [
      ("def f { if (true) { let t = 6 }; echo $t }; f", ""),
      ("def f { if (true) { repeat 2 { let t = 6 } }; echo $t }; f", ""),
      ("def f { if (true) { let t = 6 } }; f", "unused-variable"),
      ("def f { if (true) { let t = 6 } }; f; echo $t", "undefined-variable"),
      ("let t = 1; def f { if (true) { let t = 6 }; echo $t }; f; echo $t", "local-variable"),
      ("let t = 1; def f { block { let t = 6 } }; f; echo $t", "captured-variable"),
      ("def f { block { let t = 6; echo $t }; echo $t }; f", "undefined-variable"),
      ("if (true) { let t = 6; echo $t }; echo $t", "undefined-variable"),
    ])
  func checks(_ text: String, _ code: String) {
    let found = Checker.check(
      Parser.parse(SourceText(name: "main", text: text)), catalog: TestHost().catalog)
    #expect(code.isEmpty ? found.isEmpty : found.contains { $0.code == code }, "\(found)")
  }

  @Test("A script included by a definition sets its variables there")
  func includes() {
    let texts = ["lib": "let v = 1\ndef helper { echo 1 }"]
    func found(_ text: String) -> [String] {
      Checker.check(
        Parser.parse(SourceText(name: "main", text: text)), catalog: TestHost().catalog
      ) { path, _ in texts[path].map { Parser.parse(SourceText(name: path, text: $0)) } }
      .map(\.code)
    }
    #expect(found("def f { source lib; echo $v }\nf") == [])
    #expect(found("def f { source lib; echo $v }\ndef g { source lib; echo $v }\nf; g") == [])
    #expect(found("source lib\ndef f { source lib; echo $v }\nf; echo $v") == [])
    #expect(found("def f { if (true) { source lib }; echo $v }\nf") == [])
    #expect(found("def f { if (true) { source lib }; source lib; echo $v }\nf") == [])
    #expect(found("def f { source lib }\nf; echo $v") == ["undefined-variable"])
    #expect(
      found("let v = 0\ndef f { source lib; echo $v }\nf; echo $v") == ["local-variable"])
  }
}
