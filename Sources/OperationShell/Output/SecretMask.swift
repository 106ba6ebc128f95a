import Locking
import Networking
import Operations
import Secrets
import ShellLanguage
import Terminal

/// Masks secrets in what is shown or written: what the rule of `Secrets` finds by name and by shape,
/// and what the session has sent as a credential.
struct SecretMask: Sendable {
  let known = KnownSecrets { ordinaryWords.contains($0) }

  /// The words of states, outcomes, priorities, queues and commands.
  private static let ordinaryWords: Set<String> = {
    var words = Set(QueueRegistry.standingNames)
    words.formUnion(OperationState.allCases.map(\.rawValue))
    words.formUnion(["succeeded", "failed", "cancelled", "skipped", "normal", "default"])
    for signature in CommandRegistry.signatures { words.formUnion(signature.path) }
    return words
  }()

  /// The text with a star in place of each character of a secret, so that places stay what they
  /// are.
  func mask(_ text: String) -> String { known.mask(SecretText.mask(text)) }

  func holdsSecret(_ text: String) -> Bool {
    SecretText.holdsSecret(text) || known.occur(in: text)
  }
}

extension Session {
  /// Remembers what operations are going to send as credentials, and what a program is given.
  func noteCredentials(of operations: some Sequence<ObservableOperation>) {
    for operation in operations {
      switch operation {
      case let request as any NetworkOperationMetrics: secrets.known.remember(request.credentials)
      case let process as ProcessOperation: noteCredentials(in: ProcessText.spelled(process.words))
      default: break
      }
    }
  }

  /// Remembers the credentials in the command line of a program.
  func noteCredentials(in commandLine: String) {
    secrets.known.remember(SecretText.credentials(in: commandLine))
  }

  /// Removes lines from the history file that hold a credential that was remembered since the last
  /// call.
  func forgetSecretLines() {
    let generation = secrets.known.generation
    let history = state.withLock { state -> History? in
      guard state.forgottenSecrets != generation else { return nil }
      state.forgottenSecrets = generation
      return state.history
    }
    history?.forget(where: secrets.known.occur)
  }
}

extension StyledText {
  /// The text without remembered secrets, each span in its style.
  func masked(by known: KnownSecrets) -> StyledText {
    guard known.occur(in: plain) else { return self }
    let masked = spans.reduce(into: StyledText()) { text, span in
      text.append(.init(known.mask(span.text), style: span.style))
    }
    // One that begins in one span and ends in another.
    return known.occur(in: masked.plain) ? StyledText(known.mask(plain)) : masked
  }
}

extension JSONFields {
  /// The same without remembered secrets in any text.
  func masked(by known: KnownSecrets) -> JSONFields {
    guard known.generation > 0, case .object(let members) = value.masked(by: known) else {
      return self
    }
    return JSONFields(members)
  }
}

extension JSONValue {
  fileprivate func masked(by known: KnownSecrets) -> JSONValue {
    switch self {
    case .string(let text): .string(known.mask(text))
    case .array(let elements): .array(elements.map { $0.masked(by: known) })
    case .object(let members):
      .object(members.map { .init(name: $0.name, value: $0.value.masked(by: known)) })
    case .null, .boolean, .integer, .real, .literal: self
    }
  }
}
