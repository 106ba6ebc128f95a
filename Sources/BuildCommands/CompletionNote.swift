import CommandParts
import OpshLocking
import Operations
import ShellLanguage

/// Has the log say when an operation's completion handler is called, where that was asked for.
///
/// The handler is there before its operation is, so its operation is set later.
final class CompletionNote: Sendable {
  private struct Reference {
    weak var operation: ObservableOperation?
  }

  /// The option of the commands that can.
  static let option = Flag(
    "completion", help: "log the call of the completion handler, just before the end"
  ).excluding(
    RequestParameters.blocking,
    because: "a blocking request has no completion handler: it returns")

  private let reference = Locked(Reference())

  /// A note for one operation; nil where none was asked for.
  init?(_ call: CommandCall) {
    guard call[Self.option] else { return nil }
  }

  /// Says whose handler it is.
  func attach(to operation: ObservableOperation) {
    reference.withLock { $0.operation = operation }
  }

  /// What the operation calls with its result.
  func handle(_ result: Result<some Any, any Error>) {
    let text =
      switch result {
      case .success: "the value"
      case .failure(let error): (error as? any CodedError)?.code ?? "an error"
      }
    let operation = reference.withLock { $0.operation }
    operation?.noteProgress(reason: "the completion handler is called with \(text)")
  }
}
