import Testing

@testable import ShellLanguage

@Suite("Running scripts")
struct RunningTests {
  struct Example: CustomTestStringConvertible, Sendable {
    let text: String
    let lines: [String]

    init(_ text: String, _ lines: String...) {
      self.text = text
      self.lines = lines
    }

    var testDescription: String { text }
  }

  @Test(
    "A script prints the expected output", arguments: words + control + arguments + redirections)
  func prints(_ example: Example) {
    let outcome = run(
      example.text, arguments: ["5", "007", "a b"], environment: ["HOME": "/home/zoe"])
    #expect(outcome.lines == example.lines)
    #expect(outcome.diagnostic == nil, "\(String(describing: outcome.diagnostic))")
  }

  @Test("Adding texts is an error, and the interpolation that its help suggests works")
  func putsTogether() throws {
    let help = try #require(run("let a = \"x\"; echo ($a + 1)").diagnostic?.help)
    #expect(help.hasSuffix("\"$first$second\""))
    #expect(run("let first = \"x\"; let second = 1; echo \"$first$second\"").lines == ["x1"])
    let object = run("let n = 5; echo (n.count)").diagnostic
    #expect(object?.code == "unknown-name" && object?.help == "did you mean '$n'?")
  }

  @Test(
    "A list is one argument of a 'def', and '$@' gives it several",
    arguments: [
      Example(
        "def f a b=- { echo \"$a|$b\" }; let l = (1..3); f $l; f $l x; f ${l} $l",
        "1 2 3|-", "1 2 3|x", "1 2 3|1 2 3"),
      Example(
        "def f a b=- c=- { echo \"$a|$b|$c\" }; f $@; f \"$@\"", "5|007|a b", "5 007 a b|-|-"),
      Example(
        "def f a=none { echo \"<$a>\" }; let e = (list()); f $e; f (list()); f", "<>", "<>",
        "<none>"),
      Example("def f a { echo $a.count }; f (list(1, 2))", "2"),
    ])
  func listArguments(_ example: Example) {
    let outcome = run(example.text, arguments: ["5", "007", "a b"])
    #expect(outcome.lines == example.lines, "\(String(describing: outcome.diagnostic))")
  }

  @Test(
    "An empty list stands for no operand, and keeps its place",
    arguments: [
      Example(
        "let e = (list()); cancel $e; priority $e high; deps a on $e", "cancel",
        "priority level=high", "deps operation=a"),
      Example("cancel $@; cancel a $@ b", "cancel", "cancel operation=a,b"),
      Example("let e = (list()); fetch questions --after $e; echo a $e b", "a b"),
    ])
  func emptyOperands(_ example: Example) {
    let outcome = run(example.text)
    #expect(outcome.diagnostic == nil)
    #expect(outcome.lines == example.lines)
  }

  @Test(
    "An empty list is an error where one value is needed",
    arguments: [
      "exit ‸$e", "exit ‸(list())", "queue pause ‸$e", "delay ‸$e", "queue width ‸$e 2", "exit ‸$@",
    ])
  func emptyValue(_ marked: String) throws {
    let text = MarkedText("let e = (list()); let _u = ($e); " + marked)
    let found = try #require(run(text.text).diagnostic)
    #expect(found.code == "missing-argument" && found.range.lower == text.offset, "\(found)")
  }

  @Test(
    "A condition that turns out to be a text is an error, and null does not hold",
    arguments: [
      "if (‸$1) { echo a }", "while (‸$1) { echo a }", "echo (not ‸$1)", "echo (true and ‸$1)",
      "echo (false or ‸$env.HOME)", "expect (‸$1)", "echo (count of (list(1)) where ‸$1)",
      "if (true and (1 == 2 or ‸$1)) { }",
    ])
  func textConditions(_ marked: String) throws {
    let text = MarkedText(marked)
    let outcome = run(text.text, arguments: ["false!"], environment: ["HOME": "/"], checked: false)
    let found = try #require(outcome.diagnostic)
    #expect(found.code == "expected-condition" && found.range.lower == text.offset, "\(found)")
    #expect(found.exitStatus == 1)
    #expect(run("if ($env.NOTHING) { echo a } else { echo b }", checked: false).lines == ["b"])
    #expect(run("if ($1) { echo a } else { echo b }", arguments: ["false"]).lines == ["b"])
  }

