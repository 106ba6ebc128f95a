extension LanguageErrors {
  /// Statements that cannot stand where they do, or as they are.
  static let statements: [ErrorPage] = [
    ErrorPage(
      "missing-catch", "'try' has no 'catch'",
      "What runs if the block fails must be said, if only { }.",
      wrong: "try { fail \"no\" }", right: "try { fail \"no\" } catch e { echo $e.message }"),
    ErrorPage(
      "misplaced-else", "'else' has no 'if' in front of it",
      "'else' stands on the line of the brace that closes the block of the 'if'.",
      wrong: "if (true) { echo a }\nelse { echo b }", right: "if (true) { echo a } else { echo b }"),
    ErrorPage(
      "other-shell", "A word that other shells would not take as text",
      """
      '&&', '&' and backquotes mean nothing here: a script stops at the first error by itself, and \
      operations run beside it. '2>', '2>&1', '&>' and '|&' are errors: '>' and '|' take the text \
      of a command alone. '!' gives a whole line to the system's shell.
      """,
      help: "'!' gives a whole line to the system's shell", wrong: "echo a && echo b",
      right: "echo a; echo b", proof: .warning),
    ErrorPage(
      "misplaced-catch", "'catch' has no 'try' in front of it",
      "'catch' stands on the line of the brace that closes the block of the 'try'.",
      wrong: "catch e { echo $e.message }",
      right: "try { fail \"no\" } catch e { echo $e.message }"),
    ErrorPage(
      "misplaced-break", "'break' stands outside of a loop",
      "'break' leaves the innermost loop of the same 'def', script or handler.",
      help: "it leaves a 'for', 'while' or 'repeat' around it", wrong: "if (true) { break }",
      right: "repeat 3 { if (true) { break } }"),
    ErrorPage(
      "misplaced-continue", "'continue' stands outside of a loop",
      "'continue' goes on with the next turn of the innermost loop around it.",
      help: "it goes on with a 'for', 'while' or 'repeat' around it", wrong: "continue",
      right: "for x in 1 2 { if ($x == 1) { continue }; echo $x }"),
    ErrorPage(
      "misplaced-return", "'return' stands outside of a 'def'",
      "'return' leaves a 'def', perhaps with a value. A script is left with 'exit'.",
      help: "'exit' leaves the script", wrong: "return 5", right: "def five { return 5 }\nfive"),
    ErrorPage(
      "misplaced", "A loop is to be left where there is none",
      "A script that was not checked came to a 'break' or 'continue' outside of a loop.",
      help: "it leaves a 'for', 'while' or 'repeat' around it",
      wrong: "(a 'break' without a loop, in a script that nobody has checked)",
      right: "repeat 3 { break }", proof: .none),
    ErrorPage(
      "misplaced-parameter", "A parameter without a value stands behind one with a value",
      "A call gives its words to the parameters from left to right, so that those with a value of "
        + "their own come last.",
      help: "put the parameters that have a value last",
      wrong: "def greet word=hello name { echo $word $name }\ngreet you me",
      right: "def greet name word=hello { echo $word $name }\ngreet you"),
    ErrorPage(
      "duplicate-parameter", "Two parameters have the same name",
      "Each parameter of a 'def' needs a name of its own.", help: "give one of them another name",
      wrong: "def add a a { echo ($a + $a) }\nadd 1 2",
      right: "def add a b { echo ($a + $b) }\nadd 1 2"),
    ErrorPage(
      "bad-name", "This cannot be a name",
      """
      Operations, queues and exclusive names begin with a letter and hold letters, digits, '-' \
      and '_'; some words, such as 'all' and 'last', have a meaning already. Variables have no \
      '-', because $a-b is $a and a text.
      """,
      help: "a name begins with a letter and holds letters, digits, '-' and '_'",
      wrong: "delay 1s --name 5th", right: "delay 1s --name fifth"),
    ErrorPage(
      "reserved-name", "The name has a meaning already",
      "env, self and input are made by the shell: the environment, the operation of a body or "
        + "handler, and what it depends on.",
      help: "choose another name", wrong: "let env = 5",
      right: "let environment = 5\necho $environment"
    ),
    ErrorPage(
      "name-taken", "The name is a word of the language",
      "A definition or an alias can have any name but those of the language, such as 'if'.",
      help: "choose another name", wrong: "def while { }",
      right: "def say text { echo $text }\nsay hi"
    ),
    ErrorPage(
      "replaces-command", "A definition or an alias replaces a command",
      """
      From here on its name means the definition or the alias, to the end of the run. Scripts that \
      were written before there was such a command go on as they did. Inside a 'def' its own name \
      means the 'def'.
      """,
      help: "'command NAME' still runs the command", wrong: "def echo text { }\necho a",
      right: "def say text { echo $text }\nsay a", proof: .warning
    ),
  ]
}
