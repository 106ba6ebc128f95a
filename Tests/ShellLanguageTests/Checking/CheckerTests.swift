import Testing

@testable import ShellLanguage

@Suite("Checking")
struct CheckerTests {
  @Test(
    "A warning marks code that is probably a mistake",
    arguments: [
      WrongScript("unused-variable", "let ‸x = 5"),
      WrongScript("unused-variable", "if (true) { let ‸x = 5 }"),
      WrongScript("unused-variable", "def f { let ‸x = 5 }"),
      WrongScript("expected-variable", "echo \"${‸1}\""),
      WrongScript("expected-variable", "echo \"${‸1 ?? 5}\""),
      WrongScript("local-variable", "let n = 3; def f { let ‸n = 4 }; f; echo $n"),
      WrongScript(
        "local-variable", "let n = 3; def f { if (true) { let ‸n = 4; echo $n } }; echo $n"),
      WrongScript("unreachable", "repeat 2 { break; ‸echo a }"),
      WrongScript("unreachable", "exit\n‸echo a"),
      WrongScript("unreachable", "def f { return 5\n‸echo a }"),
    ])
  func warns(_ wrong: WrongScript) throws {
    let marked = MarkedText(wrong.marked)
    let found = check(marked.text)
    #expect(found.map(\.code) == [wrong.code])
    #expect(found.first?.severity == .warning)
    #expect(found.first?.range.lower == marked.offset)
    #expect(found.first?.exitStatus == 0)
  }

  @Test(
    "A 'def' that reads a variable outside and then has one of that name is warned of both places",
    arguments: [
      "let n = 3; def f { echo ‸$n; let n = 4; echo $n }; f",
      "def f { if (true) { echo ‸$n }; repeat 2 { let n = 4; echo $n } }\nlet n = 3; f",
      "let n = 3; def f { let n = (‸$n + 1); echo $n }; f",
    ])
  func readsOuter(_ marked: String) throws {
    let text = MarkedText(marked)
    let found = try #require(check(text.text).first)
    #expect(found.code == "local-variable")
    #expect(found.message.contains("has read the variable outside the 'def' before"))
    let read = try #require(found.labels.first { $0.message == "this reads the variable outside" })
    #expect(read.range.lower == text.offset)
    // A variable that is only called alike has not been read.
    let other = try #require(check("let n = 3; def f { let n = 4; echo $n }; f; echo $n").first)
    #expect(!other.message.contains("before"))
  }

  @Test(
    "Where each statement runs, an error at the top level makes what follows not unreachable",
    arguments: [
      ("while (true) { echo a }\necho b", 0), ("exit\necho b", 1),
      ("if (true) { while (true) { echo a }; echo b }", 1),
    ])
  func keepsGoing(text: String, count: Int) {
    let script = Parser.parse(SourceText(name: "test.opsh", text: text))
    let catalog = TestHost().catalog
    let found = Checker.check(script, catalog: catalog, keepsGoing: true)
    #expect(found.map(\.code) == Array(repeating: "unreachable", count: count))
    #expect(Checker.check(script, catalog: catalog).map(\.code) == ["unreachable"])
  }

  @Test(
    "A correct script has no findings",
    arguments: [
      "let x = 5; echo $x", "let x = 5; def f { echo $x }; f", "def f { g }\ndef g { f }\ng",
      "let _x = 5", "let x = 5; block { echo $x $self $input }",
      "on q finished { echo $later }\nlet later = 1",
      "for x in 1 2 { echo a }", "let x = 5\nlet x = ($x + 1)\necho $x", "echo $1 $@ $# $env.HOME",
      "let x = 5; echo \"${upper(\"a$x\")}\"", "expect (a.state == finished and not b.finished)",
      "let x = 5; ops --where 'id == $x'", "let x = 5; ops --where (id == $x)",
      "time fetch questions --count 2",
      "let w = 5; queue width $w", "let l = (1..2); priority $l high",
      "fetch questions --tagged swift,ios --count 5 --limit 1MB",
      "source $1\necho $any; whatever", "exit 3", "while (true) { break }",
      "echo a & b; get http://localhost/?a=1&b=2", "echo \"a && b\" '||' \"&\"", "!true && false",
      "for i in ../x a..b \"1..a\" 1s..2s { echo $i }", "let d = 1; for i in $d/../x { echo $i }",
      "let l = (1..3); echo $l[0] $l[a] \"$l[1, $l] $l[\" ${l}[", "echo \"\\\\\" \\ a",
      "let on = 5; echo \"${on}\"", "def f a { echo $a }; f $@",
    ])
  func isSilent(_ text: String) {
    #expect(check(text).isEmpty, "\(check(text))")
  }

