extension LanguageErrors {
  /// Names of variables, operations and properties.
  static let names: [ErrorPage] = [
    ErrorPage(
      "undefined-variable", "There is no such variable",
      """
      A variable exists from its 'let' on, in the block it stands in and those inside. The \
      variable of a 'for', the name of a 'catch' and parameters live in their block only. \
      '${name}' is the variable too.
      """,
      help: "'let NAME = VALUE' makes a variable", wrong: "let name = 1\necho $nmae",
      right: "let name = 1\necho $name"),
    ErrorPage(
      "ambiguous-name", "A variable and an operation or a queue have the same name",
      """
      In '${name.property}' the name is that of an operation or a queue, or of a variable if only a \
      variable has it. Where both have it, write '${$name.property}' for the variable and \
      '${(name.property)}' for the operation or the queue.
      """,
      wrong: "let a = delay 1ms --name a\necho \"${a.state}\"",
      right: "let a = delay 1ms --name a\necho \"${$a.state} ${(a.state)}\""),
    ErrorPage(
      "captured-variable", "A variable further out is assigned on another thread",
      """
      The body of a 'block' runs on its operation's thread and sees the variables as they were \
      when it was built. What it gives its variables would be lost, so it is refused.
      """,
      wrong: "let n = 1\nblock { let n = 2 }\necho $n",
      right: "let n = 1\nblock { let own = ($n + 1); echo $own }\necho $n"),
    ErrorPage(
      "local-variable", "A variable of a 'def' is called like one outside",
      """
      A 'let' in a 'def' is local to the call: it assigns neither a variable of the script nor one \
      of the caller. A 'let' in a block of the 'def' makes or assigns the variable of the call, too.
      """,
      help: "to hand a value out, return it",
      wrong: "let total = 0\ndef add n { let total = ($total + $n); echo $total }\nadd 2",
      right: "let total = 0\ndef add n { return ($total + $n) }\nlet total = add 2\necho $total",
      proof: .warning),
    ErrorPage(
      "unused-variable", "A variable is never read",
      "It does no harm, but often means that another name is misspelt.",
      help: "a name that begins with '_' is never warned of", wrong: "let count = 5",
      right: "let count = 5\necho $count", proof: .warning),
    ErrorPage(
      "unreachable", "A statement never runs",
      "What stands in front of it always leaves the block.",
      help: "remove it, or leave under a condition only", wrong: "exit\necho done",
      right: "echo done\nexit", proof: .warning),
    ErrorPage(
      "unknown-name", "There is no operation and no queue of that name",
      "A bare word before a dot names an operation or a queue: (questions-1.state == finished).",
      help: "'ops' lists the operations, 'queue' the queues",
      wrong: "let q = fetch questions\nexpect (answers-1.state != ready)\necho $q",
      right: "let q = fetch questions\nexpect (questions-1.state != finished)\necho $q"),
    ErrorPage(
      "unknown-property", "The value has no such property",
      """
      The properties of an operation are the keys of its JSON object ('show --json' prints it), \
      and 'result'; a list has count, first and last, a text has count.
      """,
      help: "echo shows a value as a whole",
      wrong: "let q = fetch questions\nwait $q\necho $q.sate",
      right: "let q = fetch questions\nwait $q\necho $q.state"),
    ErrorPage(
      "impossible-comparison", "A comparison has the same result whatever happens",
      """
      The two sides can never be equal: they are of kinds that have nothing in common, or one \
      is a word that the property never is. A misspelt state would otherwise be a condition \
      that silently never holds.
      """,
      wrong: "let q = fetch questions\nwait $q\nexpect ($q.state != finnished)",
      right: "let q = fetch questions\nwait $q\nexpect ($q.state == finished)"),
  ]
}
