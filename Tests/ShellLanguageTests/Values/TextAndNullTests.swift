import Testing

@testable import ShellLanguage

@Suite("Names, null and numbers in texts")
struct TextAndNullTests {
  struct Example: CustomTestStringConvertible, Sendable {
    let text: String
    let lines: [String]

    init(_ text: String, _ lines: String...) {
      self.text = text
      self.lines = lines
    }

    var testDescription: String { text }
  }

  private static func host() -> TestHost {
    let host = TestHost()
    host.add(TestObject("job", ["state": .string("ready"), "error": .null, "tag": .string("t")]))
    host.add(TestObject("both", ["state": .string("done")]))
    return host
  }

  @Test("A script prints the expected output", arguments: names + dots + defaults + numbers)
  func prints(_ example: Example) {
    let outcome = run(
      example.text, host: Self.host(), arguments: ["5", "007"],
      environment: ["HOME": "/home/zoe"], checked: false)
    #expect(outcome.lines == example.lines)
    #expect(outcome.diagnostic == nil, "\(String(describing: outcome.diagnostic))")
  }

  static let names: [Example] = [
    Example("let page = 2; echo \"${page}\" ${page} \"${ page }x\"", "2 2 2x"),
    Example("let on = 5; let off = 6; echo \"${on}${off}\"", "56"),
    Example("let page = (list(7, 8)); echo \"${page[1]} ${page.count}\"", "8 2"),
    Example("echo \"${job.state}\" ${job.state}", "ready ready"),
    Example("let x = 'abc'; echo \"${x.count}\"", "3"),
    Example("try { fail no } catch e { echo \"${e.message}\" }", "no"),
    Example("echo \"${env.HOME}\"", "/home/zoe"),
    Example("let both = 'abc'; echo \"${$both.count} ${(both.state)}\"", "3 done"),
    Example("let l = (1..2); words ${l}", "<integer 1><integer 2>"),
    Example("let id = 1; ops --where \"id == ${id}\"", "false"),
    Example("let n = 7; ops --where (\"${id}\" == \"${n}\")", "true"),
  ]

  static let dots: [Example] = [
    Example(
      "let n = 'page'; echo $n.json \"$n.json\" a/$n.json.gz", "page.json page.json a/page.json.gz"),
    Example("let n = 5; echo $n.json; let b = true; echo $b.x", "5.json", "true.x"),
    Example("let d = 5s; echo $d.x $d.seconds; let s = 1kB; echo $s.x", "5s.x 5.0", "1kB.x"),
    Example("let p = 20%; echo $p.x; let v = 1.50; echo $v.x", "20%.x", "1.50.x"),
    Example("let n = 'page'; echo $n.count.json $n.json.count", "4.json page.json.count"),
    Example("try { fail no } catch e { echo \"$e.code.log\" }", "failed.log"),
    Example("let n = 'x'; let f = $n.json; words $f", "<string x.json>"),
    Example("echo a > $1.txt", "[> 5.txt", "a", "]"),
    Example("let n = 'a'; echo (\"$n.json\")", "a.json"),
  ]

  static let defaults: [Example] = [
    Example("let x = null; echo $x", "null"),
    Example("let l = (list('a', null)); echo $l; ($l)", "a null", "a null"),
    Example(
      "echo (null in \"null\") (null matches \"n*\") (length(null)) (number(null))",
      "false false 0 null"),
    Example("let x = null; echo ($x ?? 5) \"${x ?? \"none\"}\"", "5 none"),
    Example("let x = 0; echo ($x ?? 5) (x ?? 6) (\"\" ?? 7)", "0 0 "),
    Example("echo \"Bearer ${env.TOKEN ?? \"none\"}\" ($env.HOME ?? x)", "Bearer none /home/zoe"),
    Example("echo ($3 ?? \"third\") ($1 ?? \"first\") ($9 ?? $8 ?? 1)", "third 5 1"),
    Example("echo ($@[1] ?? x) ($@[2] ?? x)", "007 x"),
    Example("let l = (list(1, null)); echo ($l[1] ?? 2) ($l[5] ?? 3) ($l[-9] ?? 4)", "2 3 4"),
    Example("let l = (list()); echo ($l.first ?? \"empty\") \"${l[0] ?? 1}\"", "empty 1"),
    Example(
      "try { fail no } catch e { echo ($e.nothing ?? 1) ($e.help ?? 2) ($e.a.b[0].c ?? 3) \"${e.code ?? 4}\" }",
      "1 2 3 failed"),
    Example("try { fail no } catch e { echo ($e[\"code\"] ?? 1) ($e[\"none\"] ?? 2) }", "failed 2"),
    Example("echo (job.error ?? \"fine\") (job.error.message ?? \"fine\")", "fine fine"),
    Example("let x = null; echo (1 + ($x ?? 2)) ($x ?? 1 + 2) (1 + 2 ?? 9)", "3 3 3"),
    Example("let x = null; echo ($x ?? 1 == 1) (2 > $x ?? 1) (not $x ?? true)", "true true false"),
    Example("let x = null; echo ($x ?? $x ?? 3) (x ?? x ?? 4)", "3 4"),
    Example("let x = null; for i in (1..$x ?? 2) { echo $i }", "1", "2"),
    Example("echo (1 ?? 1 / 0)", "1"),
    Example("let n = null; delay 1 --count=(n ?? 2)", "delay time=1s --count=2"),
    Example("let none = null; ops --where ((none ?? state) == ready)", "true"),
    Example("ops --where ((state ?? 1) == ready)", "true"),
  ]

