import PracticeServer
import ShellLanguage
import ShellSession

extension Invocation {
  /// The practice server.
  var server: PracticeServer { outside.network.server }

  /// Confirms a share: at the prompt, and after a bare number, which leaves open whether `1` is one
  /// percent or all.
  ///
  /// - Parameters:
  ///   - share: The argument.
  ///   - text: Makes a sentence of the share, such as `20%`.
  func confirm(_ share: some Parameter<Percentage>, _ text: (String) -> String) {
    guard let argument = call.arguments(of: share).first, let value = argument.value else { return }
    if screen.isTypedAtPrompt || !argument.text.hasSuffix("%") { printText(text(value.text)) }
  }
}
