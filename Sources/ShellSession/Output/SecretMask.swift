package import OpshJSON
import OpshLocking
import OpshNetworking
import Operations
import OpshProcesses
import OpshSecrets
import ShellOutput
package import OpshTerminal

/// Masks secrets in all output: those that `Secrets` detects by name and by shape, sent credentials,
/// and texts of variables such as `password`.
package struct SecretMask: Sendable {
  let known: KnownSecrets
  private let commandWords: Set<String>

  /// Creates a mask that knows no sent credentials yet.
  ///
  /// - Parameter commandWords: The words of the names of commands, which are never masked.
  package init(commandWords: Set<String> = []) {
    self.commandWords = commandWords
    known = KnownSecrets { Self.ordinaryWords.contains($0) || commandWords.contains($0) }
  }

  /// Whether a text is a common word of output or of commands, which is never masked.
  package func isOrdinary(_ text: String) -> Bool {
    Self.ordinaryWords.contains(text) || commandWords.contains(text)
  }

  /// The words of states, outcomes, priorities and queues, which are never masked.
  private static let ordinaryWords: Set<String> = {
    var words = Set(QueueRegistry.standingNames)
    words.formUnion(OperationState.allCases.map(\.rawValue))
    words.formUnion(["succeeded", "failed", "cancelled", "skipped", "normal", "default"])
    return words
  }()

  /// Replaces each character of a secret by a star, so that columns stay the same.
  package func mask(_ text: String) -> String { known.mask(SecretText.mask(text)) }

  /// Masks every text of a value, but no name of a member.
  package func mask(_ value: JSONValue) -> JSONValue { value.mapStrings { mask($0) } }

  /// Masks sent credentials in a line, and keeps the styles.
  package func masked(_ line: StyledText) -> StyledText { line.masked(by: known) }

  /// Adds what is secret of a text that a variable or a parameter has.
  func remember(_ text: String, of name: String) {
    known.remember(VariableText.credentials(in: text, of: name))
  }

  /// Adds the keys such as `sk-…` in a script.
  func rememberKeys(in text: String) { known.remember(VariableText.keys(in: text)) }

  package func holdsSecret(_ text: String) -> Bool {
    SecretText.holdsSecret(text) || known.occur(in: text)
  }
}
