/// What a command says of itself beside the words that name it: what it is for, what it takes, and
/// what the language has to know of it.
///
/// Help, checks and completion read it as a part of a ``CommandSignature``, which has the words too.
public struct CommandDeclaration: Sendable {
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

  /// What it does, in one line.
  public let summary: String
  /// What else there is to say.
  public let discussion: String
  /// The arguments known by position.
  public let positionals: [CommandSignature.Positional]
  /// The arguments known by name.
  public private(set) var options: [CommandSignature.Option]
  /// Lines that show it at work.
  public let examples: [Example]
  /// Words that `apropos` finds it by.
  public let searchTerms: [String]
  /// The variables that its block sees in addition to those around it.
  public let blockVariables: [String]
  /// What else the language has to know of it.
  public let traits: Traits

  /// Properties of a command.
  ///
  /// As bits, because a `Set` looks up at run time how its elements are hashed, which takes a
  /// twentieth of the start.
  public struct Traits: Sendable, ExpressibleByArrayLiteral {
    private let bits: UInt32

    /// Creates the set of some properties.
    public init(arrayLiteral elements: Trait...) {
      bits = elements.reduce(0) { $0 | 1 << $1.rawValue }
    }

    /// Returns whether it has a property.
    public func contains(_ trait: Trait) -> Bool { bits & 1 << trait.rawValue != 0 }

    /// Returns whether it has no property of another set.
    public func isDisjoint(with other: Traits) -> Bool { bits & other.bits == 0 }
  }
  /// What is refused of calls, in addition to the rules of single arguments and options.
  public let rules: [ArgumentRule]

  /// A property of a command that the language or its host must know.
  public enum Trait: UInt32, Sendable {
    /// It is mainly there to show what exists, so that a script may well use it for a name that it
    /// does not create.
    case inspects
    /// It may wait for operations or end them, so that their names can be used again.
    case waits
    /// What it names may be created later.
    case awaitsNames
    /// It removes what has a lasting name, such as a queue.
    case removesNames
    /// Nothing after it runs.
    case endsScript
    /// It always fails, so that nothing after it in its block runs.
    case alwaysFails
    /// It brings variables and commands into being: its first argument names a script.
    case includesScript
    /// Words after its first argument are never options.
    case passesOptionsOn
    /// It makes its first argument stand for the command after it.
    case definesAlias
    /// It removes aliases: its arguments are their names.
    case removesAlias
    /// It runs the command after it as the host has it, whatever definition has its name.
    case runsOriginal
    /// It runs the command after it as of a moment of the past, which only some can.
    case looksBack
    /// It gives its text to the system's shell.
    case runsProgram
    /// Its block runs on a thread of its own, where outer variables cannot be assigned.
    case blockIsBody
    /// A script defined it: a list is one of its arguments, where a command of the host takes each
    /// element as one.
    case isDefined
    /// A script defined it without a `return` of a value, so that it gives none.
    case givesNoValue
    /// It can be used in a session that shows a recording, as those that inspect always can.
    case worksInReplay
  }

  /// Creates a declaration.
  public init(
    summary: String, discussion: String = "",
    positionals: [any PositionalDeclaration] = [], options: [any OptionDeclaration] = [],
    examples: [Example] = [], searchTerms: [String] = [],
    blockVariables: [String] = ["self", "input"], traits: Traits = [],
    rules: [ArgumentRule] = []
  ) {
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals.map(\.declaration)
    self.options = options.map(\.declaration)
    self.examples = examples
    self.searchTerms = searchTerms
    self.blockVariables = blockVariables
    self.traits = traits
    self.rules = rules
  }

  /// Returns the declaration with further options.
  func adding(_ options: [any OptionDeclaration]) -> CommandDeclaration {
    var all = self
    all.options += options.map(\.declaration)
    return all
  }

  /// Returns the declaration without the options of some names.
  public func leavingOut(_ names: Set<String>) -> CommandDeclaration {
    var rest = self
    rest.options.removeAll { names.contains($0.name) }
    return rest
  }
}
