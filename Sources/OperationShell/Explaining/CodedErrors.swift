public import Operations
public import PracticeServer
public import ShellLanguage

extension UnplacedError: CodedError {
  /// The code of its page.
  public var code: String { page.code }

  /// Gives an error that knows only its code the page of that code.
  init(_ error: any CodedError) {
    self =
      error as? UnplacedError
      ?? UnplacedError(ErrorCatalog.page(for: error.code), error.message)
  }
}

extension PracticeServerError: CodedError {}

extension CodedError {
  /// Whether its code is that of one of several errors.
  func `is`(_ pages: ErrorPage...) -> Bool { pages.contains { $0.code == code } }
}

extension CommandCall {
  /// Returns an error that was caught as one of running this call, which marks the whole call.
  func failure(_ error: any CodedError, help: String? = nil) -> Diagnostic {
    let error = UnplacedError(error)
    return failure(error.page, error.message, help: help ?? error.help)
  }

  /// Returns an error that was caught as one of running this call, which marks an argument.
  func failure(
    _ error: any CodedError, at parameter: some Parameter, index: Int = 0, help: String? = nil
  ) -> Diagnostic {
    let error = UnplacedError(error)
    return failure(error.page, error.message, at: parameter, index: index, help: help ?? error.help)
  }
}

extension CheckedCall.Mistake {
  init(
    _ error: any CodedError, at parameter: some Parameter, index: Int = 0, help: String? = nil
  ) {
    let error = UnplacedError(error)
    self.init(error.page, error.message, at: parameter, index: index, help: help ?? error.help)
  }
}
