/// What a command is called and what it takes; help, checks and completion all follow from it.
///
/// It is a class because it never changes, and every call that is checked or made refers to one.
public final class CommandSignature: Sendable {
  /// How many words a positional argument takes.
  public enum Arity: Sendable, Hashable {
    /// Exactly one.
    case required
    /// None or one.
    case optional
    /// None, one or several.
    case repeating
    /// One or several.
    case oneOrMore
  }

  /// An argument that is known by its position.
  public struct Positional: Sendable {
    /// What `CommandCall` calls it.
    public let name: String
    /// What it must be.
    public let kind: ArgumentKind
    /// How many words it takes.
    public let arity: Arity
    /// A bare word that must stand before it, such as `within`.
    public let keyword: String?
    /// What it means.
    public let help: String

    /// Creates a positional argument.
    public init(
      _ name: String, _ kind: ArgumentKind, _ arity: Arity = .required, keyword: String? = nil,
      help: String = ""
    ) {
      self.name = name
      self.kind = kind
      self.arity = arity
      self.keyword = keyword
      self.help = help
    }
  }

  /// An argument that is known by its name.
  public struct Option: Sendable {
    /// The name without dashes.
    public let name: String
    /// The letter after one dash.
    public let short: Character?
    /// What its value must be; nil for a flag.
    public let kind: ArgumentKind?
    /// Whether it may be given several times, or several values with commas.
    public let repeats: Bool
    /// How help names the value.
    public let valueName: String?
    /// What it means.
    public let help: String

    /// Creates an option; without a kind it is a flag.
    public init(
      _ name: String, short: Character? = nil, _ kind: ArgumentKind? = nil, repeats: Bool = false,
      valueName: String? = nil, help: String = ""
    ) {
      self.name = name
      self.short = short
      self.kind = kind
      self.repeats = repeats
      self.valueName = valueName
      self.help = help
    }
  }

  /// A line that shows the command at work.
  public struct Example: Sendable {
    /// The line, or several.
    public let text: String
    /// What it does.
    public let explanation: String

    /// Creates an example.
    public init(_ text: String, _ explanation: String) {
      self.text = text
      self.explanation = explanation
    }
  }

  /// The bare words that name it, such as `queue` and `pause`.
  public let path: [String]
  /// What it does, in one line.
  public let summary: String
  /// What else there is to say.
  public let discussion: String
  /// The arguments known by position.
  public let positionals: [Positional]
  /// The arguments known by name.
  public let options: [Option]
  /// Lines that show it at work.
  public let examples: [Example]
  /// Words that `apropos` finds it by.
  public let searchTerms: [String]
  /// The variables that its block sees besides those around it.
  public let blockVariables: [String]
  /// Whether it can bring variables and commands into being, as `source` does: its first
  /// positional argument names a script.
  public let includesScript: Bool
  /// Whether nothing after it runs, as with `exit`.
  public let endsScript: Bool
  /// Whether it is there to fail, so that nothing after it in its block runs.
  public let alwaysFails: Bool
  /// Whether words behind the first positional argument are never options, as with `run`.
  public let passesOptionsOn: Bool
  /// Whether it makes its first positional argument stand for the command behind it.
  public let definesAlias: Bool
  /// Whether it forgets aliases: its arguments are their names.
  public let removesAlias: Bool
  /// Whether it runs the command behind it as the host has it, whatever definition has its name.
  public let runsOriginal: Bool
  /// Whether its block runs on a thread of its own, where outer variables cannot be assigned.
  public let blockIsBody: Bool
  /// Whether a block or a command is among its arguments.
  let takesBlock: Bool

