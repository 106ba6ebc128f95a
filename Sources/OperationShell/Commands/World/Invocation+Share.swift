import ShellLanguage

extension Invocation {
  /// Says how many of a hundred were asked for: at the prompt, and where a bare number left it to
  /// be guessed that `1` is one percent and not all.
  ///
  /// - Parameter text: Makes a sentence of the share, such as `20%`.
  func confirmShare(_ text: (String) -> String) {
    guard let argument = call.arguments("share").first, let share = argument.value else { return }
    if session.isInteractive || !argument.text.hasSuffix("%") { printText(text(share.text)) }
  }
}
