import Synchronization

/// A command statement as far as it is known before it runs: the command that its words name, and
/// the call with the arguments that are written out.
///
/// It is made once, by the check or the run, whichever comes first: what was checked is what runs.
/// Only a call with variables is bound again, each time they have values.
final class ResolvedCall: Sendable {
  /// The command of the host that the words name, or why they name none.
  let match: CommandCatalog.Match
  /// The words after the command's name.
  let arguments: ArraySlice<Argument>
  /// The call as far as it is known; nil where the words name no command.
  let call: CommandCall?

  init(_ command: CommandStatement, in source: SourceText, _ catalog: CommandCatalog) {
    let asked = HelpRequest(command.arguments, catalog)
    match = asked?.match ?? catalog.lookup(command.arguments)
    guard case .command(let signature, let count) = match else {
      arguments = command.arguments[0..<0]
      call = nil
      return
    }
    arguments = asked?.words ?? command.arguments.dropFirst(count)
    let binder = ArgumentBinder(
      signature: signature, source: source, catalog: catalog, context: nil)
    call = binder.examine(arguments, range: command.range)
  }

  /// Returns the call with the values that its variables have now; nil where the words name no
  /// command.
  func call(_ command: CommandStatement, in context: ExecutionContext) throws -> CommandCall? {
    guard let call, call.isDynamic || !call.problems.isEmpty else { return call }
    let binder = ArgumentBinder(
      signature: call.signature, source: context.source, catalog: context.host.catalog,
      context: context)
    return try binder.bind(arguments, range: command.range)
  }
}

extension CommandStatement {
  /// Returns what the statement means as a command of the host, whatever definitions there are.
  ///
  /// A statement is part of one text and is only ever run by hosts with the same commands, so that
  /// the first answer is kept.
  func resolved(in source: SourceText, _ catalog: CommandCatalog) -> ResolvedCall {
    if let known = resolution.load() { return known }
    return resolution.storeIfNil(ResolvedCall(self, in: source, catalog))
  }

  /// Returns what is known of the call before it runs; nil where its words name no command.
  public func call(in source: SourceText, _ catalog: CommandCatalog) -> CommandCall? {
    var call = resolved(in: source, catalog).call
    call?.inheritedOptions = nil
    return call
  }
}
