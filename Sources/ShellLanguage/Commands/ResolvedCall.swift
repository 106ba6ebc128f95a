import Synchronization

/// A command statement as far as it is known before it runs: the command that its words name, and
/// the arguments that are written out.
///
/// It is made once, by the check or the run, whichever comes first: what was checked is what runs.
/// Only arguments with variables are bound again, each time they have values.
final class ResolvedCall: Sendable {
  /// The command of the host that the words name, or why they name none.
  let match: CommandCatalog.Match
  /// The words after the command's name.
  let arguments: ArraySlice<Argument>
  /// What is known of the arguments.
  let binding: ArgumentBinder.Result
  /// The finished call, where nothing in it depends on running.
  private let call: CommandCall?

  init(_ command: CommandStatement, in source: SourceText, _ catalog: CommandCatalog) {
    let asked = HelpRequest(command.arguments, catalog)
    match = asked?.match ?? catalog.lookup(command.arguments)
    guard case .command(let signature, let count) = match else {
      arguments = command.arguments[0..<0]
      binding = ArgumentBinder.Result()
      call = nil
      return
    }
    arguments = asked?.words ?? command.arguments.dropFirst(count)
    let binder = ArgumentBinder(
      signature: signature, source: source, catalog: catalog, context: nil)
    binding = binder.examine(arguments, range: command.range)
    call =
      binding.isDynamic || !binding.problems.isEmpty
      ? nil
      : CommandCall(
        signature: signature, source: source, range: command.range, arguments: binding.arguments)
  }

  /// Returns the call with the values that its variables have now.
  func call(
    _ command: CommandStatement, _ signature: CommandSignature, in context: ExecutionContext
  ) throws -> CommandCall {
    if let call { return call }
    let binder = ArgumentBinder(
      signature: signature, source: context.source, catalog: context.host.catalog, context: context)
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
  public func checkedCall(in source: SourceText, _ catalog: CommandCatalog) -> CheckedCall? {
    let resolved = resolved(in: source, catalog)
    guard case .command(let signature, _) = resolved.match else { return nil }
    return CheckedCall(signature: signature, binding: resolved.binding, inheritsOptions: true)
  }
}