  @Test("What fails for certain is not an error in a 'try', which may catch it")
  func caught() {
    let sums = ["1 / 0", "1 % 0", "9223372036854775807 + 1", "1 < 'a'"]
    for sum in sums {
      #expect(check("try { let _y = (\(sum)) } catch e { echo caught }").isEmpty, "\(sum)")
      #expect(check("let _y = (\(sum))").map(\.severity) == [.error], "\(sum)")
      // The body runs outside of it.
      #expect(check("try { block { echo (\(sum)) } } catch e { }").map(\.severity) == [.error])
    }
  }

  @Test("An included script defines its variables and commands")
  func includes() {
    let texts = ["lib": "let v = 1\ndef helper a { echo $a $v }", "loop": "source loop"]
    func found(_ text: String) -> [Diagnostic] {
      Checker.check(
        Parser.parse(SourceText(name: "main", text: text)), catalog: TestHost().catalog
      ) { path, _ in texts[path].map { Parser.parse(SourceText(name: path, text: $0)) } }
    }
    #expect(found("source lib\nhelper $v").isEmpty)
    #expect(found("source lib\nhelper 1 2").map(\.code) == ["unexpected-argument"])
    #expect(found("source lib\nhelpr 1").map(\.code) == ["unknown-command"])
    #expect(found("source loop").isEmpty)
    #expect(found("source unknown\nhelper $v").isEmpty)
  }

  private func found(_ text: String, including texts: [String: String]) -> [Diagnostic] {
    Checker.check(
      Parser.parse(SourceText(name: "main", text: text)), catalog: TestHost().catalog
    ) { path, _ in texts[path].map { Parser.parse(SourceText(name: path, text: $0)) } }
  }

  @Test(
    "A script that is read in a block makes variables of the block",
    arguments: [
      "if (1 < 2) { source inc }\necho $v", "try { source inc } catch e { echo $e.code }\necho $v",
      "for x in a b { source inc; echo $x }\necho $v", "block { source inc }\necho $v",
      "def g { source inc }\ng\necho $v",
    ])
  func nestedInclusion(_ text: String) {
    let found = found(text, including: ["inc": "let v = 7"])
    #expect(found.map(\.code) == ["undefined-variable"], "\(found)")
    #expect(found.first?.source.name == "main")
    // To run it earlier would not help.
    let notes = found.flatMap(\.labels).map(\.message)
    #expect(notes == ["this one is local to the block that reads the file"])
  }

  @Test(
    "A variable of a script that is read in a block can be used where it lives",
    arguments: [
      "if (1 < 2) { source inc; echo $v }",
      "if (1 < 2) { source inc; echo $v }\nsource inc\necho $v",
      "let v = 1\nif (1 < 2) { source inc }\necho $v",
      "source inc\nif (1 < 2) { source inc }\necho $v",
      "if (1 < 2) { source outer }\nsource outer\necho $v", "block { source inc; echo $v }",
      "def g { if (1 < 2) { source inc }; echo $v }\ng\nsource inc\necho $v",
      "def g { source inc; echo $v }\ndef h { if (1 < 2) { source outer }; echo $v }\ng\nh",
      "for x in a b { source uses }",
      "if (1 < 2) { source inc }", "if (1 < 2) { source unknown }\necho $v",
    ])
  func nestedUse(_ text: String) {
    let texts = ["inc": "let v = 7", "outer": "source inc", "uses": "echo $x"]
    #expect(found(text, including: texts).isEmpty, "\(found(text, including: texts))")
  }

  @Test("A variable that only a second reading of a script reads is not reported as unused")
  func secondReading() {
    let texts = ["show": "if (1 < 2) { echo \"<${v}>\" }", "outer": "source show"]
    for path in ["show", "outer"] {
      let text =
        "for i in 1 2 { let v = $i; source \(path) }\nif (1 < 2) { let v = 3; source \(path) }"
      #expect(found(text, including: texts).isEmpty, "\(found(text, including: texts))")
    }
    let other = found(
      "if (1 < 2) { let v = 1; source show }\nif (1 < 2) { let w = 3; source show }",
      including: texts)
    #expect(other.map(\.message) == ["'w' is never read"])
  }