  /// Creates a signature.
  public convenience init(
    _ path: String..., summary: String, discussion: String = "", positionals: [Positional] = [],
    options: [Option] = [], examples: [Example] = [], searchTerms: [String] = [],
    blockVariables: [String] = ["self", "input"], includesScript: Bool = false,
    endsScript: Bool = false, alwaysFails: Bool = false, passesOptionsOn: Bool = false,
    blockIsBody: Bool = false, definesAlias: Bool = false, removesAlias: Bool = false,
    runsOriginal: Bool = false
  ) {
    self.init(
      path: path, summary: summary, discussion: discussion, positionals: positionals,
      options: options, examples: examples, searchTerms: searchTerms,
      blockVariables: blockVariables, includesScript: includesScript, endsScript: endsScript,
      alwaysFails: alwaysFails, passesOptionsOn: passesOptionsOn, blockIsBody: blockIsBody,
      definesAlias: definesAlias, removesAlias: removesAlias, runsOriginal: runsOriginal)
  }

  /// Creates a signature from a path in a list.
  public init(
    path: [String], summary: String, discussion: String = "", positionals: [Positional] = [],
    options: [Option] = [], examples: [Example] = [], searchTerms: [String] = [],
    blockVariables: [String] = ["self", "input"], includesScript: Bool = false,
    endsScript: Bool = false, alwaysFails: Bool = false, passesOptionsOn: Bool = false,
    blockIsBody: Bool = false, definesAlias: Bool = false, removesAlias: Bool = false,
    runsOriginal: Bool = false
  ) {
    self.path = path
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals
    self.options = options
    self.examples = examples
    self.searchTerms = searchTerms
    self.blockVariables = blockVariables
    self.includesScript = includesScript
    self.endsScript = endsScript
    self.alwaysFails = alwaysFails
    self.passesOptionsOn = passesOptionsOn
    self.blockIsBody = blockIsBody
    self.definesAlias = definesAlias
    self.removesAlias = removesAlias
    self.runsOriginal = runsOriginal
    self.takesBlock = positionals.contains(where: \.kind.takesBlock)
  }

  /// Returns the same signature with a further option, the last one.
  public func adding(_ option: Option) -> CommandSignature {
    CommandSignature(
      path: path, summary: summary, discussion: discussion, positionals: positionals,
      options: options + [option], examples: examples, searchTerms: searchTerms,
      blockVariables: blockVariables, includesScript: includesScript, endsScript: endsScript,
      alwaysFails: alwaysFails, passesOptionsOn: passesOptionsOn, blockIsBody: blockIsBody,
      definesAlias: definesAlias, removesAlias: removesAlias, runsOriginal: runsOriginal)
  }

  /// The first word.
  public var name: String { path.first ?? "" }
  /// The words after the first, if there are any.
  public var subcommand: String? {
    path.count > 1 ? path.dropFirst().joined(separator: " ") : nil
  }
  /// All words, with spaces between.
  public var fullName: String { path.count == 1 ? path[0] : path.joined(separator: " ") }

  /// Returns the option of a long name.
  public func option(named name: String) -> Option? { options.first { $0.name == name } }
  /// Returns the option of a letter.
  public func option(short: Character) -> Option? { options.first { $0.short == short } }
  /// Returns the positional argument of a name.
  public func positional(named name: String) -> Positional? {
    positionals.first { $0.name == name }
  }

  /// One line that shows what it takes: `queue width [QUEUE] WIDTH [--quiet]`.
  public var usage: String {
    var parts = path
    for positional in positionals {
      var text = positional.keyword.map { $0 + " " } ?? ""
      switch positional.kind {
      case .block: text += "{ … }"
      case .expression: text += "(EXPRESSION)"
      default: text += positional.name.uppercased()
      }
      switch positional.arity {
      case .required: break
      case .optional: text = "[\(text)]"
      case .repeating: text = "[\(text)…]"
      case .oneOrMore: text += "…"
      }
      parts.append(text)
    }
    for option in options {
      var text = "--\(option.name)"
      if option.kind != nil { text += " " + (option.valueName ?? option.name.uppercased()) }
      parts.append("[\(text)]")
    }
    return parts.joined(separator: " ")
  }
}
