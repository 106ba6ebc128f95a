package import Operations
package import ShellLanguage
import ShellSession

extension UnplacedError {
  /// Gives an error that knows only its code the page of that code, or of its cause.
  package init(_ error: any CodedError) {
    let page = CodedPages.page(for: error)
    self.init(error) { _ in page }
  }
}

extension CommandCall {
  /// Returns an error that was caught as one of running this call, which marks the whole call.
  package func failure(_ error: any CodedError, help: String? = nil) -> Diagnostic {
    failure(UnplacedError(error), help: help)
  }

  /// Returns an error that was caught as one of running this call, which marks an argument.
  package func failure(
    _ error: any CodedError, at parameter: some Parameter, index: Int = 0, help: String? = nil
  ) -> Diagnostic {
    failure(UnplacedError(error), at: parameter, index: index, help: help)
  }
}
