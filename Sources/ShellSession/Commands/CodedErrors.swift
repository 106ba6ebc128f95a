public import Operations
public import PracticeServer
public import ShellLanguage

extension UnplacedError: CodedError {
  /// The code of its page.
  public var code: String { page.code }

  /// Gives an error that knows only its code the page of that code.
  package init(_ error: any CodedError, page: (any CodedError) -> ErrorPage) {
    self = error as? UnplacedError ?? UnplacedError(page(error), error.message)
  }
}

extension PracticeServerError: CodedError {}

extension CodedError {
  /// Whether its code is that of one of several errors.
  package func `is`(_ pages: ErrorPage...) -> Bool { pages.contains { $0.code == code } }
}

extension CommandCall {
  /// Returns an error that was caught as one of running this call, which marks the whole call.
  package func failure(_ error: UnplacedError, help: String? = nil) -> Diagnostic {
    failure(error.page, error.message, help: help ?? error.help)
  }

  /// Returns an error that was caught as one of running this call, which marks an argument.
  package func failure(
    _ error: UnplacedError, at parameter: some Parameter, index: Int = 0, help: String? = nil
  ) -> Diagnostic {
    failure(error.page, error.message, at: parameter, index: index, help: help ?? error.help)
  }
}

extension Invocation {
  /// Returns the page of an error, whichever command has raised it.
  package func page(for error: any CodedError) -> ErrorPage { run.commands.errorPage(error) }
}

extension ErrorPage {
  package static let groupFailed = ErrorPage(
    "group-failed", "Operations of a group failed",
    "The message names them. The group has finished when all of it has.",
    help: "'tree' shows the group with what is in it",
    wrong: "group g { block { fail \"no\" } }\nwait g", right: "group g { delay 1ms }\nwait g",
    proof: .unproven)
}
