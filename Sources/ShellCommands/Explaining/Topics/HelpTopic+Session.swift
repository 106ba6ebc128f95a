import ShellSession

extension HelpTopic {
  /// The objects of `--json`: the list, and a page for each kind that one command prints.
  static let json: [HelpTopic] =
    [
      HelpTopic(
        name: "json", heading: "Objects of --json",
        introduction: """
          'opsh --json' prints a JSON object per line, as does '--json' of a command. Each \
          begins with 'type', 'sequence' (a counter), 'time' (UTC), 'elapsed' (seconds).
          """,
        items: [
          (
            "transition",
            "a change of state: operation, queue, from, to, cancelled, outcome, reason"
          ),
          (
            "change",
            "of 'observe', and the effect of a setter: operation or queue, keyPath, initial, "
              + "prior, old, new, reason"
          ),
          (
            "operation",
            "of 'ops' and 'show': 'help properties operations', bytes, status, items, phase"
          ),
          ("queue", "of 'queue' and 'queue show': the keys of 'help properties queues'"),
          ("result", "of 'result': operation, value"),
          ("record", "of 'log' and 'follow': transition"),
          ("expectation", "of 'expect': met, expression, seen"),
          ("error", "an error: code, message, file, line, column, help"),
          ("diagnostic", "of 'opsh --check': severity, the keys of 'error', end, labels"),
          ("message", "what else is text: command, text"),
          ("summary", "the last line: operations and their outcomes, status"),
        ]
          + ObjectKind.all.map { (name: $0.type, meaning: "of \(plain($0.commands))") },
        further: ObjectKind.all.prefix(1).map { "json " + $0.type } + ["properties"], isIndex: true)
    ]
    + ObjectKind.all.map { kind in
      HelpTopic(
        name: "json " + kind.type, heading: "Object '\(kind.type)' of --json",
        introduction: "Printed by \(plain(kind.commands)).",
        items: kind.keys.map { (name: $0.name, meaning: plain($0.meaning)) }, further: ["json"],
        isIndex: true)
    }

  /// A text of the reference page, which marks code as Markdown does.
  private static func plain(_ text: String) -> String { text.replacing("`", with: "'") }

  static let recordings = HelpTopic(
    name: "recordings", heading: "Lines of a recording",
    introduction: """
      'record FILE' writes one JSON object per line. Each begins with 'type', 'sequence', 'time' \
      and 'elapsed', which is to the nanosecond here. Other programs should ignore types and keys \
      that they do not know; a later 'format' is refused. Beyond the keys of 'help json' there \
      are:
      """,
    items: [
      ("recording", "the first line: format, version, started, clock, seed, options"),
      (
        "operation",
        "before the first line about it and before its end: group, isGroup, isAsynchronous, "
          + "isEssential, destination, activity, outcomeSummary, request, settings, facts, rest"
      ),
      ("attempt", "each attempt of a request, after its last 'operation' line"),
      (
        "transition",
        "every entry of the log: event (transition, cancelling, attempt, pause…), queueID"
      ),
      ("change", "of a queue or an operation: keyPath, old, new; queueID"),
      (
        "  of queues",
        "maxConcurrentOperationCount, isSuspended, pace, qualityOfService, step, group, began, name, "
          + "poolHolders"
      ),
      (
        "  of operations",
        "queuePriority, qualityOfService, dependencies, barrier, exclusiveNames, startDelay, "
          + "delayEnded, timeLimit, awaitsForeground, claimed, stopped, name, defects, foreign, "
          + "obstacle, held, isOpen"
      ),
      (
        "  while it executes",
        "pause (seconds), hostPause (host, seconds), nextAttempt, attempt, finishWait, awaited, "
          + "phase (phase, done, total), expecting"
      ),
      (
        "typed",
        "a command and its number (command, text); the first line that it printed (command, output); "
          + "a comment on lines of its own (chapter)"
      ),
      ("queue", "at the end, each queue: queueID, inUse, adapts, and neither pace nor operations"),
      ("summary", "the last line of a recording that was ended"),
    ], further: ["record", "replay", "json"])

