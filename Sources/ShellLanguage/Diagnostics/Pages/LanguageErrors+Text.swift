extension LanguageErrors {
  /// What a text cannot be, and what was opened and not closed.
  static let text: [ErrorPage] = [
    ErrorPage(
      "unclosed-quote", "A quote is opened and never closed",
      """
      The text ended inside quotes. The place is that of the opening quote. In double quotes \
      a quote is written \\"; in single quotes there is no way to write a single quote.
      """,
      help: "close it with the same sign; inside double quotes a quote is written \\\"",
      wrong: "echo \"hello", right: "echo \"hello\""),
    ErrorPage(
      "unclosed-brace", "A brace is opened and never closed",
      "The text ended inside a block or inside '${…}'. The place is that of the opening brace.",
      help: "every '{' needs a '}'", wrong: "repeat 2 { echo hello",
      right: "repeat 2 { echo hello }"),
    ErrorPage(
      "unclosed-parenthesis", "A parenthesis is opened and never closed",
      """
      The text, the line or the block ended inside an expression. The place is that of the \
      opening parenthesis.
      """,
      help: "every '(' needs a ')'", wrong: "echo (1 + 2", right: "echo (1 + 2)"),
    ErrorPage(
      "unclosed-bracket", "A bracket is opened and never closed",
      "The text ended inside '[…]' behind a value, which chooses one of its elements.",
      help: "every '[' needs a ']'", wrong: "let l = (1..3); echo ($l[1",
      right: "let l = (1..3); echo ($l[1])"),
    ErrorPage(
      "unclosed-program", "What the system's shell begins behind '!' is never ended",
      "'if' goes on to 'fi', 'case' to 'esac', 'for', 'while' and 'until' to 'done', over several "
        + "lines too.",
      help: "write the word that ends it", wrong: "!for i in 1 2; do echo $i",
      right: "!for i in 1 2; do echo $i; done"),
    ErrorPage(
      "unfinished-line", "The last line is continued, but nothing follows",
      "A backslash at the end of a line joins the next one to it. Here there is none.",
      help: "take the backslash away, or write what follows", wrong: "echo hello \\",
      right: "echo hello"),
    ErrorPage(
      "stray-parenthesis", "A closing parenthesis closes nothing",
      "Parentheses and braces are special in a bare word; as text they stand in quotes.",
      wrong: "echo a)", right: "echo 'a)'"),
    ErrorPage(
      "stray-brace", "A closing brace closes nothing",
      "Parentheses and braces are special in a bare word; as text they stand in quotes.",
      wrong: "echo a }", right: "echo 'a }'"),
    ErrorPage(
      "bad-escape",
      "A backslash in double quotes is followed by something it does not stand before",
      """
      Double quotes know \\n, \\t, \\", \\\\, \\$ and \\u{1F600}. Anything else is refused, so \
      that no script silently means something else than it says. Single quotes take everything \
      as it is.
      """,
      wrong: "echo \"C:\\data\"", right: "echo 'C:\\data'"),
    ErrorPage(
      "too-deep", "Something is nested too deeply",
      """
      Blocks, parentheses and operators can be inside each other up to 1,000 levels, calls of \
      a 'def' up to 500, and files that 'source' each other up to 100.
      """,
      help: "a 'def' or a file that calls itself needs a condition under which it stops",
      wrong: "def again { again }\nagain",
      right: "def again n { if ($n > 0) { again ($n - 1) } }\nagain 3", proof: .running),
    ErrorPage(
      "too-large", "A text, a list or a file is larger than it can be",
      """
      A script has at most 64 MB, and so has a text that a script makes; a list that a script \
      makes has at most 1,000,000 elements. A loop that doubles a text soon gets there.
      """,
      help: "split it into several", wrong: "let t = \"ab\"\nwhile (true) { let t = \"$t$t$t$t\" }",
      right: "let t = \"ab\"\nrepeat 3 { let t = \"$t$t\" }\necho $t", proof: .running),
    ErrorPage(
      "nul-byte", "There is a NUL byte in the script",
      "A script is text. A NUL byte means that it is something else, or was damaged.",
      help: "\\u{…} in double quotes writes other control characters", wrong: "(a NUL byte)",
      right: "echo \"\\u{7}\"", proof: .none),
    ErrorPage(
      "invalid-utf8", "The script is not valid UTF-8",
      "The place is that of the first byte that does not fit. Other encodings are not read.",
      help: "save the file as UTF-8", wrong: "(a byte such as 0xFF)", right: "echo ü",
      proof: .none),
    ErrorPage(
      "syntax", "A statement that cannot be read was to run",
      "What is wrong with it has been said when it was read.",
      help: "'--check' says what is wrong with a script", wrong: "(a statement that was refused)",
      right: "echo hello", proof: .none),
  ]
}