  static let numbers: [Example] = [
    Example("let v = 1.10; echo $v \"v$v\" v$v ${v}", "1.10 v1.10 v1.10 1.10"),
    Example("let n = 007; words $n \"$n\"", "<integer 007><string 007>"),
    Example("let n = 007; echo ($n + 1) ($n * 2) (-$n) ($n == 7) (7 == $n)", "8 14 -7 true true"),
    Example("let v = 1.10; echo ($v + $v) ($v == 1.1) ($v < 1.9) (1.9 > $v)", "2.2 true true true"),
    Example(
      "let a = 1.10; let b = 1.9; echo ($a < $b) ($a == $b) ($a in list(1.1))", "true false true"),
    Example(
      "let n = 02; repeat $n { echo $n }; delay 1 --count $n", "02", "02", "delay time=1s --count=2"
    ),
    Example(
      "let n = 03; for i in 1..$n { echo $i }; for i in (2..$n) { echo $i }", "1", "2", "3", "2",
      "3"),
    Example("let n = 01; let l = (list(7, 8)); echo $l[$n] ($l[$n])", "8 8"),
    Example(
      "let v = 1.10; let w = $v; echo $w (list($v, 2)) (text($v)) (length($v))",
      "1.10 1.10 2 1.10 4"),
    Example("let v = 1.10; echo (number($v)) (format(\"{:.3} {}\", $v, $v))", "1.1 1.100 1.10"),
    Example("let n = 1e3; echo $n ($n / 2)", "1e3 500.0"),
    Example(
      "def f a=1.10 { echo $a; return 0010 }; let r = f; echo $r ($r + 1)", "1.10", "0010 11"),
    Example("let n = 000; if ($n) { echo yes } else { echo no }", "no"),
  ]

  @Test("A value that is not allowed is an error at its place", arguments: failures)
  func fails(_ wrong: WrongScript) throws {
    let marked = MarkedText(wrong.marked)
    let outcome = run(marked.text, host: Self.host(), arguments: ["5"], checked: false)
    let diagnostic = try #require(outcome.diagnostic, "\(outcome.lines)")
    #expect(diagnostic.code == wrong.code)
    #expect(diagnostic.place == marked.source.place(of: try #require(marked.offset)))
    let help = diagnostic.help ?? ""
    #expect(help.contains(wrong.help), "\(help)")
  }