  static let output = HelpTopic(
    name: "output", heading: "Where output goes, and its bytes",
    introduction: """
      The text of commands goes to standard output. Transitions, errors and remarks go to standard \
      error, so that only data is in a file or a program that reads standard output.
      """,
    items: [
      (
        "COMMAND > FILE, >> FILE",
        "only the text of this command, exactly its bytes. A command that builds an operation prints "
          + "nothing, so these are an error after it: 'result last > FILE' after 'wait', 'follow "
          + "last > FILE', or '--output FILE' of a request. '>' replaces the file once the command "
          + "has ended without an error."
      ),
      (
        "COMMAND | PROGRAM",
        "the same for a program of the system, such as '| sort | head -n 3', while the command prints. "
          + "If the program stops reading, the command goes on until 64 kB or 1024 lines are unread. At "
          + "the prompt the last program uses the terminal: '| less' works."
      ),
      (
        "the order",
        "what a body prints comes after the transition that started it: on a terminal, in a "
          + "transcript, among objects, and in a file that gets both ('2>&1'), where a transition "
          + "never continues the line of a text."
      ),
      (
        "--json",
        "objects instead of text: of the run, and then transitions are among them ('opsh --json'), "
          + "or of one command ('ops --json'). They are always UTF-8."
      ),
      (
        "a terminal",
        "text that is longer than the screen is shown in the pager. Control characters in data are "
          + "made visible; a file or a program gets the bytes."
      ),
      (
        "a locale without UTF-8",
        "such as C, or LANG not set, as in cron. Symbols of opsh become ASCII on standard output "
          + "and standard error: '->' for an arrow. Data does not change: what 'echo', an expression, "
          + "'result', 'tags list' and 'quotes' print to a file or a program, and all of '>' and '|', "
          + "has the same bytes in every locale. Only a terminal gets '\\u{e9}' for a letter that it "
          + "can't show."
      ),
    ], further: ["json", "set pager", "events", "status"])

  static let status = HelpTopic(
    name: "status", heading: "Exit statuses of opsh",
    introduction: """
      A failed operation sets the status to 1, unless its failure is expected: '--any-outcome' of \
      'wait', 'wait queue' or 'queue drain', or 'try', covers it, or the condition of a met \
      'expect'. At the prompt of a terminal, 'quit' gives 0 whatever has failed, because it was \
      seen there.
      """,
    items: [
      ("0", "success"), ("1", "a failure while running"),
      (
        "2",
        "an error that the check of the script found: a file has not run, standard input has run "
          + "up to it; with '--keep-going' all other statements have run"
      ),
      ("\(SessionEnd.timeoutStatus)", "the time limit of the run, 'opsh --timeout', was exceeded"),
      ("128+N", "ended by signal N: 130 after Ctrl-C"), ("N", "what 'quit N' says"),
      (
        "a met 'expect'",
        "covers the failure of an operation that its condition names by 'outcome', 'error', "
          + "'status', 'refusal' or 'cancelled', evaluated or not: (a.outcome == failed or "
          + "b.outcome == failed), ((count of q-* where outcome == failed) <= 5)"
      ),
      (
        "when it has ended",
        "the condition must hold with the values that the operation ended with; all else keeps the "
          + "value that it had when the condition was met. One comparison about the operation must "
          + "hold for this end and for no success: outcome succeeded, error and refusal null, not "
          + "cancelled, any status from 200 to 299"
      ),
      (
        "covers nothing",
        "(a.state == finished), (a.outcome != null), (h.status), (h.status < 600), a condition "
          + "that reads the outcome from a variable, a met 'never', and a handler of 'on'. An "
          + "'expect' about a group does not cover the operations in it"
      ),
    ], further: ["quit", "expect", "wait", "properties errors"])