  @Test(
    "What blocks that run later use can come from a script that is read further down",
    arguments: [
      "on q finished { echo $v; helper 1 }\nsource inc", "block { helper 1 }\nsource inc\necho $v",
      "on q finished { echo $v }\nsource outer\nhelper 1", "def f { helper $v }\nsource outer\nf",
      "on q finished { helper 1 }\nsource inc\nif (1 < 2) { source inc }\necho $v",
    ])
  func laterInclusion(_ text: String) {
    let texts = ["inc": "let v = 7\ndef helper n { echo $n }", "outer": "source inc"]
    #expect(found(text, including: texts).isEmpty, "\(found(text, including: texts))")
  }

  @Test("Help on a definition of a script that is read further down names its place")
  func laterInclusionAtOnce() {
    let found = found("helper\nsource inc", including: ["inc": "\ndef helper { echo a }"])
    #expect(found.map(\.help) == ["it is defined later, on line 2 of inc"], "\(found)")
  }

  @Test(
    "A body has no variable that is made after it was built",
    arguments: ["let v = 1", "source inc"])
  func laterVariableOfBody(_ making: String) {
    for body in ["block { echo $v }", "block { block { echo $v } }"] {
      let found = found("\(body)\n\(making)\necho $v", including: ["inc": "let v = 7"])
      #expect(found.map(\.code) == ["undefined-variable"], "\(found)")
    }
    for body in ["on q finished { block { echo $v } }", "def f { block { echo $v } }"] {
      let found = found("\(body)\n\(making)", including: ["inc": "let v = 7"])
      #expect(found.isEmpty, "\(found)")
    }
  }

  @Test("A script that is read in a block on its own thread cannot assign a variable outside")
  func nestedCapture() {
    let found = found("let v = 1\nblock { source inc }\necho $v", including: ["inc": "let v = 7"])
    #expect(found.map(\.code) == ["captured-variable"], "\(found)")
    #expect(found.first?.source.name == "inc")
  }

  @Test(
    "A note on a variable or a definition that comes later says in which file",
    arguments: [
      ("echo $v\nlet v = 7", "it is made here, further down"),
      ("source early\nlet v = 7", "it is made here, later"),
    ])
  func laterVariables(_ text: String, _ note: String) {
    let found = found(text, including: ["early": "echo $v"]).filter { $0.severity == .error }
    #expect(found.map(\.code) == ["undefined-variable"], "\(found)")
    #expect(found.first?.labels.first?.message == note)
  }

  @Test("Help on a definition that comes later in another file names the file")
  func laterDefinition() {
    let found = found("source early\ndef helper { echo a }", including: ["early": "helper"])
    #expect(found.map(\.code) == ["unknown-command"], "\(found)")
    #expect(found.first?.help == "it is defined later, on line 2 of main")
  }

  @Test(
    "The word 'last' in the place of a command is explained", arguments: ["last", "let o = last"])
  func lastAsCommand(_ text: String) {
    let found = check(text).filter { $0.severity == .error }
    #expect(found.map(\.code) == ["unknown-command"])
    #expect(found.first?.help?.contains("let NAME = (last.name)") == true, "\(found)")
  }

  @Test(
    "The word 'last' alone is not a value",
    arguments: ["let o = (last); echo $o", "def f { return last }", "def f { return (last) }"])
  func lastAsValue(_ text: String) {
    let found = check(text)
    #expect(found.map(\.code) == ["type-mismatch"], "\(found)")
    #expect(found.first?.help?.contains("let NAME = (last.name)") == true, "\(found)")
  }

  @Test(
    "The word 'last' can be a text, and the beginning of a property",
    arguments: [
      "let o = \"last\"; echo $o", "def f { return \"last\" }", "let o = (last.name); echo $o",
      "let l = (list(1, 2)); echo ($l.last)", "for p in first last { echo ($p == last) }",
    ])
  func lastAsText(_ text: String) {
    #expect(check(text).isEmpty, "\(check(text))")
  }

