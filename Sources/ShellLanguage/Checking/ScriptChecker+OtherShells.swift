extension ScriptChecker {
  /// Warns of words that other shells would not take as text.
  func warnOtherShells(_ command: CommandStatement) {
    guard command.arguments.first?.bareText != "!" else { return }
    for (index, argument) in command.arguments.enumerated() {
      guard index > 0, let word = argument.bareText, let first = word.utf8.first,
        Self.firstLetters.contains(first)
      else { continue }
      let isLast = index == command.arguments.count - 1
      switch word {
      case "&&":
        warn(
          argument.range, word,
          "write ';' or a new line between commands; a script stops at the first error")
      case "&" where isLast:
        warn(argument.range, word, "operations run in the background anyway: 'run PROGRAM'")
      default:
        guard word.hasPrefix("`"), word.count > 1 else { continue }
        warn(argument.range, word, "'let NAME = !PROGRAM' keeps what a program prints")
        return
      }
    }
  }

  /// What the words begin with that are looked for.
  private static let firstLetters: [UInt8] = Array("&`".utf8)

  private func warn(_ range: SourceRange, _ word: String, _ help: String) {
    report(
      .otherShell, "'\(word)' has no special meaning in opsh", range,
      help: help + "; quoted, it is text", severity: .warning)
  }
}