  static let keys = HelpTopic(
    name: "keys", heading: "Keys at the prompt",
    introduction:
      "The prompt names a paused queue; a star, 'opsh*>', means that an operation executes.",
    items: [
      ("Tab", "completes commands, options and live names, or lists the candidates below the line"),
      ("Tab, arrows in the list", "select one, Enter takes it; letters narrow, Escape closes"),
      ("Right, Ctrl-E at the end", "take the grey suggestion, Alt-Right its first word"),
      ("Enter", "runs the line; in an unclosed block it starts a new line"),
      ("Alt-Enter", "starts a new line"), ("Ctrl-C", "discards the line, or stops a 'wait'"),
      (
        "Ctrl-D",
        "leaves on an empty line; with unfinished work it asks whether to wait, cancel or stay. Else "
          + "it deletes the character at the cursor"
      ),
      ("COMMAND?", "help for the command; the name of an operation or a queue alone shows it"),
      (
        "canc, queue pau",
        "the only command that begins so; a line says what runs, scripts refuse it"
      ),
      (
        "Up, Down",
        "moves in a text of several lines, else to lines of the history that begin with what is "
          + "typed; changes of those are kept until Enter"
      ),
      ("Ctrl-P, Ctrl-N", "the older, newer line; also PageUp, PageDown; Alt-<, Alt->: the ends"),
      ("Ctrl-R, Ctrl-S", "searches backward, forward for what is typed, whatever its case"),
      ("  in a search", "Up, Down, Ctrl-R, Ctrl-S select; Ctrl-G gives up; other keys go on"),
      ("Alt-.", "the last word of the last line; again: of the one before; Alt-1 Alt-.: word 1"),
      ("!! !$ !N !-N !?text", "and Tab or Space: a line or its last word, seen before Enter"),
      ("Left, Right", "moves by one character; also Ctrl-B, Ctrl-F"),
      ("Ctrl-Left, Ctrl-Right", "moves by one word; also Alt-b, Alt-f"),
      ("Ctrl-A, Ctrl-E", "the start, the end of the row; also Home, End"),
      ("Ctrl-] C, Alt-Ctrl-] C", "moves to the next, the previous character C"),
      ("Backspace, Delete", "deletes the character before, at the cursor"),
      ("Ctrl-W, Alt-Backspace", "kills the word before the cursor"),
      ("Alt-d, Ctrl-Delete", "kills the word after the cursor"),
      ("Ctrl-U, Ctrl-K", "kills to the start, to the end of the row; at its edge joins two rows"),
      ("Ctrl-Y", "inserts what was killed; then Alt-y: what was killed before that"),
      ("Ctrl-_, Alt-/", "undoes the last change, makes it again; Alt-r undoes all"),
      ("Ctrl-T, Alt-t", "exchanges two characters, two words"),
      ("Alt-u, Alt-l, Alt-c", "makes a word upper case, lower case, capitalized"),
      ("Alt-\\", "deletes the blanks around the cursor"),
      ("Ctrl-Space, Alt-w", "sets the mark, copies from it to the cursor"),
      ("Ctrl-V", "inserts the next key as it is"), ("Alt-3 KEY", "the key three times"),
      (
        "a pasted session",
        "lines with a prompt: only what was typed is kept; Enter runs each line, Ctrl-_ shows the rest"
      ),
      ("Alt-#", "stores the line as a comment, to be run later"),
      ("Ctrl-X Ctrl-E, Alt-e", "edits the line in $VISUAL or $EDITOR"),
      ("Ctrl-L", "clears the screen"),
      ("Ctrl-Z", "stops opsh; 'fg' of the system's shell resumes it"),
      ("'bind', ~/.editrc", "other keys, by the names of libedit's functions; 'set editing vi'"),
    ],
    further: [
      "history", "bind", "set editing", "set pager", "set theme", "set prompt", "set notify",
      "set plain",
    ])
}
