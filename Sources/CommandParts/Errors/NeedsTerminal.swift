package import ShellLanguage

extension ErrorPage {
  package static let needsTerminal = ErrorPage(
    "needs-terminal", "The command needs a terminal",
    "'watch' draws on the whole screen and reads single keys, and 'source --step' waits for Enter: "
      + "standard input and output must be a terminal, for 'watch' one that can move its cursor (TERM "
      + "is not 'dumb'). There is none in a pipe, with '--json', in the body of an operation, in the "
      + "background, or while a line is edited.",
    help: "'ops' and 'queue' print the same once, 'wait' and 'follow' wait", wrong: "watch",
    right: "delay 1ms\nops\nwait", proof: .running)
}