  @Test(
    "A count of a list's elements refuses a field that none of them has",
    arguments: [
      "echo (count of $l where ‸scroe > 5)", "echo (count of $l where not ‸anserd)",
      "echo (count of $l where \"go\" in ‸tagz)", "echo (count of $l where ‸stat == count)",
      "echo (count of $l where state == finished and ‸titel matches \"a*\")",
      "echo (count of $l where starts-with(‸titel, \"x\"))",
    ])
  func missingFields(_ marked: String) throws {
    let text = MarkedText("let l = (list(q.state)); " + marked)
    let host = TestHost()
    host.add(
      TestObject(
        "q", ["state": .record([.init("state", .string("finished")), .init("count", .integer(3))])])
    )
    let found = try #require(run(text.text, host: host, checked: false).diagnostic)
    #expect(found.code == "unknown-property" && found.range.lower == text.offset, "\(found)")
    let good =
      "echo (count of $l where state == finished) (count of $l where $w == x) "
      + "(count of $l where fini in state) (count of (list()) where nothing)"
    let outcome = run("let w = 'x'; let l = (list(q.state)); " + good, host: host, checked: false)
    #expect(outcome.lines == ["1 1 1 0"], "\(String(describing: outcome.diagnostic))")
  }

  @Test("A count below zero that only running shows is an error, and zero is none")
  func negativeCount() {
    let outcome = run("let n = 0\nrepeat $n { echo a }\nlet m = -1\nrepeat $m { echo b }\necho c")
    #expect(outcome.lines == [])
    #expect(outcome.diagnostic?.code == "wrong-kind")
    #expect(outcome.diagnostic?.message == "'repeat' needs an integer of at least 0, found '-1'")
  }

  static let words: [Example] = [
    Example("echo hello", "hello"), Example("echo a   b", "a b"), Example("echo 007", "007"),
    Example("echo 'a  b'", "a  b"), Example("echo \"\"", ""), Example("echo", ""),
    Example("echo a; echo b", "a", "b"), Example("echo a # b", "a"), Example("echo a#b", "a#b"),
    Example("# all\necho a", "a"), Example("echo a \\\n  b", "a b"), Example("echo a\\\r\nb", "ab"),
    Example("echo a\r\necho b\r\n", "a", "b"), Example("\u{FEFF}echo a", "a"),
    Example("echo \"a\\n\\t\\\"\\\\\\$\\u{1F600}\"", "a\n\t\"\\$😀"),
    Example("echo 'it''s'", "its"), Example("echo a'b'\"c\"", "abc"),
    Example("echo C:\\dir", "C:\\dir"),
    Example("echo a\"b\nc\"", "ab\nc"), Example("let x = 5; echo $x$x", "55"),
    Example("let x = 5; echo \"$x.\" '$x' \"${$x + 1}\"", "5. $x 6"),
    Example("let x = 5; echo \"${$x}a\" $x-1", "5a 5-1"),
    Example("words 1 (1) \"1\" 1s (1s)", "<string 1><integer 1><string 1><string 1s><duration 1s>"),
    Example(
      "let l = (1..3); words $l x \"$l\"",
      "<integer 1><integer 2><integer 3><string x><string 1 2 3>"),
    Example(
      "let l = (list(list(1, 2), 3)); let i = 0; echo $l[$i][1] \"$l[$i][$i]!\"",
      "2 1!"),
    Example("let l = (list(7, 8)); let o = (list(1)); echo $l[$o.count]", "8"),
    Example("words -- --loud -x", "<string --loud><string -x>"), Example("words -5", "<string -5>"),
    Example("words - --", "<string ->"), Example("words '--loud'", "<string --loud>"),
    Example("(1 + 2)", "3"), Example("echo (1 + 2) x", "3 x"),
    Example("let q = fetch questions; echo $q $q.state", "questions-1 finished"),
    Example("let q = fetch questions --name a; echo \"$q.state: ${a.count + 1}\"", "finished: 31"),
    Example("let s = \"a.b\"; echo $s.", "a.b."), Example("echo 漢字 é 👩‍💻", "漢字 é 👩‍💻"),
    Example("! ls -l *.swift", "! text=ls -l *.swift"), Example("!ls", "! text=ls"),
    Example("!ls | wc -l > 'a b' 2>&1; echo x", "! text=ls | wc -l > 'a b' 2>&1", "x"),
    Example("if (true) { !echo {a,b} } else { }", "! text=echo {a,b}"),
    Example("!(cd / && ls) && echo \\; # why; it's", "! text=(cd / && ls) && echo \\;"),
    Example(
      "!sh -c 'for i in 1 2; do echo $i; done'; echo x",
      "! text=sh -c 'for i in 1 2; do echo $i; done'", "x"),
    Example("!echo \"a;\\\"b;c\" d\\;e; echo x", "! text=echo \"a;\\\"b;c\" d\\;e", "x"),
    Example("!echo a \\\n  b\necho x", "! text=echo a \\\n  b", "x"),
    Example("!echo if; echo x", "! text=echo if", "x"),
    Example("!echo $((1<<2)); echo x", "! text=echo $((1<<2))", "x"),
    Example("!{ true && echo a & }", "! text={ true && echo a & }"),
    Example("!echo } {; echo x", "! text=echo } {", "x"),
    Example("if (true) { !echo ${HOME} '}' \\} }", "! text=echo ${HOME} '}' \\}"),
    Example("!echo 'it''s\n}' \"`a )`\"\necho x", "! text=echo 'it''s\n}' \"`a )`\"", "x"),
    Example("time !a | b", "timed", "! text=a | b"),
    Example("run ls -l --name x", "run program=ls argument=-l,--name,x"),
    Example("run --name x ls -l", "run program=ls argument=-l --name=x"),
    Example("time echo a --\n", "timed", "a"),
    Example("time --quiet { echo a; echo b }", "timed", "a", "b"),
  ]

