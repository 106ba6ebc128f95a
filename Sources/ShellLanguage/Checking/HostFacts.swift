/// What a host knows about its commands and things before anything runs.
///
/// Whatever is not said here counts as possible: a script is refused only for what cannot be right.
public final class HostFacts: Sendable {
  /// A name, or several, that a command brings into being.
  public enum MadeName: Sendable, Hashable {
    /// This one.
    case exact(String)
    /// The word with a counter behind it, and how many of them.
    case numbered(String, count: Int)
    /// Any name at all.
    case anything
  }

  /// A call as far as it can be known.
  public struct Call: Sendable {
    /// The command.
    public let signature: CommandSignature
    let positionals: BoundArguments
    let options: BoundArguments

    /// What is known of an argument or an option.
    public enum Known: Sendable, Hashable {
      /// It is not given.
      case absent
      /// It is this text.
      case text(String)
      /// Only running shows what it is.
      case dynamic
    }

    /// Returns what is known of an option.
    public func option(_ name: String) -> Known {
      guard let bound = options[name] else { return .absent }
      return Self.known(bound)
    }

    /// Returns what is known of a positional argument.
    public func argument(_ name: String) -> Known {
      guard let bound = positionals[name] else { return .dynamic }
      return Self.known(bound)
    }

    /// Returns what is written out of an argument or an option, and where each text stands.
    ///
    /// - Parameter name: The name of a positional argument or of an option.
    /// - Returns: The texts whose values are known before anything runs.
    public func written(_ name: String) -> [(text: String, index: Int)] {
      (positionals[name] ?? options[name] ?? []).enumerated().compactMap { index, argument in
        argument.value.map { ($0.text, index) }
      }
    }

    private static func known(_ bound: [BoundArgument]) -> Known {
      guard let value = bound.first?.value else { return .dynamic }
      return .text(value.text)
    }
  }

  /// What is certainly wrong with a call.
  public struct Mistake: Sendable {
    let code: String
    let message: String
    let argument: String
    let index: Int
    let help: String?

    /// Creates a mistake.
    ///
    /// - Parameters:
    ///   - code: The stable name.
    ///   - message: One sentence without a final full stop.
    ///   - argument: The positional argument or the option that is wrong.
    ///   - index: Which of its values.
    ///   - help: What to do about it.
    public init(
      _ code: String, _ message: String, at argument: String, index: Int = 0, help: String? = nil
    ) {
      self.code = code
      self.message = message
      self.argument = argument
      self.index = index
      self.help = help
    }
  }

  /// The properties of the shape of that name; nil where nothing is known.
  public let shape: @Sendable (_ name: String) -> [String: StaticKind]?
  /// The names that there are, by what they name.
  public let existing: [String: Set<String>]
  /// What a command's value is.
  public let value: @Sendable (Call) -> StaticKind
  /// What keeps its name until it is removed; anything else gives its name up when it has finished.
  public let lasting: Set<String>
  /// Whether a command may wait for something to finish, or make it finish.
  public let mayWait: @Sendable (CommandSignature) -> Bool
  /// Whether a call runs its block where it stands, once.
  public let runsBlockAtOnce: @Sendable (Call) -> Bool
  /// Whether a command brings names into being at all, however it is called.
  public let makesNames: @Sendable (CommandSignature) -> Bool
  /// The names that a command brings into being, by what they name.
  public let names: @Sendable (Call) -> [(namespace: String, name: MadeName)]
  /// What running a call would refuse in any case, whatever there is.
  public let mistakes: @Sendable (Call) -> [Mistake]
  /// Words that stand in place of a name without being one, such as `all`.
  public let isNoName: @Sendable (_ signature: CommandSignature, _ text: String) -> Bool
  /// The shape whose properties bare words are in an argument that is an expression.
  public let context: @Sendable (_ signature: CommandSignature, _ argument: String) -> String?
  /// The shape of the things that a word or a pattern after `count of` means.
  public let countedShape: @Sendable (_ word: String) -> String?

  /// Creates facts.
  public init(
    shape: @escaping @Sendable (String) -> [String: StaticKind]?, existing: [String: Set<String>],
    lasting: Set<String> = [],
    value: @escaping @Sendable (Call) -> StaticKind,
    mayWait: @escaping @Sendable (CommandSignature) -> Bool = { _ in true },
    runsBlockAtOnce: @escaping @Sendable (Call) -> Bool = { _ in false },
    makesNames: @escaping @Sendable (CommandSignature) -> Bool,
    names: @escaping @Sendable (Call) -> [(namespace: String, name: MadeName)],
    mistakes: @escaping @Sendable (Call) -> [Mistake] = { _ in [] },
    isNoName: @escaping @Sendable (CommandSignature, String) -> Bool,
    context: @escaping @Sendable (CommandSignature, String) -> String?,
    countedShape: @escaping @Sendable (String) -> String?
  ) {
    self.shape = shape
    self.existing = existing
    self.lasting = lasting
    self.value = value
    self.mayWait = mayWait
    self.runsBlockAtOnce = runsBlockAtOnce
    self.makesNames = makesNames
    self.names = names
    self.mistakes = mistakes
    self.isNoName = isNoName
    self.context = context
    self.countedShape = countedShape
  }
}
