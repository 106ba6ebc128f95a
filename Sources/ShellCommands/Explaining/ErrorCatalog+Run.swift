package import ShellLanguage

/// Errors around the commands: of the command line, of a whole run, and of a transcript.
extension ErrorPage {
  package static let badCommandLine = ErrorPage(
    "bad-command-line", "An option of opsh itself, or its value, makes no sense",
    "Nothing runs. Options go before the file; words after it are arguments of the script.",
    help: "'opsh --help' lists the options", wrong: "(opsh --tiemout 3)", right: "echo $#")

  package static let failed = ErrorPage(
    "failed", "The run ended with an error of the system", "The message says which.",
    help: "try once more", wrong: "(an error of the system)", right: "echo hello")

  package static let neverRan = ErrorPage(
    "never-ran", "At the end of the script an operation could not run any more",
    "It waits for something that never comes, such as a paused queue or an operation that is held, or "
      + "it was built with '--hold' and nothing started it.",
    help: "'why OP' says what keeps an operation", wrong: "queue pause\ndelay 1ms",
    right: "queue pause\ndelay 1ms\nqueue resume", proof: .running)

  package static let badTranscript = ErrorPage(
    "bad-transcript", "The file is not a transcript",
    "A transcript has lines that begin with 'opsh> ', and in a statement of several lines "
      + "'... ' before each further one.",
    help: "'opsh --transcript FILE' writes one", wrong: "(a file without a prompt)",
    right: "echo hello")
}
