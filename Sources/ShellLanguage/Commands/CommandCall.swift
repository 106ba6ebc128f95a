/// A command about to run, with its arguments checked and sorted.
public struct CommandCall: Sendable {
  /// The command.
  public let signature: CommandSignature
  /// The text that the call stands in.
  public let source: SourceText
  /// Where the call stands.
  public let range: SourceRange
  /// The arguments known by position, by their names.
  public let positionals: BoundArguments
  /// The arguments known by name.
  public let options: BoundArguments
  /// Whether the value of a program is to be what it prints, as in `let x = !date`.
  public internal(set) var keepsOutput = false

  init(
    signature: CommandSignature, source: SourceText, range: SourceRange,
    positionals: BoundArguments, options: BoundArguments
  ) {
    self.signature = signature
    self.source = source
    self.range = range
    self.positionals = positionals
    self.options = options
  }

  /// The call as it is written.
  public var text: String { source.text(in: range) }

  /// Returns everything given for an argument or an option.
  public func arguments(_ name: String) -> [BoundArgument] {
    positionals[name] ?? options[name] ?? []
  }

  /// Returns whether anything was given for an argument or an option.
  public func has(_ name: String) -> Bool { !arguments(name).isEmpty }

  /// Returns whether a flag was given.
  public func flag(_ name: String) -> Bool { options[name] != nil }

  /// Returns the first value given.
  public func value(_ name: String) -> Value? { arguments(name).first?.value }

  /// Returns all values given.
  public func values(_ name: String) -> [Value] { arguments(name).compactMap(\.value) }

  /// Returns the first value as text.
  public func string(_ name: String) -> String? { value(name)?.text }

  /// Returns all values as texts.
  public func strings(_ name: String) -> [String] { values(name).map(\.text) }

  /// Returns the first value if it is a whole number.
  public func integer(_ name: String) -> Int? {
    if case .integer(let number)? = value(name) { return Int(exactly: number) }
    return nil
  }

  /// Returns the first value if it is a number.
  public func real(_ name: String) -> Double? {
    switch value(name) {
    case .integer(let number)?: Double(number)
    case .real(let number)?: number
    default: nil
    }
  }

  /// Returns the first value if it is a boolean.
  public func boolean(_ name: String) -> Bool? {
    if case .boolean(let flag)? = value(name) { return flag }
    return nil
  }

  /// Returns the first value if it is a duration.
  public func duration(_ name: String) -> Duration? {
    if case .duration(let duration)? = value(name) { return duration }
    return nil
  }

  /// Returns the first value, in bytes, if it is a size.
  public func size(_ name: String) -> Int? {
    if case .size(let count)? = value(name) { return Int(exactly: count) }
    return nil
  }

  /// Returns the first value, from 0 to 100, if it is a percentage.
  public func percent(_ name: String) -> Double? {
    if case .percent(let number)? = value(name) { return number }
    return nil
  }

  /// Returns the first value if it is a live thing of the host.
  public func object(_ name: String) -> (any LanguageObject)? {
    if case .object(let object)? = value(name) { return object }
    return nil
  }

  /// Returns the block given.
  public func block(_ name: String) -> Block? {
    if case .block(let block)? = arguments(name).first?.content { return block }
    return nil
  }

  /// Returns the expression given.
  public func expression(_ name: String) -> Expression? {
    if case .expression(let expression)? = arguments(name).first?.content { return expression }
    return nil
  }

  /// Returns where the first value given stands.
  public func range(of name: String) -> SourceRange? { arguments(name).first?.range }

  /// Makes an error of running this call, placed at an argument or at the whole call.
  ///
  /// - Parameters:
  ///   - code: A stable name.
  ///   - message: One sentence without a final full stop.
  ///   - name: The argument or option that is to blame.
  ///   - help: What to do about it.
  /// - Returns: The error, to be thrown.
  public func failure(
    _ code: String, _ message: String, at name: String? = nil, help: String? = nil
  ) -> Diagnostic {
    let place = name.flatMap { range(of: $0) } ?? range
    return Diagnostic(
      code: code, message: message, source: source, range: place, help: help, phase: .running)
  }
}
