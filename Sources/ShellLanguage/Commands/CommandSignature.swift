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

  /// A positional argument: `queue width 2`.
  public struct Positional: PositionalDeclaration {
    /// The name by which `CommandCall` finds the values.
    public let name: String
    /// The kind of its values.
    public let kind: ArgumentKind
    /// The number of words that it accepts.
    public private(set) var arity: Arity
    /// A bare word that must stand before it, such as `within`.
    public let keyword: String?
    /// The help text.
    public let help: String
    /// What is refused of calls that give it.
    var rules: [ArgumentRule] = []
    /// The option with which it may be left out, although it is needed otherwise.
    var substitute: String?

    /// Itself: a list may mix declarations with and without a type.
    public var declaration: Self { self }

    /// The same for a call, of which it may be left out where its substitute is given.
    func declared(for call: CommandCall) -> Self {
      guard let substitute, call.given(substitute) != nil else { return self }
      var relaxed = self
      relaxed.arity = .repeating
      return relaxed
    }

    /// How usage lines and messages show its value.
    public var placeholder: String { isShownByKind ? kind.placeholder : name.uppercased() }

    /// Whether usage lines show the kind of its value, which says more than its name: `DURATION`.
    var isShownByKind: Bool { keyword != nil || (name != "id" && kind.isShown) }

    /// How usage lines write it: `[QUEUE]`, `OPERATION…`, `within DURATION`.
    public var usage: String {
      var text = keyword.map { $0 + " " } ?? ""
      switch kind {
      case .block, .expression, .condition: text += kind.placeholder
      default: text += placeholder
      }
      return switch arity {
      case .required: text
      case .optional: "[\(text)]"
      case .repeating: "[\(text)…]"
      case .oneOrMore: text + "…"
      }
    }

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

  /// A named argument: `--count 3`.
  public struct Option: OptionDeclaration {
    /// The name without dashes.
    public let name: String
    /// The letter after one dash.
    public let short: Character?
    /// What its value must be; nil for a flag.
    public let kind: ArgumentKind?
    /// Whether it may be given several times, or several values with commas.
    public let repeats: Bool
    /// The help text.
    public let help: String
    /// What is refused of calls that give it.
    var rules: [ArgumentRule] = []

    /// Itself: a list may mix declarations with and without a type.
    public var declaration: Self { self }

    /// How it is written, with a placeholder for its value.
    public var usage: String {
      kind.map { "--\(name) \($0.placeholder)" } ?? "--\(name)"
    }

    /// Creates an option; without a kind it is a flag.
    public init(
      _ name: String, short: Character? = nil, _ kind: ArgumentKind? = nil, repeats: Bool = false,
      help: String = ""
    ) {
      self.name = name
      self.short = short
      self.kind = kind
      self.repeats = repeats
      self.help = help
    }
  }

  /// The bare words that name it, such as `queue` and `pause`.
  public let path: [String]
  /// What it is for and what it takes.
  public let declaration: CommandDeclaration
  /// What the host's command of this signature makes known of its calls; nil for a definition of a
  /// script.
  public let command: (any HostCommand.Type)?
  /// Whether a block or a command is among its arguments.
  let takesBlock: Bool
  /// Its arguments and options that are names of what the host has.
  let names: [NameParameter]
  /// Whether it may write a file.
  let mayWrite: Bool
  /// What is refused of calls, by its parameters and itself.
  let rules: [ArgumentRule]

  /// An argument or an option that is the name of something.
  struct NameParameter: Sendable {
    let parameter: String
    let namespace: String
    /// Words that have another meaning in this place.
    let otherWords: [String]
  }

  /// Creates a signature.
  public init(
    path: [String], _ declaration: CommandDeclaration, command: (any HostCommand.Type)? = nil
  ) {
    self.path = path
    self.declaration = declaration
    self.command = command
    let (positionals, options) = (declaration.positionals, declaration.options)
    // What is given for an argument or an option is found by its name alone. The parameters of a
    // script's definition are checked with the script.
    let parameters = positionals.map(\.name) + options.map(\.name)
    assert(
      command == nil || Set(parameters).count == parameters.count,
      "'\(path.joined(separator: " "))' has two of \(parameters)")
    self.takesBlock = positionals.contains(where: \.kind.takesBlock)
    let kinds =
      positionals.map { ($0.name, $0.kind) }
      + options.compactMap { option in option.kind.map { (option.name, $0) } }
    self.names = kinds.compactMap { name, kind in
      kind.namespace.map {
        NameParameter(parameter: name, namespace: $0, otherWords: kind.offeredWords)
      }
    }
    self.rules =
      declaration.rules + positionals.flatMap(\.rules) + options.flatMap(\.rules)
    let traits = declaration.traits
    self.mayWrite =
      !traits.contains(.includesScript)
      && (traits.contains(.passesOptionsOn) || kinds.contains { $0.1 == .file })
  }

  /// What it does, in one line.
  public var summary: String { declaration.summary }
  /// What else there is to say.
  public var discussion: String { declaration.discussion }
  /// The arguments known by position.
  public var positionals: [Positional] { declaration.positionals }
  /// The arguments known by name.
  public var options: [Option] { declaration.options }
  /// Lines that show it at work.
  public var examples: [CommandDeclaration.Example] { declaration.examples }
  /// Words that `apropos` finds it by.
  public var searchTerms: [String] { declaration.searchTerms }
  /// The variables that its block sees in addition to those around it.
  public var blockVariables: [String] { declaration.blockVariables }
  /// What else the language has to know of it.
  public var traits: CommandDeclaration.Traits { declaration.traits }

  /// Returns whether the command has a trait.
  public func `is`(_ trait: CommandDeclaration.Trait) -> Bool { traits.contains(trait) }

  /// The first word.
  public var name: String { path.first ?? "" }
  /// All words, with spaces between.
  public var fullName: String { path.count == 1 ? path[0] : path.joined(separator: " ") }

  /// Returns the option of a long name.
  public func option(named name: String) -> Option? { options.first { $0.name == name } }
  /// Returns the option of a letter.
  public func option(short: Character) -> Option? { options.first { $0.short == short } }
  /// Returns what an argument or an option of a name must be; nil for a flag.
  func kind(of name: String) -> ArgumentKind? {
    positional(named: name)?.kind ?? option(named: name)?.kind
  }
  /// Returns whether an argument or an option of a name takes several values.
  func takesSeveral(_ name: String) -> Bool {
    positional(named: name)?.takesSeveral ?? option(named: name)?.repeats ?? false
  }
  /// Returns the positional argument of a name.
  public func positional(named name: String) -> Positional? {
    positionals.first { $0.name == name }
  }

  /// What it takes, as errors show it: without its options where they fill more than a line or two.
  var briefUsage: String {
    let usage = usage
    return usage.count <= 160 ? usage : (positionalUsage + ["[OPTION…]"]).joined(separator: " ")
  }

  /// One line that shows what it takes: `queue width [QUEUE] N|unlimited [--quiet]`.
  public var usage: String {
    (positionalUsage + options.map { "[\($0.usage)]" }).joined(separator: " ")
  }

  /// The words of the command, followed by its positional arguments.
  private var positionalUsage: [String] {
    path + positionals.map(\.usage)
  }
}