  static let control: [Example] = [
    Example("if (1 < 2) { echo a } else { echo b }", "a"),
    Example("if (false) { echo a } else if (true) { echo b } else { echo c }", "b"),
    Example("if (null) { echo a } else { echo b }", "b"),
    Example("if(true){echo a}", "a"),
    Example("let i = 0\nwhile ($i < 3) { let i = ($i + 1); echo $i }", "1", "2", "3"),
    Example("repeat 2 { echo a }", "a", "a"), Example("let n = 2; repeat $n { echo a }", "a", "a"),
    Example("repeat (1 + 1) { echo a }", "a", "a"), Example("repeat 0 { echo a }"),
    Example("for x in a 'b c' (1 + 1) { echo $x }", "a", "b c", "2"),
    Example("for x in 1..3 { echo ($x * 2) }", "2", "4", "6"),
    Example("for x in (2..1) { echo $x }"),
    Example("let l = (1..2); for x in $l 9 { echo $x }", "1", "2", "9"),
    Example(
      "for x in (9223372036854775806..9223372036854775807) { echo $x }",
      "9223372036854775806", "9223372036854775807"),
    Example("for x in 1..9 { if ($x == 3) { break }; if ($x == 1) { continue }; echo $x }", "2"),
    Example("repeat 2 { repeat 2 { break }; echo a }", "a", "a"),
    Example("def f a b { echo $b $a }; f 1 2", "2 1"),
    Example("def f a b=7 { echo $a $b }; f 1; f 1 2", "1 7", "1 2"),
    Example(
      "def f n { if ($n > 2) { return ($n * 2) }; return }; let x = f 3; let y = f 1; echo $x $y",
      "6 null"),
    Example(
      "def fact n { if ($n < 2) { return 1 }; let m = fact ($n - 1); return ($n * $m) }; let x = fact 20; echo $x",
      "2432902008176640000"),
    Example(
      "def a n { if ($n > 0) { b ($n - 1) } else { echo done } }\ndef b n { a $n }\na 3", "done"),
    Example("def f { for x in 1..9 { return $x } }; let y = f; echo $y", "1"),
    Example(
      "def f a { words $a }; f 5; f 007; f 1s; f (2)", "<integer 5>", "<string 007>",
      "<duration 1s>", "<integer 2>"),
    Example("let x = 1; if (true) { let x = 2; let y = 3; echo $y }; echo $x", "3", "2"),
    Example("let x = 1; for x in 5 { echo $x }; echo $x", "5", "1"),
    Example("let x = 1; def f x { let x = 9; echo $x }; f 2; echo $x", "9", "1"),
    Example(
      "try { fail \"no\" } catch e { echo $e.code $e.message $e.line $e.column }", "failed no 1 12"),
    Example("try { break-down } catch e { echo $e.code $e.message }", "timed-out it took too long"),
    Example("try { echo (1 + number(\"x\")) } catch e { echo $e.code }", "type-mismatch"),
    Example("repeat 2 { try { break } catch e { echo $e } }; echo a", "a"),
    Example("def f { try { return 5 } catch e { echo $e } }; let x = f; echo $x", "5"),
    Example("let x = 1; block { echo $x $self; let y = 2; echo $y }", "1 me", "2"),
    Example("let x = 1; on q finished { echo $x $self }; let x = 2; fire", "2 me"),
    Example("on queue network empty { echo a }; fire", "a"),
    Example("let x = 1; on q finished { let x = ($x + 1) }; fire; fire; echo $x", "3"),
    Example(
      "let a = true; let b = 5s; let c = 20%; let d = null; let e = 1..3; words $a $b $c $d $e",
      "<boolean true><duration 5s><percent 20%><null null><integer 1><integer 2><integer 3>"),
    Example("let x=5; words $x", "<integer 5>"), Example("let x = 'ls'; words $x", "<string ls>"),
    Example("let x = echo hi; echo $x", "hi", "hi"), Example("expect (1 == 1) within 5s"),
    Example("ops --where 'state == ready'", "true"),
    Example("ops --where (state == ready and id > 6)", "true"),
    Example("let f = 'id == 8'; ops --where $f", "false"),
    Example("ops --where \"state == \\\"ready\\\"\"", "true"),
  ]

