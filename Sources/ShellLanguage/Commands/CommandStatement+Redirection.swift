extension CommandStatement {
  /// Returns the error of a redirection that would take nothing, because the command prints nothing.
  ///
  /// - Parameters:
  ///   - redirection: The redirection; that of the statement with an alias, if it is written out.
  ///   - source: The text of the command.
  ///   - catalog: The commands of the host.
  /// - Returns: The error; nil where the command prints, or is unknown.
  func refusal(
    of redirection: RedirectionSyntax?, in source: SourceText, _ catalog: CommandCatalog
  ) -> UnplacedError? {
    guard redirection != nil, let call = resolved(in: source, catalog).call else { return nil }
    let signature = call.signature
    if signature.is(.runsOriginal) {
      return call.commandStatement?.refusal(of: redirection, in: source, catalog)
    }
    guard signature.command?.printsNothing == true else { return nil }
    return UnplacedError(
      .nothingToRedirect,
      "'\(signature.fullName)' builds an operation and prints nothing that could be redirected",
      help: "print its value with 'wait last; result last > FILE', or its output as it comes with "
        + "'follow last > FILE'; requests write it with '--output FILE'")
  }
}

extension ErrorPage {
  static let nothingToRedirect = ErrorPage(
    "nothing-to-redirect", "A command that prints nothing is redirected",
    """
    A command that builds an operation, such as get, fetch, run or delay, prints nothing, so \
    '>' and '|' after it would take nothing and empty the file. 'result' prints the value of an \
    operation that has finished, and 'follow' the output of one as it comes; requests write the \
    body of the response with '--output FILE'.
    """,
    help: "'result last > FILE' after 'wait', 'follow last > FILE', or '--output FILE'",
    wrong: "delay 1ms --name d | cat", right: "delay 1ms --name d\nwait d\nshow d | cat")
}
