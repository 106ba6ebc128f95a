extension LanguageErrors {
  /// Commands that do not exist, and arguments that they do not take.
  static let commands: [ErrorPage] = [
    ErrorPage(
      "unknown-command", "There is no such command",
      """
      A statement begins with the name of a command, of a 'def' further up, or with a word of \
      the language. Programs of the system run behind '!' or '|', or with 'run'.
      """,
      help: "'help' lists all commands; 'run' in front runs a program", wrong: "ecko hello",
      right: "echo hello"),
    ErrorPage(
      "unknown-subcommand", "The command has no such further word",
      "Commands such as 'queue' and 'fetch' are named by two words or more.",
      help: "'help COMMAND' lists its further words", wrong: "queue puase", right: "queue pause"),
    ErrorPage(
      "missing-subcommand", "The command needs a further word",
      "By itself it does not say what is to be done.", wrong: "fetch --count 3",
      right: "fetch questions --count 3"),
    ErrorPage(
      "dynamic-command", "The name of a command is in a variable",
      "All words that name a command are written out, so that a script can be checked.",
      help: "use 'if' to choose between commands", wrong: "let what = 'questions'\nfetch $what",
      right: "fetch questions"),
    ErrorPage(
      "unknown-option", "The command has no such option",
      "'help COMMAND' lists the options of a command. '--' before a word keeps it from being one.",
      wrong: "delay 1s --cuont 3", right: "delay 1s --count 3"),
    ErrorPage(
      "duplicate-option", "An option is given twice",
      "Only options that take several values can be repeated.", help: "leave one of them out",
      wrong: "delay 1s --count 2 --count 3", right: "delay 1s --count 3"),
    ErrorPage(
      "unexpected-value", "An option that is a mere flag has a value",
      "A flag is given or left out; it takes no value.", help: "leave the value out",
      wrong: "delay 1s --hold=true", right: "delay 1s --hold"),
    ErrorPage(
      "too-many-values", "An option that takes one value gets several",
      "A list gives several words, of which this option can use only one.",
      help: "choose one element: $list[0]",
      wrong: "let times = (1..3)\ndelay 1s --timeout $times",
      right: "let times = (1..3)\ndelay 1s --timeout $times[0]", proof: .running),
    ErrorPage(
      "missing-argument", "An argument is missing",
      """
      The command needs more words than it has. For $1, $2 … it means that the script was \
      called with fewer arguments.
      """,
      help: "'help' and the name of the command say what it takes", wrong: "delay",
      right: "delay 1s"),
    ErrorPage(
      "unexpected-argument", "The command takes no such argument",
      "There are more words than the command can use. Several words that are one text are quoted.",
      help: "'help' and the name of the command say what it takes", wrong: "delay 1s 2s",
      right: "delay 1s; delay 2s"),
    ErrorPage(
      "wrong-kind", "An argument is of the wrong kind",
      "A duration is 200ms, 2s or 1m; a size 64kB; a percentage 20%; a boolean on or off.",
      help: "write a value of the kind that the message names", wrong: "delay soon",
      right: "delay 2s"),
    ErrorPage(
      "out-of-range", "A number is too small or too large",
      "The message says what is allowed. An element is counted from 0, from the end with -1.",
      help: "choose one within the bounds", wrong: "delay 1s --count 0",
      right: "delay 1s --count 1"),
    ErrorPage(
      "unknown-choice", "The argument is none of the words that can stand there",
      "The message lists them, and completion offers them.",
      help: "choose one of the words that the message lists", wrong: "delay 1s --priority hihg",
      right: "delay 1s --priority high"),
    ErrorPage(
      "bad-url", "This is no address that can be asked",
      "An address begins with http:// or https:// and has a host; a path of the service in use "
        + "begins with one slash.",
      help: "write it as http://example.org/path, or /path for the service in use",
      wrong: "get example.org", right: "get http://example.org/"),
    ErrorPage(
      "unsupported-protocol", "The address is of a protocol that is not supported",
      "An address begins with http:// or https://; redirects elsewhere are not followed.",
      help: "use http:// or https://", wrong: "get ftp://example.org/",
      right: "get http://example.org/"),
    ErrorPage(
      "unknown-function", "There is no such function",
      "Functions stand in expressions: (upper($name)). The reference page lists them.",
      help: "'opsh --reference' lists the functions", wrong: "echo (lenght(\"abc\"))",
      right: "echo (length(\"abc\"))"),
    ErrorPage(
      "wrong-arity", "A function has too few or too many arguments",
      "The message says how many it takes; they are separated by commas.",
      wrong: "echo (upper(\"a\", \"b\"))", right: "echo (upper(\"a\"))"),
    ErrorPage(
      "unknown-collection", "There is nothing of that name to be counted",
      "'count of' counts 'ops', 'queues', operations whose names match a pattern, and lists. A "
        + "lone '(ops)' has no value: 'for op in all' goes through operations.",
      help: "count ops, queues, names such as delay-*, or a list",
      wrong: "echo (count of oops where state == finished)",
      right: "echo (count of ops where state == finished)"),
    ErrorPage(
      "bad-alias", "An alias stands for the beginning of one command",
      "It can be neither a block nor several commands, and holds no '|' and no '>'.",
      help: "'def NAME { … }' makes a command of anything", wrong: "alias two = { echo one }",
      right: "def two { echo one; echo two }\ntwo"),
    ErrorPage(
      "alias-loop", "An alias would stand for itself",
      "What an alias stands for may begin with another alias, but not come back to it.",
      help: "name another command", wrong: "alias again = again",
      right: "alias again = echo once more\nagain"),
  ]
}