  static let arguments: [Example] = [
    Example("words $1 $2 $3", "<integer 5><string 007><string a b>"),
    Example("echo $# ($1 + 1)", "3 6"),
    Example("words $@", "<integer 5><string 007><string a b>"),
    Example("echo $env.HOME $env.NONE", "/home/zoe null"),
    Example("echo ($env.NONE before 5)", "false"),
    Example("queue", "queue"),
    Example("queue pause", "queue pause"), Example("queue pause net", "queue pause queue=net"),
    Example("queue width 5", "queue width width=5"),
    Example("queue width net 5", "queue width queue=net width=5"),
    Example("queue width unlimited", "queue width width=unlimited"),
    Example("priority a b c high", "priority operation=a,b,c level=high"),
    Example("deps a", "deps operation=a"), Example("deps a on b c", "deps operation=a on=b,c"),
    Example("deps a off b", "deps operation=a off=b"),
    Example("cancel 3-7 1,2 q-*", "cancel operation=3-7,1,2,q-*"),
    Example("delay 2", "delay time=2s"),
    Example("delay 1.5 --count=3 --hold", "delay time=1.5s --count=3 --hold=true"),
    Example("delay 200ms --after 'a,b',c", "delay time=200ms --after=a,b,c"),
    Example("let l = (1..2); delay 1 --after $l,x", "delay time=1s --after=1,2,x"),
    Example("delay 1 --after a -n 2", "delay time=1s --after=a --count=2"),
    Example("delay 1 --name (\"a\" + \"b\") --count=(1 + 1)", "delay time=1s --name=ab --count=2"),
    Example("get http://127.0.0.1:8080/a?b=c", "get url=http://127.0.0.1:8080/a?b=c"),
    Example("get https://[::1]/", "get url=https://[::1]/"),
    Example("server fail 20%", "server fail share=20%"),
    Example("server fail 20", "server fail share=20%"), Example("events off", "events state=false"),
    Example("scale 2 --level 9", "scale factor=2 --level=9"),
  ]

  static let redirections: [Example] = [
    Example("echo a > f", "[> f", "a", "]"), Example("echo a >> f", "[>> f", "a", "]"),
    Example("echo a>f", "[> f", "a", "]"), Example("echo a | wc -l", "[| wc -l", "a", "]"),
    Example("echo a | jq .name | head > 'a b'", "[| jq .name | head > a b", "a", "]"),
    Example("let f = 'x.txt'; echo a > $f", "[> x.txt", "a", "]"),
    Example("(1 + 1) > f", "[> f", "2", "]"),
    Example("def f { echo a; echo b }; f > out", "[> out", "a", "b", "]"),
    Example("if (true) { echo a > f }", "[> f", "a", "]"),
    Example("let l = (1..2); echo a | cat $l", "[| cat 1 2", "a", "]"),
    Example("let x = echo a > f; echo $x", "[> f", "a", "]", "a"),
    Example("time echo a | cat", "[| cat", "timed", "a", "]"),
  ]

  @Test("A runtime error has its place and exit status 1", arguments: failures)
  func fails(_ wrong: WrongScript) throws {
    let marked = MarkedText(wrong.marked)
    let outcome = run(marked.text)
    let diagnostic = try #require(outcome.diagnostic)
    #expect(diagnostic.code == wrong.code)
    #expect(diagnostic.place == marked.source.place(of: try #require(marked.offset)))
    #expect(diagnostic.exitStatus == 1)
  }