  static let failures: [WrongScript] = [
    WrongScript("no-value", "echo \"Bearer ‸$env.TOKEN\"", help: "${env.TOKEN ?? \"none\"}"),
    WrongScript("no-value", "let x = null; echo \"‸$x\"", help: "${x ?? \"none\"}"),
    WrongScript("no-value", "let x = null; echo a‸$x", help: "${x ?? \"none\"}"),
    WrongScript("no-value", "let x = null; echo \"‸${x}\"", help: "${x ?? \"none\"}"),
    WrongScript("no-value", "let l = (list(null)); echo \"‸$l[0]\"", help: "${$l[0] ?? \"none\"}"),
    WrongScript("no-value", "let x = null; echo (\"a‸$x\")", help: "${x ?? \"none\"}"),
    WrongScript("no-value", "let x = null; delay 1 --name ‸$x", help: "leave the option out"),
    WrongScript("no-value", "let x = null; delay 1 --name=‸$x", help: "leave the option out"),
    WrongScript("no-value", "let x = null; delay 1 --timeout ‸($x)", help: "leave the option out"),
    WrongScript("no-value", "let x = null; ops --where ‸$x", help: "leave the option out"),
    WrongScript(
      "no-value", "let l = (list(1, null)); delay 1 --after ‸$l", help: "leave the option"),
    WrongScript("no-value", "let x = null; delay 1 --after a,‸$x", help: "leave the option out"),
    WrongScript("no-value", "let x = null; echo a > ‸$x", help: "${x ?? \"none\"}"),
    WrongScript("no-value", "let x = null; echo a | cat ‸$x", help: "${x ?? \"none\"}"),
    WrongScript("no-value", "let x = null; echo (‸format(\"{}\", $x))", help: "($value ??"),
    WrongScript("no-value", "let x = null; echo $x.‸json"),
    // A list that holds null is as little a part of a text.
    WrongScript("no-value", "let l = (list('a', null)); echo \"‸$l\"", help: "($value ??"),
    WrongScript("no-value", "let l = (list(list(null))); echo a‸$l", help: "($value ??"),
    WrongScript("no-value", "let l = (list(null)); delay 1 --name \"‸$l\""),
    WrongScript("no-value", "let l = (list(1, null)); echo (‸join($l, '-'))", help: "($value ??"),
    WrongScript(
      "no-value", "let l = (list(1, null)); echo (‸format(\"{}\", $l))", help: "($value ??"),
    WrongScript("no-value", "let l = (list(1, null)); echo a > ‸$l"),
    WrongScript("no-value", "echo \"${‸text($env.NO)}\"", help: "($value ??"),
    WrongScript("no-value", "echo (‸upper(null))", help: "($value ??"),
    WrongScript("no-value", "echo (‸replace(\"a\", \"a\", null))", help: "($value ??"),
    WrongScript("no-value", "echo (‸split(null, \",\"))", help: "($value ??"),
    WrongScript("undefined-variable", "echo \"${‸page}\"", help: "for text, omit"),
    WrongScript("undefined-variable", "echo \"${‸job}\"", help: "${job.name}"),
    WrongScript("undefined-variable", "echo (‸job ?? 1)", help: "${job.name}"),
    WrongScript("ambiguous-name", "let both = 'abc'; echo \"${‸both.state}\"", help: "${(both.…)}"),
    WrongScript("ambiguous-name", "let both = 'abc'; echo \"${‸both.x ?? 1}\"", help: "${$both.…}"),
    WrongScript("unknown-name", "let n = 5; echo (‸n.count ?? 1)", help: "'$n'"),
    WrongScript("unknown-name", "echo \"${‸nothing.state}\""),
    WrongScript("unknown-property", "echo \"${job.‸stat}\"", help: "state"),
    WrongScript("unknown-property", "echo (job.‸stat ?? 1)", help: "state"),
    WrongScript("unknown-property", "let n = 5; echo \"${$n.‸json}\""),
    WrongScript("unknown-property", "let n = 5; echo \"${n.‸json}\""),
    WrongScript("unknown-property", "let n = 5; echo ($n.‸json ?? 1)"),
    WrongScript("unknown-property", "let l = (1..2); echo \"$l.‸json\""),
    WrongScript("unknown-property", "try { fail no } catch e { echo $e.‸json }"),
    WrongScript("unknown-property", "let q = fetch questions; echo $q.‸json"),
    WrongScript("unknown-property", "let n = 5; echo $n.‸json[0]"),
    WrongScript("type-mismatch", "let n = 5; echo (‸$n[0] ?? 1)"),
  ]

  @Test("Formatting keeps the meaning of names, defaults and numbers")
  func formats() {
    let text = "let  v = 1.10;let n=007\necho \"${ v }${ a.b  ??  \"c\" }\" ( $v??1 )"
    let fixed = text.replacing("$v??1", with: "$v  ?? 1")
    let formatted = ScriptFormatter.format(Parser.parse(SourceText(name: "t", text: fixed)))
    #expect(
      formatted == "let v = 1.10\nlet n = 007\necho \"${v}${a.b ?? \"c\"}\" ($v ?? 1)\n")
  }
}
