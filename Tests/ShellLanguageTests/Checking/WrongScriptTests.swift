import Testing

@testable import ShellLanguage

@Suite("Wrong scripts")
struct WrongScriptTests {
  @Test(
    "Checking names the first error and its place", arguments: syntax + silent + commands + names)
  func findsError(_ wrong: WrongScript) throws {
    let marked = MarkedText(wrong.marked)
    let found = check(marked.text).filter { $0.severity == .error }
    let first = try #require(found.first)
    let expected = marked.source.place(of: try #require(marked.offset))
    #expect(first.code == wrong.code)
    #expect(first.place == expected)
    #expect(first.exitStatus == 2)
    #expect(!first.message.hasSuffix("."))
    let help = try #require(first.help, "every error says what to do")
    #expect(help.contains(wrong.help))
  }

  @Test(
    "A wrong script has one error without consequential errors",
    arguments: syntax + silent + commands + names)
  func findsNoConsequences(_ wrong: WrongScript) {
    let found = check(MarkedText(wrong.marked).text).filter { $0.severity == .error }
    #expect(found.count == 1, "\(found)")
  }

  @Test("The table covers every error code of the checker")
  func coversCodes() {
    let all = Self.syntax + Self.silent + Self.commands + Self.names
    #expect(Set(all.map(\.marked)).count >= 180)
    #expect(all.allSatisfy { !$0.help.isEmpty }, "what to do is said, and proved")
    let codes = Set(all.map(\.code))
    // Sizes and depths have tests of their own, and so have aliases and counts; the host makes the
    // others.
    let elsewhere: Set = [
      "too-deep", "too-large", "nul-byte", "invalid-utf8", "syntax", "misplaced", "too-many-values",
      "unused-variable", "unreachable", "unknown-name", "unknown-property",
      "impossible-comparison", "list-too-long", "bad-pattern", "no-value", "failure",
      "alias-loop", "bad-alias", "unknown-collection", "ambiguous-name", "local-variable",
      "replaces-command", "unknown-operation", "unknown-queue", "reused-name", "bare-seconds",
      "property-as-text", "nothing-to-redirect",
    ]
    for page in LanguageErrors.groups.flatMap(\.pages) where !elsewhere.contains(page.code) {
      #expect(codes.contains(page.code), "\(page.code)")
    }
  }

  static let syntax: [WrongScript] = [
    WrongScript(
      "unclosed-quote", "echo ‸\"hello", help: "close it with the same sign; inside double"),
    WrongScript(
      "unclosed-quote", "echo ‸'hello", help: "close it with the same sign; inside double"),
    WrongScript(
      "unclosed-quote", "repeat 2 { echo ‸\"a }", help: "close it with the same sign; inside double"
    ),
    WrongScript(
      "unclosed-quote", "echo \"${upper(‸\"a)}", help: "close it with the same sign; inside double"),
    WrongScript("unclosed-brace", "repeat 2 ‸{ echo a", help: "every '{' needs a '}'"),
    WrongScript(
      "unclosed-brace", "if (true) { echo a }\nwhile (true) ‸{\necho b\n",
      help: "every '{' needs a '}'"),
    WrongScript(
      "unclosed-brace", "if (true) ‸{\nwhile (false) {\necho b\n}\n", help: "every '{' needs a '}'"),
    WrongScript("unclosed-brace", "echo \"$‸{1", help: "every '{' needs a '}'"),
    WrongScript(
      "unclosed-brace", "def f a ‸{\n  if (true) { echo $a }\n", help: "every '{' needs a '}'"),
    WrongScript(
      "unclosed-quote", "let x = ‸'a\nlet y = 5\n",
      help: "close it with the same sign; inside double"),
    WrongScript(
      "unclosed-quote", "echo a\n\n  echo \"b\" ‸\"c\n",
      help: "close it with the same sign; inside double"),
    WrongScript(
      "unclosed-parenthesis", "echo (1 + 2) ‸(3 * (4 - 1)", help: "every '(' needs a ')'"),
    WrongScript(
      "unclosed-parenthesis", "let x = ‸(1 + 2\necho $x", help: "every '(' needs a ')'"),
    WrongScript(
      "unclosed-parenthesis", "def f { expect ‸(1 == 1\necho a }\nf", help: "every '(' needs a ')'"),
    WrongScript(
      "unclosed-parenthesis", "if (true) {\n  echo ‸(2 * (3 + 1)\n}\necho b",
      help: "every '(' needs a ')'"),
    WrongScript(
      "expected-operator", "echo (1 +\n  2\n  ‸3)", help: "an operator stands between two values"),
    WrongScript("unclosed-program", "!‸for i in 1 2; do echo $i; done > a", help: "!sh -c '…'"),
    WrongScript("unclosed-program", "if (true) { !‸{ a; b; } }", help: "!sh -c '…'"),
    WrongScript("unclosed-program", "let x = !echo ‸(a; b); echo $x", help: "!sh -c '…'"),
    WrongScript("unclosed-program", "!cat ‸<<EOF", help: "!sh -c '…'"),
    WrongScript(
      "expected-value", "echo (list(1, ‸))", help: "an operator stands between two values: (1 +"),
    WrongScript(
      "expected-operator", "echo (\"a\" ‸\"b\")", help: "an operator stands between two values"),
    WrongScript("expected-block", "for x in 1 2‸", help: "what is to run stands in braces: { … }"),
    WrongScript("expected-block", "def f a b‸", help: "what is to run stands in braces: { … }"),
    WrongScript("missing-value", "def f a‸= { echo $a }", help: "write the value after it"),
    WrongScript(
      "expected-name", "for ‸5 in 1 2 { }",
      help: "a name is made of the letters A to Z, digits and '_'"),
    WrongScript(
      "bad-name", "for ‸a-b in 1 2 { }",
      help: "a name is made of the letters A to Z, digits and '_'"),
    WrongScript("unclosed-parenthesis", "echo ‸(1 + 2", help: "every '(' needs a ')'"),
    WrongScript("unclosed-parenthesis", "if ‸(true", help: "every '(' needs a ')'"),
    WrongScript(
      "unfinished-line", "echo a ‸\\", help: "remove the backslash, or write the next line"),
    WrongScript(
      "unfinished-line", "echo a ‸\\\n", help: "remove the backslash, or write the next line"),
    WrongScript("stray-parenthesis", "echo a‸)", help: "quote it if it is meant as text"),
    WrongScript("stray-parenthesis", "‸)", help: "quote it if it is meant as text"),
    WrongScript("stray-brace", "echo a ‸}", help: "quote it if it is meant as text"),
    WrongScript("stray-brace", "‸}", help: "quote it if it is meant as text"),
    WrongScript("stray-brace", "repeat 2 { echo a } ‸}", help: "quote it if it is meant as text"),
    WrongScript("bad-escape", "echo \"a‸\\r\"", help: "\\n"),
    WrongScript(
      "bad-escape", "echo \"‸\\u{D800}\"",
      help: "write the number of a Unicode character: \\u{1F600}"),
    WrongScript(
      "bad-escape", "echo \"‸\\u{110000}\"",
      help: "write the number of a Unicode character: \\u{1F600}"),
    WrongScript(
      "bad-escape", "echo \"‸\\u{12 x\"",
      help: "write the number of a Unicode character: \\u{1F600}"),
    WrongScript(
      "expected-variable", "echo ‸$", help: "a dollar sign itself is written '$' or \"\\$\""),
    WrongScript("expected-variable", "echo \"it costs 5‸$\"", help: "\\$"),
    WrongScript(
      "expected-variable", "echo ‸$(date)",
      help: "'$(…)' has no special meaning in opsh: 'let x = !date' keeps what a program prints"),
    WrongScript(
      "expected-variable", "echo ‸$%", help: "a dollar sign itself is written '$' or \"\\$\""),
    WrongScript(
      "expected-value", "echo \"‸${}\"", help: "an operator stands between two values: (1 +"),
    WrongScript(
      "expected-command", "‸{ echo a }", help: "write the name of a command before it"),
    WrongScript("expected-command", "‸| cat", help: "write the name of a command before it"),
    WrongScript("expected-command", "‸> file", help: "write the name of a command before it"),
    WrongScript("expected-command", "let x = 1; ‸$x", help: "echo $x"),
    WrongScript("expected-command", "let x = 1; ‸$x = 5", help: "let x ="),
    WrongScript(
      "expected-command", "‸\"echo\" a", help: "the name of a command is written without"),
    WrongScript("missing-space", "echo a‸(1)", help: "quote it if it is meant as text"),
    WrongScript("missing-space", "echo‸(1)", help: "after a space: NAME ARGUMENT"),
    WrongScript("missing-space", "echo (1)‸a", help: "quote it if it is meant as text"),
    WrongScript("missing-space", "let s = list‸(\"a\")", help: "in an expression: (list("),
    WrongScript("missing-space", "echo length‸(\"a\")", help: "in an expression: (length("),
    WrongScript("unknown-command", "let s = ‸list (\"a\")", help: "in an expression: (list("),
    WrongScript(
      "expected-operator", "let s = (\"a\"‸, \"b\")", help: "a list is written list(1, 2)"),
    WrongScript(
      "unexpected-text", "repeat 2 { echo a } ‸echo b",
      help: "statements are separated by ';' or a new"),
    WrongScript("unexpected-text", "(1) ‸+ 2", help: "statements are separated by ';' or a new"),
    WrongScript("unexpected-text", "let x = 1 ‸2", help: "parentheses"),
    WrongScript(
      "unexpected-text", "let a = 1; let x = $a ‸+ 2; echo $x",
      help: "an expression stands in parentheses: ($a +"),
    WrongScript(
      "unexpected-text", "echo a > f ‸b", help: "statements are separated by ';' or a new"),
    WrongScript(
      "unexpected-text", "echo a > f ‸> g", help: "statements are separated by ';' or a new"),
    WrongScript("missing-file", "echo a ‸>", help: "write the path of one file after it"),
    WrongScript("missing-file", "echo a ‸>>", help: "write the path of one file after it"),
    WrongScript("other-shell", "echo a ‸2> f", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸2>> f", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸1>f", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸2>&1", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸&> f", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸&>> f", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸>&2", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸>>&2", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸> &1", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸>> &2; echo b", help: "'!' runs a whole shell line"),
    WrongScript(
      "unknown-command", "if (true) { echo a } ‸elif (false) { echo b }", help: "'else'"),
    WrongScript(
      "unknown-command", "if (true) { echo a\n} ‸elseif (false) {\necho b\n}", help: "'else'"),
    WrongScript(
      "missing-space", "if ($questions‸-1.state == finished) { }",
      help: "write questions-1.state, in a text ${questions-1.state}"),
    WrongScript("missing-space", "let n = 1; echo ($n‸-1)", help: "write ' - '"),
    WrongScript(
      "missing-space", "let h = (get-1.headers.content‸-length)",
      help: "write ' - '; a property with a hyphen in its name is chosen with [\"content-…\"]"),
    WrongScript("other-shell", "echo a ‸2>&-", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a > f ‸2>&1", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a | wc ‸2>/dev/null", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a ‸|& wc", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "let x = 1; echo $x ‸2> f", help: "'!' runs a whole shell line"),
    WrongScript("other-shell", "echo a‸2> f", help: "write a space before '>'"),
    WrongScript("other-shell", "let x = 5; echo $x‸1> f", help: "write a space before '>'"),
    WrongScript("missing-program", "let x = ‸!", help: "write the name of a program after it"),
    WrongScript("reversed-range", "for x in ‸5..1 { echo $x }", help: "1..5"),
    WrongScript("reversed-range", "for x in 1..2 ‸0..-3 { echo $x }", help: "-3..0"),
    WrongScript(
      "overflow", "for x in ‸1..9223372036854775808 { echo $x }",
      help: "at most 9223372036854775807"),
    WrongScript("misplaced-program", "for x in ‸!ls { echo $x }", help: "let output = !ls"),
    WrongScript("misplaced-program", "for x in a ‸!ls -l { echo $x }", help: "let output = !ls"),
    WrongScript("missing-space", "let a = 1; echo ($a‸??5)", help: "write ' ?? '"),
    WrongScript("missing-program", "echo a ‸|", help: "write the name of a program after it"),
    WrongScript(
      "missing-program", "echo a ‸| | cat", help: "write the name of a program after it"),
    WrongScript(
      "unexpected-block", "echo a | awk ‸{print}",
      help: "quote the braces if they are meant as text"),
    WrongScript(
      "expected-name", "let ‸= 5", help: "a name is made of the letters A to Z, digits and '_'"),
    WrongScript("expected-name", "let ‸$x = 5", help: "without '$'"),
    WrongScript(
      "expected-name", "let ‸5 = 5", help: "a name is made of the letters A to Z, digits and '_'"),
    WrongScript(
      "bad-name", "let ‸my-name = 5", help: "a name is made of the letters A to Z, digits and '_'"),
    WrongScript("expected-equals", "let x‸", help: "let NAME = COMMAND… | (EXPRESSION) | VALUE"),
    WrongScript("expected-equals", "let x ‸5", help: "let NAME = COMMAND… | (EXPRESSION) | VALUE"),
    WrongScript(
      "expected-equals", "let x ‸== 5", help: "let NAME = COMMAND… | (EXPRESSION) | VALUE"),
    WrongScript("missing-value", "let x =‸", help: "let NAME = COMMAND… | (EXPRESSION) | VALUE"),
    WrongScript(
      "unexpected-block", "let x = ‸{ echo a }", help: "quote the braces if they are meant as text"),
    WrongScript(
      "expected-command", "let x = ‸if (true) { }",
      help: "write the name of a command before it"),
    WrongScript("reserved-name", "let ‸env = 5", help: "choose another name"),
    WrongScript("reserved-name", "for ‸self in a b { }", help: "choose another name"),
    WrongScript(
      "overflow", "let x = ‸9223372036854775808; echo $x",
      help: "a real number reaches further: 1e30"),
    WrongScript(
      "overflow", "let x = ‸99999999999h; echo $x",
      help: "a duration is at most 2562047h, which is 292 years"),
    WrongScript("overflow", "(‸9223372036854775808)", help: "a real number reaches further: 1e30"),
    WrongScript(
      "expected-condition", "if ‸true { }", help: "if (E) { … } else if (E) { … } else { … }"),
    WrongScript("expected-condition", "while ‸{ }", help: "while (E)"),
    WrongScript("expected-condition", "let no = 1; if (‸no) { echo $no }", help: "'$no'"),
    WrongScript("expected-condition", "while (‸tru) { echo a }", help: "'true'"),
    WrongScript("expected-condition", "if (not ‸delay-1) { echo a }", help: "(delay-1.state =="),
    WrongScript("expected-condition", "echo (true and ‸done)", help: "'$done'"),
    WrongScript("expected-condition", "if (1 == 2 or ‸3b) { echo a }", help: "$3b"),
    WrongScript(
      "expected-block", "if (true) ‸echo a", help: "what is to run stands in braces: { … }"),
    WrongScript("expected-block", "if (true)‸", help: "what is to run stands in braces: { … }"),
    WrongScript(
      "expected-block", "if (true) { } else ‸echo a", help: "what is to run stands in braces: { … }"
    ),
    WrongScript(
      "expected-block", "repeat 3 ‸echo a", help: "what is to run stands in braces: { … }"),
    WrongScript("misplaced-else", "if (true) { }\n‸else { }", help: "} else"),
    WrongScript(
      "misplaced-catch", "‸catch e { }", help: "it stands on the line of the closing brace:"),
    WrongScript(
      "missing-catch", "‸try { echo a }", help: "it stands on the line of the closing brace:"),
    WrongScript(
      "expected-name", "try { echo a } catch ‸{ }",
      help: "a name is made of the letters A to Z, digits and '_'"),
    WrongScript("missing-value", "repeat ‸{ echo a }", help: "repeat N { … }"),
    WrongScript(
      "wrong-kind", "repeat ‸many { echo a }", help: "write a value of the kind that the message"),
    WrongScript(
      "wrong-kind", "repeat ‸-1 { echo a }", help: "write a value of the kind that the message"),
    WrongScript("expected-in", "for x ‸a b { }", help: "for NAME in WORD… { … }"),
    WrongScript("missing-value", "for x in ‸{ }", help: "for NAME in WORD… { … }"),
    WrongScript("expected-name", "def ‸{ }", help: "a name begins with a letter and is made of"),
    WrongScript("expected-name", "def ‸5 { }", help: "a name begins with a letter and is made of"),
    WrongScript("name-taken", "def ‸while { }", help: "choose another name"),
    WrongScript(
      "duplicate-parameter", "def f a ‸a { echo $a }", help: "give one of them another name"),
    WrongScript(
      "misplaced-parameter", "def f a=1 ‸b { echo $a $b }",
      help: "put the parameters that have a value last"),
    WrongScript("misplaced-break", "‸break", help: "it leaves a 'for', 'while' or 'repeat'"),
    WrongScript(
      "misplaced-continue", "if (true) { ‸continue }", help: "it goes on with a 'for', 'while' or"),
    WrongScript(
      "misplaced-break", "repeat 2 { def f { ‸break } }",
      help: "it leaves a 'for', 'while' or 'repeat'"),
    WrongScript(
      "misplaced-break", "repeat 2 { on q finished { ‸break } }",
      help: "it leaves a 'for', 'while' or 'repeat' around it"),
    WrongScript("misplaced-return", "‸return 5", help: "'exit' leaves the script"),
    WrongScript("misplaced-return", "def f { on q finished { ‸return } }", help: "last statement"),
    WrongScript("misplaced-return", "block { ‸return 5 }", help: "last statement"),
    WrongScript("expected-value", "‸()", help: "an operator stands between two values: (1 +"),
    WrongScript("expected-value", "(1 +‸)", help: "an operator stands between two values: (1 +"),
    WrongScript("expected-value", "(‸== 1)", help: "an operator stands between two values: (1 +"),
    WrongScript(
      "expected-value", "(true and ‸or false)", help: "an operator stands between two values: (1 +"),
    WrongScript("expected-operator", "(1 ‸2)", help: "an operator stands between two values"),
    WrongScript("expected-operator", "(1 ‸= 2)", help: "=="),
    WrongScript("expected-operator", "(true ‸|| false)", help: "or"),
    WrongScript("expected-operator", "(true ‸&& false)", help: "and"),
    WrongScript("unclosed-parenthesis", "echo ‸(1 }", help: "every '(' needs a ')'"),
    WrongScript("unclosed-parenthesis", "if ‸(true { echo a }", help: "every '(' needs a ')'"),
    WrongScript("unclosed-parenthesis", "expect ‸(1 == 1; echo b", help: "every '(' needs a ')'"),
    WrongScript("unclosed-bracket", "echo (list(1)‸[0", help: "every '[' needs a ']'"),
    WrongScript(
      "missing-space", "(‸1+2)",
      help: "an operator stands between white space; a text stands in quotes"),
    WrongScript(
      "missing-space", "(‸3-2)",
      help: "an operator stands between white space; a text stands in quotes"),
    WrongScript("missing-space", "(1 ‸+2)", help: "write ' + '"),
    WrongScript("missing-space", "let a = 1; echo ($a‸-1)", help: "write ' - '"),
    WrongScript(
      "missing-space", "(‸a==b)",
      help: "an operator stands between white space; a text stands in quotes"),
    WrongScript("missing-space", "(‸!true)", help: "not"),
    WrongScript("chained-comparison", "(1 < 2 ‸< 3)", help: "and"),
    WrongScript("unknown-function", "(‸lenght(\"a\"))", help: "length"),
    WrongScript("wrong-arity", "(‸upper())", help: "upper(TEXT)"),
    WrongScript("division-by-zero", "(1 ‸/ 0)", help: "test the divisor first"),
    WrongScript(
      "overflow", "(9223372036854775807 ‸+ 1)", help: "a real number reaches further: 1e30"),
    WrongScript(
      "overflow", "(1e308 ‸* 10)", help: "a real number is at most 1.79e308"),
    WrongScript("overflow", "(‸1e400)", help: "a real number is at most 1.79e308"),
    WrongScript(
      "overflow", "(2000000h ‸+ 2000000h)",
      help: "a duration is at most 2562047h, which is 292 years"),
    WrongScript("overflow", "(9000000TB ‸* 2)", help: "a size is at most 9223372TB"),
    WrongScript("type-mismatch", "(5 ‸+ true)", help: "both sides must be of one kind"),
    WrongScript("type-mismatch", "(1 ‸+ null)", help: "($value ?? 0)"),
    WrongScript("type-mismatch", "(1s ‸+ 1)", help: "a number with a unit is a duration: 1s"),
    WrongScript("type-mismatch", "(1kB ‸- 1)", help: "a number with a unit is a size: 1kB"),
    WrongScript("type-mismatch", "(20% ‸* 20%)", help: "(5 * 20%)"),
    WrongScript("type-mismatch", "(\"a\" ‸* 2)", help: "(number($text)) a text as a number"),
  ]

  static let commands: [WrongScript] = [
    WrongScript("unknown-command", "‸fecth questions", help: "fetch"),
    WrongScript("unknown-command", "‸opsh> wait", help: "is the prompt"),
    WrongScript("unknown-command", "‸opsh*> wait", help: "is the prompt"),
    WrongScript("unexpected-text", "opsh> delay ‸1s --name c", help: "is the prompt"),
    WrongScript("unexpected-text", "opsh*> delay ‸1s --name c", help: "is the prompt"),
    WrongScript("unknown-command", "echo a\necho b\n  ‸eco c", help: "echo"),
    WrongScript("unknown-command", "‸x = 5", help: "let x"),
    WrongScript("unknown-command", "‸x=5", help: "let x = 5"),
    WrongScript("unknown-command", "‸cd /tmp", help: "!cd FOLDER && PROGRAM"),
    WrongScript("unknown-option", "fetch questions ‸-count 5", help: "'--count'"),
    WrongScript("undefined-variable", "echo ‸$HOME", help: "$env.HOME"),
    WrongScript("unknown-command", "let l = ‸[1, 2]; echo $l", help: "list("),
    WrongScript("unknown-command", "‸echo\u{A0}a", help: "no-break"),
    WrongScript("unknown-command", "time ‸fecth questions", help: "did you mean 'fetch'?"),
    WrongScript("unknown-command", "on q finished { ‸ecko a }", help: "did you mean 'echo'?"),
    WrongScript("unknown-command", "def f { ‸ecko a }", help: "did you mean 'echo'?"),
    WrongScript(
      "unknown-command", "let x = ‸nothing; echo $x",
      help: "'apropos WORD' finds commands; '!' before it runs a program: !ls"),
    WrongScript("unknown-command", "‸f\ndef f { }", help: "line 2"),
    WrongScript("unexpected-text", "let h = on ‸a finished", help: "'on' is a boolean here"),
    WrongScript("unknown-subcommand", "fetch ‸questons", help: "questions"),
    WrongScript("unknown-subcommand", "queue ‸puase", help: "pause"),
    WrongScript("missing-subcommand", "‸fetch", help: "answers, questions"),
    WrongScript(
      "dynamic-command", "let w = 'questions'; fetch ‸$w", help: "one of: answers, questions"),
    WrongScript("unknown-option", "fetch questions ‸--cuont 5", help: "--count"),
    WrongScript("unknown-option", "fetch questions ‸--cuont=5", help: "--count"),
    WrongScript("unknown-option", "delay 1s ‸--nothing 5", help: "--count"),
    WrongScript(
      "unknown-option", "fetch questions ‸-x",
      help: "its options: --name --after --timeout --count --hold"),
    WrongScript("unknown-option", "echo ‸--loud", help: "--"),
    WrongScript("unexpected-value", "fetch questions ‸--hold=false", help: "leave the value out"),
    WrongScript("missing-value", "fetch questions ‸--count", help: "write the value after it"),
    WrongScript(
      "missing-value", "fetch questions ‸--count --hold", help: "write the value after it"),
    WrongScript(
      "duplicate-option", "fetch questions --count 1 ‸--count 2", help: "leave one of them out"),
    WrongScript(
      "wrong-kind", "fetch questions --count ‸many",
      help: "'help fetch questions' says what it takes"),
    WrongScript(
      "wrong-kind", "fetch questions --count=‸many",
      help: "'help fetch questions' says what it takes"),
    WrongScript(
      "wrong-kind", "fetch questions --count=‸(true)",
      help: "'help fetch questions' says what it takes"),
    WrongScript("out-of-range", "fetch questions -n ‸0", help: "allowed: 1 or more"),
    WrongScript(
      "wrong-kind", "fetch questions --timeout ‸soon",
      help: "'help fetch questions' says what it takes"),
    WrongScript(
      "out-of-range", "fetch questions --timeout ‸-1s", help: "allowed: 0s to 2562047h"),
    WrongScript("out-of-range", "delay ‸999999999h", help: "allowed: 0s to 2562047h"),
    WrongScript("out-of-range", "delay ‸9999999999", help: "allowed: 0s to 2562047h"),
    WrongScript(
      "out-of-range", "delay 1s --count ‸99999999999999999999", help: "allowed: 1 or more"),
    WrongScript("wrong-kind", "delay ‸99999999999999999999kB", help: "'help delay' says"),
    WrongScript(
      "wrong-kind", "fetch questions --limit ‸5s", help: "'help fetch questions' says what it takes"
    ),
    WrongScript(
      "unexpected-argument", "fetch questions ‸now",
      help: "usage: fetch questions [--name OPERATION] [--after OPERATION]"),
    WrongScript(
      "missing-argument", "‸get",
      help: "usage: get URL [--name OPERATION] [--after OPERATION] [--timeout"),
    WrongScript(
      "bad-url", "get ‸example.org", help: "write it as http://example.org/path, or /path for the"),
    WrongScript(
      "unsupported-protocol", "get ‸ftp://example.org",
      help: "use http:// or https://"),
    WrongScript(
      "bad-url", "get ‸http://", help: "write it as http://example.org/path, or /path for the"),
    WrongScript(
      "bad-url", "get ‸http://host:99999/", help: "'99999' is not a port from 1 to 65535"),
    WrongScript(
      "bad-url", "get ‸http://host:65536/", help: "'65536' is not a port from 1 to 65535"),
    WrongScript("bad-url", "get ‸'http://a b/'", help: "a space in it is written %20"),
    WrongScript(
      "missing-argument", "echo a; ‸delay",
      help: "usage: delay DURATION [--name OPERATION] [--after OPERATION] [--timeout"),
    WrongScript("wrong-kind", "delay ‸5kg", help: "'help delay' says what it takes"),
    WrongScript("out-of-range", "queue width ‸-5", help: "allowed: 0 or more"),
    WrongScript("wrong-kind", "queue width ‸wide", help: "'help queue width' says what it takes"),
    WrongScript(
      "wrong-kind", "queue width 8 ‸network",
      help: "the order is: queue width [QUEUE] N|unlimited|auto"),
    WrongScript(
      "wrong-kind", "queue width a ‸wide", help: "'help queue width' says what it takes"),
    WrongScript(
      "missing-argument", "‸queue width", help: "usage: queue width [QUEUE] N|unlimited|auto"),
    WrongScript(
      "unexpected-argument", "queue width a 5 ‸6",
      help: "usage: queue width [QUEUE] N|unlimited|auto"),
    WrongScript("missing-argument", "‸priority high", help: "usage: priority OPERATION… LEVEL"),
    WrongScript("unknown-choice", "priority a ‸hihg", help: "high"),
    WrongScript(
      "missing-argument", "‸expect (1 == 1) within",
      help: "usage: expect (EXPRESSION) [within DURATION]"),
    WrongScript("unexpected-argument", "expect (1 == 1) ‸withn 5s", help: "within"),
    WrongScript("unexpected-argument", "expect (1) ‸== 1", help: "one pair of parentheses"),
    WrongScript(
      "missing-argument", "‸block",
      help: "usage: block { … } [--name OPERATION] [--after OPERATION] [--timeout"),
    WrongScript(
      "unexpected-block", "echo ‸{ a }", help: "quote the braces if they are meant as text"),
    WrongScript(
      "unexpected-block", "block { } ‸{ }", help: "quote the braces if they are meant as text"),
    WrongScript("expected-operator", "ops --where 'state ‸= ready'", help: "compare with '=='"),
    WrongScript(
      "missing-space", "ops --where ‸state=ready",
      help: "an operator stands between white space; a text stands in quotes"),
    WrongScript("out-of-range", "server fail ‸120%", help: "allowed: 0% to 100%"),
    WrongScript("no-value", "delay 1 --count ‸(null)", help: "leave the option out"),
    WrongScript("wrong-kind", "events ‸maybe", help: "'help events' says what it takes"),
    WrongScript("out-of-range", "scale 1.5 --level ‸10", help: "allowed: 1 to 9"),
    WrongScript("missing-argument", "def f a { echo $a }; ‸f", help: "usage: f A"),
    WrongScript("unexpected-argument", "def f a { echo $a }; f 1 ‸2", help: "usage: f A"),
  ]

  static let names: [WrongScript] = [
    WrongScript("undefined-variable", "echo ‸$nme", help: "'let NAME = VALUE' makes a variable"),
    WrongScript("undefined-variable", "let name = 1; echo $name ‸$nme", help: "name"),
    WrongScript(
      "undefined-variable", "echo \"a ‸$b c\"", help: "'let NAME = VALUE' makes a variable"),
    WrongScript("undefined-variable", "echo \"a ${‸b}\"", help: "for text, omit '${ }'"),
    WrongScript("undefined-variable", "let name = 1; echo $name ${‸nme}", help: "'name'"),
    WrongScript("undefined-variable", "echo \"${‸true}\"", help: "for text, omit"),
    WrongScript("undefined-variable", "echo \"${‸delay-1}\"", help: "${delay-1.name}"),
    WrongScript("undefined-variable", "echo (‸b ?? 5)", help: "inserts a variable"),
    WrongScript(
      "undefined-variable", "let c = 1; echo ($c ?? ‸b ?? 5)", help: "inserts a variable"),
    WrongScript("undefined-variable", "echo (‸$b ?? 5)", help: "'let NAME = VALUE'"),
    WrongScript("undefined-variable", "echo \"${‸a??b}\"", help: "' ?? '"),
    WrongScript(
      "undefined-variable", "echo \"a ${1 + ‸$b}\"", help: "'let NAME = VALUE' makes a variable"),
    WrongScript(
      "undefined-variable", "if (true) { let x = 1; echo $x }\necho ‸$x",
      help: "'let NAME = VALUE' makes a variable"),
    WrongScript(
      "undefined-variable", "for i in 1 2 { echo $i }\necho ‸$i",
      help: "'let NAME = VALUE' makes a variable"),
    WrongScript(
      "undefined-variable", "def f a { echo $a }\necho ‸$a",
      help: "'let NAME = VALUE' makes a variable"),
    WrongScript(
      "undefined-variable", "try { echo a } catch e { echo $e }\necho ‸$e",
      help: "'let NAME = VALUE' makes a variable"),
    WrongScript(
      "undefined-variable", "echo ‸$x\nlet x = 1", help: "'let NAME = VALUE' makes a variable"),
    WrongScript(
      "undefined-variable", "ops --where 'id == ‸$x'", help: "'let NAME = VALUE' makes a variable"),
    WrongScript("undefined-variable", "echo a > ‸$x", help: "'let NAME = VALUE' makes a variable"),
    WrongScript("undefined-variable", "echo ‸$self", help: "'let NAME = VALUE' makes a variable"),
    WrongScript(
      "captured-variable", "let x = 1\nblock { let ‸x = 2 }\necho $x",
      help: "a block on its own thread reads the variables around it as"),
  ]
}
