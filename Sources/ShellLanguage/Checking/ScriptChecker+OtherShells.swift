extension ScriptChecker {
  /// Warns of words in backquotes, which other shells would run.
  func warnOtherShells(_ command: CommandStatement) {
    guard command.arguments.first?.bareText != "!" else { return }
    for argument in command.arguments.dropFirst() {
      guard let word = argument.bareText, word.utf8.first == UInt8(ascii: "`"), word.count > 1
      else { continue }
      return report(
        .otherShell, "'\(word)' has no special meaning in opsh", argument.range,
        help: "'let NAME = !PROGRAM' keeps what a program prints; quoted, it is text",
        severity: .warning)
    }
  }
}
