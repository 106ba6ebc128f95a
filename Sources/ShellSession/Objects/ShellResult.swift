package import OpshNetworking
import ShellLanguage

/// The value of an operation as the shell shows it.
///
/// Values of other types are shown by their description.
package protocol ShellResult: Sendable {
  /// The value for `--json`, and for the language.
  var json: JSONValue { get }

  /// Prints the value as text.
  func show(_ invocation: Invocation)
}

extension ShellResult {
  package func show(_ invocation: Invocation) { invocation.printText(String(describing: self)) }
}

/// The value of a body.
extension Value: ShellResult {
  package func show(_ invocation: Invocation) { invocation.printText(text) }
}