  @Test("A statement that cannot be parsed causes no further errors")
  func hasNoConsequences() {
    #expect(check("let x = (1 +)\necho $x").map(\.code) == ["expected-value"])
    #expect(check("def f a { echo ) }\nf 1").map(\.code) == ["stray-parenthesis"])
    #expect(
      check("let n = 1; let m = 2; echo ($n - $m) ($n-1)").map(\.severity) == [.error],
      "what was to be read counts as read")
  }

  @Test("An unclosed parenthesis hides no errors on other lines")
  func goesOnBehindParenthesis() {
    let found = check("if (1 == 1) {\n  echo (2 * (3 + 1)\n}\nbadcmd")
    #expect(found.map(\.code) == ["unclosed-parenthesis", "unknown-command"])
    #expect(found.map(\.line) == [2, 4])
    let other = check("let x = (1 + 2\necho $x\nbadcmd")
    #expect(other.map(\.code) == ["unclosed-parenthesis", "unknown-command"])
  }

  @Test("Every wrong statement is reported, in order")
  func reportsAll() {
    let found = check("ecko a\necho )\nfetch questons\ndelay soon\necho $x")
    #expect(
      found.map(\.code) == [
        "unknown-command", "stray-parenthesis", "unknown-subcommand", "wrong-kind",
        "undefined-variable",
      ])
    #expect(found.map(\.line) == [1, 2, 3, 4, 5])
  }

  @Test(
    "Suggestions are similar words; short words do not suggest each other",
    arguments: [
      ("quetsions", ["questions"]), ("fetc", ["fetch"]), ("FETCH", ["fetch"]), ("x", []),
      ("zzzzzz", []),
      ("", []),
    ])
  func suggests(_ word: String, _ expected: [String]) {
    #expect(Spelling.suggestions(for: word, among: ["questions", "fetch", "ls"]) == expected)
  }

  @Test(
    "A literal is read as the expected kind or refused",
    arguments: [
      ("5", "integer 5"), ("-5", "integer -5"), ("1.5", "real 1.5"), ("1e3", "real 1000.0"),
      ("2s", "duration 2s"),
      ("90s", "duration 90s"), ("60s", "duration 1m"), ("1.5h", "duration 90m"),
      ("0.1ms", "duration 100us"),
      ("-2s", "duration -2s"), ("64kB", "size 64kB"), ("1KiB", "size 1KiB"),
      ("1.5kB", "size 1500B"),
      ("20%", "percent 20%"), ("0.5%", "percent 0.5%"), ("on", "boolean true"),
      ("null", "null null"),
      ("5x", nil), ("1.", nil), (".5", nil), ("--5", nil), ("5 s", nil), ("", nil), ("1e", nil),
      ("0x10", nil),
      ("9223372036854775808", nil), ("99999999999h", nil), ("1e999", nil), ("٣", nil),
    ])
  func readsLiterals(_ text: String, _ expected: String?) {
    #expect(LiteralReader.value(of: text).map { "\($0.typeName) \($0.text)" } == expected)
  }

  @Test("Matching a pattern with many stars takes no exponential time")
  func matchesHostilePattern() {
    let pattern = GlobPattern(String(repeating: "*a", count: 50) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 2_000)))
    #expect(GlobPattern("*").matches(""))
    #expect(GlobPattern("questions-*").matches("questions-12"))
    #expect(!GlobPattern("questions-?").matches("questions-12"))
  }

  @Test(
    "Backquotes of other shells cause a warning",
    arguments: ["echo ‸`date`", "echo ‸`date +%s`", "repeat 2 { echo a ‸`date` }"])
  func warnsOfOtherShells(_ marked: String) throws {
    let text = MarkedText(marked)
    let found = check(text.text)
    #expect(found.map(\.code) == ["other-shell"], "\(found)")
    let first = try #require(found.first)
    #expect(first.severity == .warning && first.help != nil)
    #expect(first.place == text.source.place(of: try #require(text.offset)))
  }

  @Test(
    "Quoted operators and those of the system shell cause no warning",
    arguments: [
      "echo '&&' \"&\"", "!ls && ls &", "echo a 2 > x", "echo R&D &c", "!echo `date` 2> x",

    ])
  func acceptsText(_ text: String) {
    #expect(check(text).isEmpty, "\(check(text))")
  }

  @Test(
    "A word with less than half in common is never suggested",
    arguments: ["ls", "sort", "yes", "b", "cp", "mv"])
  func suggestsNothing(_ word: String) {
    let names = ["else", "for", "deps", "!", "echo", "ops", "set", "tags", "let"]
    #expect(Spelling.suggestions(for: word, among: names).isEmpty)
  }
}
