/// A command of the host: its name, its declaration, and what is known of its calls before they run.
///
/// Everything else counts as possible: a script is refused only for what is certainly wrong.
public protocol HostCommand: Sendable {
  /// The bare words that name the command, such as `queue` and `pause`.
  static var path: [String] { get }

  /// What it is for and what it takes; a catalogue asks for it when the command is first used.
  static var declaration: CommandDeclaration { get }

  /// Returns the names that a call creates.
  static func names(createdBy call: CheckedCall) -> [CreatedName]

  /// Returns what the value of a call is.
  static func value(of call: CheckedCall) -> StaticKind

  /// Returns what running a call would refuse in any case.
  static func mistakes(in call: CheckedCall) -> [CheckedCall.Mistake]

  /// Returns what running a call would refuse in any case because of options that it shares with
  /// others, in addition to ``mistakes(in:)``.
  static func optionMistakes(in call: CheckedCall) -> [CheckedCall.Mistake]

  /// Returns whether a call runs its block where it stands, once.
  static func runsBlockOnce(_ call: CheckedCall) -> Bool

  /// Whether it only builds something and prints nothing, so that '>' and '|' would take nothing.
  static var printsNothing: Bool { get }
}

extension HostCommand {
  /// Returns no names by default.
  public static func names(createdBy call: CheckedCall) -> [CreatedName] { [] }
  /// Returns by default that the value is unknown.
  public static func value(of call: CheckedCall) -> StaticKind { .unknown }
  /// Returns no mistakes by default; the declaration is checked anyway.
  public static func mistakes(in call: CheckedCall) -> [CheckedCall.Mistake] { [] }
  /// Returns no mistakes by default.
  public static func optionMistakes(in call: CheckedCall) -> [CheckedCall.Mistake] { [] }
  /// Returns false by default: the block may run later, or any number of times.
  public static func runsBlockOnce(_ call: CheckedCall) -> Bool { false }
  /// Returns false by default.
  public static var printsNothing: Bool { false }
}

/// A name, or several, that a call creates.
public struct CreatedName: Sendable, Hashable {
  /// How far the name is known.
  public enum Extent: Sendable, Hashable {
    /// This one.
    case exact(String)
    /// The word followed by a dash and a number, and how many of them.
    case numbered(String, count: Int)
    /// Any name at all.
    case anything
  }

  /// What it names, such as an `operation`.
  public let namespace: String
  /// The name.
  public let extent: Extent

  /// Creates a name.
  public init(_ namespace: String, _ extent: Extent) {
    self.namespace = namespace
    self.extent = extent
  }
}

/// A call as far as it is known before it runs.
public struct CheckedCall: Sendable {
  /// The command.
  public let signature: CommandSignature
  let binding: ArgumentBinder.Result
  /// Whether something around the call may give it options that it lacks, as a group does.
  public let inheritsOptions: Bool
  /// The calls around it that run it where it stands, once, the outermost first.
  public internal(set) var enclosing: [CheckedCall] = []

  /// What is known of a parameter.
  public enum Known<Value: Sendable>: Sendable {
    /// It is not given.
    case absent
    /// It is this value.
    case value(Value)
    /// Only running shows what it is.
    case dynamic
  }

  /// Returns what is known of an argument or an option.
  public func known<Key: Parameter>(_ parameter: Key) -> Known<Key.Value>
  where Key.Value: Sendable {
    guard let bound = given(parameter.name) else {
      // A word that only running shows may be for an argument.
      let canFollow = signature.positional(named: parameter.name) != nil && binding.isDynamic
      return canFollow ? .dynamic : .absent
    }
    let option = signature.option(named: parameter.name)
    let arity = signature.positional(named: parameter.name)?.arity
    let takesSeveral = option?.repeats == true || arity == .repeating || arity == .oneOrMore
    guard !bound.isEmpty, !(takesSeveral && binding.isDynamic) else { return .dynamic }
    return .value(parameter.read(bound))
  }

  /// Returns whether an option is written, whatever its value is.
  public func mentions(_ parameter: some Parameter) -> Bool { given(parameter.name) != nil }

  /// Returns the texts written out for an argument or an option, and which of its values they are.
  public func written(_ parameter: some Parameter) -> [(text: String, index: Int)] {
    written(named: parameter.name)
  }

  /// Returns the texts written out for the argument or the option of a name, and which of its
  /// values they are.
  public func written(named parameter: String) -> [(text: String, index: Int)] {
    (given(parameter) ?? []).enumerated().compactMap { index, argument in
      argument.value.map { ($0.text, index) }
    }
  }

  /// Returns where the first value given for an argument or an option stands.
  public func range(of parameter: String) -> SourceRange? { given(parameter)?.first?.range }

  func given(_ name: String) -> [BoundArgument]? { binding.arguments[name] }

  /// What is certainly wrong with a call.
  public struct Mistake: Sendable {
    let page: ErrorPage
    let message: String
    let parameter: String
    let index: Int
    let help: String?
    /// A word whose definition, or alias, would make it none.
    let definable: String?

    /// Creates a mistake.
    public init(
      _ page: ErrorPage, _ message: String, at parameter: some Parameter, index: Int = 0,
      help: String? = nil, unlessDefined definable: String? = nil
    ) {
      self.definable = definable
      self.page = page
      self.message = message
      self.parameter = parameter.name
      self.index = index
      self.help = help
    }
  }
}
