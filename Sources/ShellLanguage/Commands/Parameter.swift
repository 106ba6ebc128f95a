/// An argument or an option of a command: its declaration, and the key by which its value is read.
///
/// ```swift
/// static let pagesize = Option<Int?>("pagesize", .integer(minimum: 0, maximum: 100), help: "…")
/// …
/// query.pageSize = call[Self.pagesize]
/// ```
///
/// The name is written once, so that a misspelt one does not compile.
public protocol Parameter<Value>: Sendable {
  /// What a call gives for it.
  associatedtype Value

  /// The name of the argument, or of the option without its dashes.
  var name: String { get }

  /// Returns the value of what a call gives.
  ///
  /// - Parameter given: The bound arguments, in order; nil where the call does not mention it.
  /// - Returns: The value; the default where nothing is given.
  func read(_ given: [BoundArgument]?) -> Value
}

/// What a signature lists as an argument known by its position.
public protocol PositionalDeclaration: Sendable {
  /// The declaration without its type.
  var declaration: CommandSignature.Positional { get }
}

/// What a signature lists as an option.
public protocol OptionDeclaration: Sendable {
  /// The declaration without its type.
  var declaration: CommandSignature.Option { get }
}

/// An argument known by its position.
///
/// The type says how many words it takes: `Int` exactly one, `Int?` at most one, `[Int]` several.
public struct Positional<Value>: RuledParameter, PositionalDeclaration {
  /// The declaration without its type.
  public private(set) var declaration: CommandSignature.Positional
  private let reader: @Sendable ([BoundArgument]) -> Value

  /// The name, without dashes.
  public var name: String { declaration.name }

  /// What is refused of calls that give it.
  public var rules: [ArgumentRule] {
    get { declaration.rules }
    set { declaration.rules = newValue }
  }

  /// Returns the value of what a call gives.
  public func read(_ given: [BoundArgument]?) -> Value { reader(given ?? []) }

  /// Returns the argument as one that may be left out where an option is given.
  public func orOption(_ option: any OptionDeclaration) -> Self {
    var replaced = self
    replaced.declaration.substitute = option.declaration.name
    return replaced
  }

  /// Declares an argument that must be given.
  ///
  /// - Parameters:
  ///   - name: What help and messages call it.
  ///   - kind: What it must be, where that is narrower than its type.
  ///   - keyword: A bare word that must stand before it.
  ///   - help: What it means; begins with a noun or a verb.
  public init(
    _ name: String, _ kind: ArgumentKind? = nil, keyword: String? = nil, help: String
  ) where Value: ParameterValue {
    declaration = .init(name, kind ?? Value.kind, .required, keyword: keyword, help: help)
    reader = { given in
      guard let value = given.first.flatMap(Value.value(of:)) else {
        preconditionFailure("binding accepted a call without '\(name)'")
      }
      return value
    }
  }

  /// Declares an argument that has a default, which the help names.
  public init(
    _ name: String, _ kind: ArgumentKind? = nil, keyword: String? = nil, default standard: Value,
    help: String
  ) where Value: ParameterValue {
    declaration = .init(
      name, kind ?? Value.kind, .optional, keyword: keyword,
      help: "\(help) (default \(standard.argumentText))")
    reader = { $0.first.flatMap(Value.value(of:)) ?? standard }
  }

  /// Declares an argument that may be missing.
  public init<Wrapped: ParameterValue>(
    _ name: String, _ kind: ArgumentKind? = nil, keyword: String? = nil, help: String
  ) where Value == Wrapped? {
    declaration = .init(name, kind ?? Wrapped.kind, .optional, keyword: keyword, help: help)
    reader = { $0.first.flatMap(Wrapped.value(of:)) }
  }

  /// Declares an argument of several words.
  public init<Element: ParameterValue>(
    _ name: String, _ kind: ArgumentKind? = nil, keyword: String? = nil, atLeastOne: Bool = false,
    help: String
  ) where Value == [Element] {
    declaration = .init(
      name, kind ?? Element.kind, atLeastOne ? .oneOrMore : .repeating, keyword: keyword,
      help: help)
    reader = { $0.compactMap(Element.value(of:)) }
  }
}

/// An argument known by its name.
///
/// The type says how often it may be given: `[Int]` several times, or several values with commas.
public struct Option<Value>: RuledParameter, OptionDeclaration {
  /// The declaration without its type.
  public private(set) var declaration: CommandSignature.Option
  private let reader: @Sendable ([BoundArgument]?) -> Value

  /// The name, without dashes.
  public var name: String { declaration.name }

  /// What is refused of calls that give it.
  public var rules: [ArgumentRule] {
    get { declaration.rules }
    set { declaration.rules = newValue }
  }

  /// Returns the value of what a call gives.
  public func read(_ given: [BoundArgument]?) -> Value { reader(given) }

  /// Declares an option that may be missing.
  ///
  /// - Parameters:
  ///   - name: The name without dashes.
  ///   - short: The letter after one dash.
  ///   - kind: What its value must be, where that is narrower than its type.
  ///   - help: What it means; begins with a noun or a verb.
  public init<Wrapped: ParameterValue>(
    _ name: String, short: Character? = nil, _ kind: ArgumentKind? = nil,
    help: String
  ) where Value == Wrapped? {
    declaration = .init(
      name, short: short, kind ?? Wrapped.kind, help: help)
    reader = { $0?.first.flatMap(Wrapped.value(of:)) }
  }

  /// Declares an option with a default, which the help names.
  public init(
    _ name: String, short: Character? = nil, _ kind: ArgumentKind? = nil, default standard: Value,
    help: String
  ) where Value: ParameterValue {
    declaration = .init(
      name, short: short, kind ?? Value.kind,
      help: "\(help) (default \(standard.argumentText))")
    reader = { $0?.first.flatMap(Value.value(of:)) ?? standard }
  }

  /// Declares an option that takes several values.
  public init<Element: ParameterValue>(
    _ name: String, short: Character? = nil, _ kind: ArgumentKind? = nil,
    help: String
  ) where Value == [Element] {
    declaration = .init(
      name, short: short, kind ?? Element.kind, repeats: true, help: help)
    reader = { ($0 ?? []).compactMap(Element.value(of:)) }
  }

  /// Declares a flag: an option without a value.
  public init(_ name: String, short: Character? = nil, help: String) where Value == Bool {
    declaration = .init(name, short: short, help: help)
    reader = { $0 != nil }
  }
}

/// An option without a value.
public typealias Flag = Option<Bool>
