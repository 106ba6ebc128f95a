extension LanguageErrors {
  /// What stands where something else should.
  static let signs: [ErrorPage] = [
    ErrorPage(
      "expected-variable", "Behind a dollar sign stands no name",
      "A variable is $name, $1, $@, $# or ${expression}. A dollar sign itself is quoted.",
      wrong: "echo \"it costs $ 5\"", right: "echo \"it costs \\$ 5\""),
    ErrorPage(
      "expected-value", "An expression lacks a value",
      "Between operators, behind one, and in parentheses there must be a value.",
      help: "an operator stands between two values: (1 + 2)", wrong: "echo (1 +)",
      right: "echo (1 + 2)"),
    ErrorPage(
      "expected-operator", "Between two values of an expression stands no operator",
      """
      The operators are or, and, not, ==, !=, <, <=, >, >=, +, -, *, /, %, .., ??, in, matches, \
      before and after.
      """,
      help: "an operator stands between two values: (1 + 2)", wrong: "let x = 1\nif ($x = 1) { }",
      right: "let x = 1\nif ($x == 1) { }"),
    ErrorPage(
      "expected-command", "A statement does not begin with the name of a command",
      """
      A statement is a command, '( … )', or begins with a word of the language. The name of a \
      command is written out, without quotes and not in a variable.
      """,
      help: "write the name of a command in front of it", wrong: "let x = 5\n$x",
      right: "let x = 5\necho $x"),
    ErrorPage(
      "expected-name", "A name is missing",
      """
      'let', 'for', 'catch' and 'def' give something a name. That of a variable is made of \
      letters, digits and '_', that of a 'def' may have '-' too; both begin with a letter. \
      Where a variable gets its name there is no dollar sign.
      """,
      wrong: "let $x = 5", right: "let x = 5\necho $x"),
    ErrorPage(
      "expected-equals", "'let' lacks its '='",
      "A value is kept with let NAME = VALUE.", wrong: "let x 5", right: "let x = 5\necho $x"),
    ErrorPage(
      "expected-condition", "A condition in parentheses is missing",
      "The condition of 'if' and 'while' is an expression, and stands in parentheses.",
      wrong: "if true { echo yes }", right: "if (true) { echo yes }"),
    ErrorPage(
      "expected-block", "A block in braces is missing",
      "What 'if', 'while', 'for', 'repeat', 'def' and 'try' run stands in braces on the same line.",
      help: "what is to run stands in braces: { … }", wrong: "if (true) echo yes",
      right: "if (true) { echo yes }"),
    ErrorPage(
      "expected-in", "'for' lacks its 'in'",
      "A loop over values is for NAME in WORD… { … }.", wrong: "for x 1 2 3 { echo $x }",
      right: "for x in 1 2 3 { echo $x }"),
    ErrorPage(
      "missing-value", "A value is missing",
      "Something that takes a value, such as an option or 'let', has none behind it.",
      help: "write the value behind it", wrong: "delay 1s --count", right: "delay 1s --count 3"),
    ErrorPage(
      "missing-space", "Two things that belong apart stand together",
      """
      Words are separated by white space. Operators stand between white space too, because \
      questions-1 is one name, and 20% a percentage.
      """,
      help: "write white space between them", wrong: "let a = 2\necho ($a-1)",
      right: "let a = 2\necho ($a - 1)"),
    ErrorPage(
      "missing-file", "'>' is not followed by a path",
      "'> FILE' and '>> FILE' send the text of a command to one file.",
      help: "write the path of one file after it", wrong: "echo hello >",
      right: "echo hello > greeting.txt"),
    ErrorPage(
      "missing-program", "'|' is not followed by a program",
      "'| PROGRAM ARG…' sends the text of a command through a program of the system.",
      help: "write the name of a program after it", wrong: "ops |", right: "ops | sort"),
    ErrorPage(
      "unexpected-text", "Something stands where the statement should end",
      """
      A statement ends at the end of its line or at ';'. What is to be computed stands in \
      parentheses.
      """,
      help: "statements are separated by ';' or a new line", wrong: "let a = 1\nlet b = $a + 1",
      right: "let a = 1\nlet b = ($a + 1)\necho $b"),
    ErrorPage(
      "unexpected-block", "A block stands where none is taken",
      "Braces are special in a bare word: they hold statements. As text they stand in quotes.",
      help: "quote the braces if they are meant as text", wrong: "echo { a }",
      right: "echo '{ a }'"),
    ErrorPage(
      "chained-comparison", "Comparisons are chained",
      "(1 < $x < 3) would compare a boolean with 3, which is hardly meant.",
      wrong: "let x = 2\nif (1 < $x < 3) { }", right: "let x = 2\nif (1 < $x and $x < 3) { }"),
  ]
}
