/// A command about to run, with its arguments checked and sorted.
public struct CommandCall: Sendable {
  /// The command.
  public let signature: CommandSignature
  /// The text that the call stands in.
  public let source: SourceText
  /// Where the call stands.
  public let range: SourceRange
  let arguments: BoundArguments
  /// Whether the value of a program is to be what it prints, as in `let x = !date`.
  public internal(set) var keepsOutput = false

  /// Returns the value of an argument or an option, of the type that its declaration says.
  ///
  /// An option that the command does not have counts as not given, so that commands can read shared
  /// options of which they have only some.
  public subscript<Key: Parameter>(_ parameter: Key) -> Key.Value {
    parameter.read(given(parameter.name))
  }

  /// Returns whether any value is given for an argument or an option; a list may be empty.
  public func has(_ parameter: some Parameter) -> Bool { given(parameter.name)?.isEmpty == false }

  /// Returns whether an argument or an option is written, even if a list for it is empty.
  public func mentions(_ parameter: some Parameter) -> Bool { given(parameter.name) != nil }

  /// Refuses an empty list where there is nothing to do without a value.
  public func requireValue(_ parameter: some Parameter) throws {
    guard given(parameter.name)?.isEmpty == true else { return }
    let kind = signature.kind(of: parameter.name)?.description ?? "a value"
    throw failure(
      .missingArgument, "'\(signature.fullName)' needs \(kind), but the list is empty",
      help: "usage: \(signature.briefUsage)")
  }

  /// Returns the words given for an argument or an option, as they are written.
  public func written(_ parameter: some Parameter) -> [BoundArgument] {
    given(parameter.name) ?? []
  }

  /// Returns where the first value given for an argument or an option stands.
  public func range(of parameter: some Parameter) -> SourceRange? {
    given(parameter.name)?.first?.range
  }

  /// Returns what is given for a name; nil where it is not mentioned.
  func given(_ name: String) -> [BoundArgument]? { arguments[name] }

  /// Returns an error of running this call, to be thrown, that marks the whole call.
  public func failure(_ page: ErrorPage, _ message: String, help: String? = nil) -> Diagnostic {
    Diagnostic(page, message, source: source, range: range, help: help, phase: .running)
  }

  /// Returns an error of running this call, to be thrown, that marks an argument or an option.
  public func failure(
    _ page: ErrorPage, _ message: String, at parameter: some Parameter, index: Int = 0,
    help: String? = nil
  ) -> Diagnostic {
    let given = given(parameter.name) ?? []
    return Diagnostic(
      page, message, source: source,
      range: index < given.count ? given[index].range : given.first?.range ?? range, help: help,
      phase: .running)
  }
}
