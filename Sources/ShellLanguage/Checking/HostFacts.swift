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

    private static func known(_ bound: [BoundArgument]) -> Known {
      guard let value = bound.first?.value else { return .dynamic }
      return .text(value.text)
    }
  }

  /// The properties of the shape of that name; nil where nothing is known.
  public let shape: @Sendable (_ name: String) -> [String: StaticKind]?
  /// The names that there are, by what they name.
  public let existing: [String: Set<String>]
  /// What a command's value is.
  public let value: @Sendable (Call) -> StaticKind
  /// Whether a command brings names into being at all, however it is called.
  public let makesNames: @Sendable (CommandSignature) -> Bool
  /// The names that a command brings into being, by what they name.
  public let names: @Sendable (Call) -> [(namespace: String, name: MadeName)]
  /// Words that stand in place of a name without being one, such as `all`.
  public let isNoName: @Sendable (_ signature: CommandSignature, _ text: String) -> Bool
  /// The shape whose properties bare words are in an argument that is an expression.
  public let context: @Sendable (_ signature: CommandSignature, _ argument: String) -> String?
  /// The shape of the things that a word or a pattern after `count of` means.
  public let countedShape: @Sendable (_ word: String) -> String?

  /// Creates facts.
  public init(
    shape: @escaping @Sendable (String) -> [String: StaticKind]?, existing: [String: Set<String>],
    value: @escaping @Sendable (Call) -> StaticKind,
    makesNames: @escaping @Sendable (CommandSignature) -> Bool,
    names: @escaping @Sendable (Call) -> [(namespace: String, name: MadeName)],
    isNoName: @escaping @Sendable (CommandSignature, String) -> Bool,
    context: @escaping @Sendable (CommandSignature, String) -> String?,
    countedShape: @escaping @Sendable (String) -> String?
  ) {
    self.shape = shape
    self.existing = existing
    self.value = value
    self.makesNames = makesNames
    self.names = names
    self.isNoName = isNoName
    self.context = context
    self.countedShape = countedShape
  }
}
