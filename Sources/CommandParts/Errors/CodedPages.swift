import Foundation
import OpshNetworking
package import Operations
import OpshProcesses
package import ShellLanguage
import ShellOutput
import ShellSession

/// The pages of errors that come with a code from below: of the engine, the network, the stores, the
/// practice server and programs.
///
/// An operation may fail with the code of any command: see ``Invocation/page(for:)``.
package enum CodedPages {
  private static let shared: [ErrorPage] = [
    .timedOut, .operationsFailed, .script, .expectationFailed, .interrupted, .exitStatus, .signal,
    .dependencyCycle, .alreadyStarted, .alreadyFinished, .valueDropped, .file,
  ]
  private static let index = PageIndex(
    LanguageErrors.groups.flatMap(\.pages) + shared + engine + engineOutcomes + networking + tls
      + practiceServer + stores
  )

  /// The page of an error, that of its cause if its code has several.
  package static func page(for error: any CodedError) -> ErrorPage { index.page(for: error) }

  /// The page of a code, with the whole of it.
  package static func page(for code: String) -> ErrorPage { index.page(for: code) }

  /// The help for the failure of an operation: why no attempt followed, where the page says '--retry'
  /// and the operation has it; nil for the help of the page.
  package static func help(
    for failure: OperationFailure, of operation: ObservableOperation?
  ) -> String? {
    page(for: failure).help?.contains("'--retry ") == true ? operation?.retryEnd : nil
  }
}
