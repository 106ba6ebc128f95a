import ShellLanguage

extension HelpTopic {
  static let language = HelpTopic(
    name: "language", heading: "Statements of the language",
    introduction: """
      A statement is a command with its arguments, or begins with one of these words. It ends at \
      the end of the line or at ';'. 'help WORD' shows an example of each.
      """,
    items: Keyword.allCases.filter { $0 != .else && $0 != .catch }
      .map { ($0.usage, $0.summary) } + [
        ("(EXPRESSION)", "Print the value of an expression"),
        ("COMMAND > FILE", "Write the output to a file; '>>' appends to it"),
        ("COMMAND | PROGRAM…", "Give the output to a program of the system"),
        ("!PROGRAM…", "Run a command line of the system's shell"),
        ("# comment", "Ignored up to the end of the line; '#' must begin a word"),
        ("\\", "At the end of a line: the statement goes on in the next one"),
      ], further: ["words", "variables", "expressions", "functions", "flow"], isIndex: true)

  static let words = HelpTopic(
    name: "words", heading: "Words: how arguments are written",
    introduction: "The arguments of a command are words, with white space between them.",
    items: [
      ("bare", "text without white space and without ; | > ( ) { } $ and quotes"),
      ("'text'", "exactly this text"),
      (
        "\"text\"",
        "text in which $name and ${expression} are replaced by values, and \\n, \\t, \\\", \\\\, "
          + "\\$ and \\u{1F600} are characters"
      ),
      (
        "$name",
        "the value of a variable; a list gives several words, and an empty one none; to a 'def' a "
          + "list is one word"
      ),
      ("(EXPRESSION)", "the value of an expression"), ("{ … }", "a block of statements"),
      ("--name VALUE", "an option, also --name=VALUE; several values: repeat it, or write a,b"),
      ("--", "ends the options: words after it are arguments"),
      ("12, 1.5", "a number"),
      ("200ms, 2s, 1m", "a duration; a bare number is seconds, from 100 on with a warning"),
      ("64kB, 10MB", "a size; a bare number counts as bytes"), ("20%", "a percentage"),
      ("1..5", "in 'for': a range of integers, both ends included"),
      ("3, questions-1", "an operation by its id or its name"),
      ("questions-*, 3-7", "operations by a pattern of their names, or by a range of ids"),
      ("last, all", "the operation built last; every unfinished operation (in 'for': every one)"),
    ],
    examples: [
      .init("let n = 2; echo 'no $n' \"n is $n, or ${$n + 1}\" ($n * 2)", "quotes and expressions")
    ], further: ["variables", "expressions"])

  static let variables = HelpTopic(
    name: "variables", heading: "Variables and their scope",
    introduction: """
      'let' sets a variable. It exists in the block that set it and in the blocks inside; a 'let' \
      in an inner block assigns the outer variable. In a 'def' it is local to the call. A body of \
      an operation reads outer variables as they were when it was built, and cannot assign them.
      """,
    items: [
      ("$name", "the value; a list gives several words of a command, but one of a 'def'"),
      (
        "$name.property",
        "a property of the value, such as $e.message after 'catch e'; the dot is text after a "
          + "text, number or duration without that property, as in $file.txt"
      ),
      ("${name}", "the same in a text: \"page ${page}\""),
      ("${name.property}", "a property of the operation or queue of that name, or of the variable"),
      ("$env.NAME", "a variable of the environment"),
      (
        "$1, $2, …",
        "the arguments of the script, or of the file that 'source' runs; a file name need not be "
          + "UTF-8"
      ),
      ("$#, $@", "how many arguments there are; all arguments, each a word, also of a 'def'"),
      ("$self", "in the body of an operation: the operation itself"),
      ("$input", "in the body of an operation: the values of its dependencies"),
      ("$change", "in a block of 'observe': the change ('help properties changes')"),
    ],
    examples: [
      .init(
        "let n = 1; if ($n < 2) { let n = 5 }; echo $n",
        "an inner block assigns the outer variable"),
      .init("delay 1ms --name a; wait; echo \"${a.state}\"", "a property in a text"),
    ], further: ["let", "def", "words", "properties"])

  static let expressions = HelpTopic(
    name: "expressions", heading: "Expressions and operators",
    introduction: """
      An expression stands in parentheses; operators have white space around them. A word before a \
      dot is an operation or a queue: (questions-1.state == finished). A bare word is a text, or a \
      property where the command says so, as in --where.
      """,
    items: [
      ("A + B, -, *, /, %", "Arithmetic with numbers, durations and sizes"),
      ("A == B, !=", "Whether two values are equal, or not"),
      ("A < B, <=, >, >=", "Whether one value is smaller or larger than the other"),
    ] + ExpressionWord.allCases.map { ($0.usage, $0.summary) } + [
      (
        "CONDITION",
        "What 'if', 'while', 'expect', '--where', and, or and not take: false, null, 0 and an empty "
          + "list do not hold. A text is an error; compare it, as in ($text != null) or "
          + "($text != \"\")"
      ),
      ("NAME.PROPERTY", "A property of an operation, a queue or a record"),
      ("NAME(VALUE, …)", "The value of a function: 'help functions'"),
      (
        "TEXT and a number",
        "A text counts as a number, duration, size, percentage or boolean next to one if it is "
          + "written like one: ('5' + 1) is 6, ('2s' < 1m) holds. A comparison takes a bare number next "
          + "to a duration as seconds, to a size as bytes, to a percentage as percent: "
          + "(20 == 20%). Any other text is not equal to it, and <, >, + and the like with it are "
          + "errors"
      ),
      (
        "TEXT and TEXT",
        "== and < compare the characters, + joins: ('10' < '9') holds, ('1' + '2') is '12'; - * / "
          + "% compute if both are written like numbers. number(TEXT) makes a number of a text"
      ),
    ],
    examples: [
      .init("delay 1ms --name a; wait; (a.state == finished and a.duration < 5s)", "as a statement")
    ], further: ["functions", "properties"])

  static let functions = HelpTopic(
    name: "functions", heading: "Functions in expressions",
    introduction: "'help NAME' shows an example of each. A call has no space before '('.",
    items: BuiltinFunction.all.map { ($0.usage, $0.summary) }, further: ["expressions"],
    isIndex: true)
}