  static let failures: [WrongScript] = [
    WrongScript("failed", "echo a\n  fail ‸why"), WrongScript("timed-out", "echo a; ‸break-down"),
    WrongScript("failure", "‸break-plainly"), WrongScript("expectation", "expect ‸(1 == 2)"),
    WrongScript("failed", "def f { fail ‸x }\nf"),
    WrongScript("failed", "try { fail a } catch e { fail ‸b }"),
    WrongScript("overflow", "let x = 9223372036854775807; let x = ($x ‸+ 1); echo $x"),
    WrongScript("unknown-name", "echo (‸nothing.state)"),
    WrongScript("missing-argument", "echo ‸$1"),
    WrongScript("wrong-kind", "let t = \"soon\"; delay ‸$t"),
    WrongScript("wrong-kind", "delay ‸(\"so\" + \"on\")"),
    WrongScript("out-of-range", "let n = -5; queue width ‸$n"),
    WrongScript("bad-url", "let u = \"x\"; get ‸$u"),
    WrongScript("missing-argument", "let l = (2..1); exit ‸$l"),
    WrongScript("unexpected-argument", "let l = (1..2); delay 1 ‸$l"),
    WrongScript("wrong-kind", "let n = \"x\"; repeat ‸$n { echo a }"),
    WrongScript("too-many-values", "let l = (1..2); delay 1 --count ‸$l"),
    WrongScript(
      "undefined-variable",
      "block { let v = 1; echo $v }; try { fail } catch e { echo $e.code }; def f { echo ‸$later }; f; let later = 1"
    ),
    WrongScript("missing-file", "let e = \"\"; echo a > ‸$e"),
    WrongScript("missing-program", "let e = \"\"; echo a | ‸$e"),
  ]

  @Test("An error in a block stops the script")
  func stopsAtFirstError() {
    let outcome = run("echo a; repeat 3 { echo b; fail x; echo c }; echo d")
    #expect(outcome.lines == ["a", "b"])
    #expect(outcome.diagnostic?.message == "x")
  }

  @Test("A transfer of control by the host passes through 'try'")
  func doesNotCatchOrders() {
    let outcome = run("try { exit } catch e { echo $e }")
    #expect(outcome.isTransferred)
    #expect(outcome.lines.isEmpty)
  }

  @Test(
    "An endless loop can be interrupted",
    arguments: [
      "while (true) { }", "while (true) { echo a }", "def f { while (true) { } }; f",
      "block { while (true) { } }", "repeat 9223372036854775807 { }",
      "for i in (1..9223372036854775807) { }",
    ])
  func interrupts(_ text: String) {
    let host = TestHost()
    host.interrupt(after: 500)
    #expect(run(text, host: host).isTransferred)
  }

  @Test("The host can process events in an empty loop, but not on a body's thread")
  func pumps() {
    let host = TestHost()
    _ = run("repeat 10 { }", host: host)
    #expect(host.betweenCount == 11)
    let other = TestHost()
    _ = run("block { repeat 10 { echo a } }", host: other)
    #expect(other.betweenCount == 1)
  }

  @Test("With recovery a script skips faulty and failing statements")
  func keepsGoing() {
    let host = TestHost()
    let script = Parser.parse(
      SourceText(
        name: "t", text: "echo a\necho )\nif (true) {\n  ecko b\n  echo c\n}\nfail x\necho d\n"))
    let found = Checker.check(script, catalog: host.catalog)
    #expect(found.map(\.code) == ["stray-parenthesis", "unknown-command"])
    #expect(found.map { script.statementIndex(of: $0) } == [1, 2])
    let faulty = script.faultyStatements(found)
    #expect(faulty == [1, 2])
    var recovered: [String] = []
    _ = try? Interpreter(host: host).run(script, skipping: faulty) {
      recovered.append($0.code)
      return true
    }
    #expect(host.lines == ["a", "d"])
    #expect(recovered == ["failed"])
  }

  @Test("Variables and definitions last from one script of a session to the next")
  func keepsSession() throws {
    let host = TestHost()
    let interpreter = Interpreter(host: host)
    for text in ["let x = 5", "def f a { echo $a $x }", "f 1"] {
      let script = Parser.parse(SourceText(name: "<prompt>", text: text))
      let found = Checker.check(
        script, catalog: host.catalog, knownVariables: Set(interpreter.variables.keys),
        definitions: interpreter.definitions, warnsUnused: false)
      #expect(found.isEmpty)
      try interpreter.run(script)
    }
    #expect(host.lines == ["1 5"])
  }

  @Test("A block on another thread reads the variables captured at its start")
  func capturesVariables() throws {
    let host = TestHost()
    let interpreter = Interpreter(host: host)
    let context = interpreter.makeContext()
    context.setVariable("x", .integer(1))
    let script = Parser.parse(SourceText(name: "t", text: "block { echo $x }"))
    guard case .command(let command) = script.statements[0].kind,
      case .block(let block) = command.arguments[1]
    else {
      throw Diagnostic(.failure, "", source: script.source, range: script.source.range)
    }
    let captured = context.captured()
    context.setVariable("x", .integer(2))
    try captured.run(block)
    try context.run(block)
    #expect(host.lines == ["1", "2"])
  }
}
