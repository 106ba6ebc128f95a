import Synchronization

/// One statement, with its place.
public final class Statement: Sendable {
  /// Where it stands, from its first to its last letter.
  public let range: SourceRange

  /// What it is.
  public let kind: Kind

  /// How it runs.
  let code: any StatementCode

  init(_ kind: Kind, _ range: SourceRange) {
    self.kind = kind
    self.range = range
    code = kind.code
  }

  /// The kinds of statements.
  ///
  /// What few statements hold stands elsewhere, so that all the others are small.
  public enum Kind: Sendable {
    /// A command with its words.
    case command(CommandStatement)
    /// `( … )`, which shows its value.
    case expression(Expression, RedirectionSyntax?)
    /// `let NAME = …`.
    case assignment(Assignment)
    /// `if`, with every `else if` and the `else`.
    case conditional([ConditionalClause], otherwise: Block?)
    /// `while (E) { }`.
    case whileLoop(Expression, Block)
    /// `repeat N { }`.
    indirect case repeatLoop(Argument, Block)
    /// `for NAME in WORD… { }`.
    indirect case forLoop(Name, [Argument], Block)
    /// `def NAME PARAM… { }`.
    case definition(Definition)
    /// `return`, perhaps with a value.
    case returning(Argument?)
    /// `break`.
    case breaking
    /// `continue`.
    case continuing
    /// `try { } catch NAME { }`.
    indirect case attempt(Block, Name, Block)
    /// A statement that could not be read; its diagnostic says why.
    case invalid
  }
}

/// A name that a statement introduces.
public struct Name: Sendable {
  /// The name.
  public let text: String
  /// Where it stands.
  public let range: SourceRange
  /// The name as a number.
  let symbol: Symbol

  init(text: String, range: SourceRange) {
    self.text = text
    self.range = range
    symbol = Symbol(text)
  }
}

/// Statements between braces.
public final class Block: Sendable {
  /// Where it stands, braces included.
  public let range: SourceRange
  /// The statements.
  public let statements: [Statement]
  /// The text it is in.
  public let source: SourceText

  init(range: SourceRange, statements: [Statement], source: SourceText) {
    self.range = range
    self.statements = statements
    self.source = source
  }
}

/// A command with its words.
public final class CommandStatement: Sendable {
  /// The words, the first of which names the command; never empty.
  public let arguments: [Argument]
  /// Where its text goes instead of the screen.
  public let redirection: RedirectionSyntax?
  /// Where it stands.
  public let range: SourceRange
  /// What it means as a command of the host; found when it is first asked for.
  let resolution = AtomicLazyReference<ResolvedCall>()
  /// Its first word, if that is a bare one.
  let symbol: Symbol?
  /// Whether each argument is a word or an expression with one value, and none an option.
  let hasOnlySingleValues: Bool

  init(arguments: [Argument], redirection: RedirectionSyntax?, range: SourceRange) {
    self.arguments = arguments
    self.redirection = redirection
    self.range = range
    symbol = arguments.first?.bareText.map { Symbol($0) }
    hasOnlySingleValues = arguments.dropFirst().allSatisfy { argument in
      switch argument {
      case .word(let word): !word.isAllArguments && OptionWord(argument) == nil
      case .expression: true
      case .assignedExpression, .block: false
      }
    }
  }
}

/// One argument of a command.
public enum Argument: Sendable {
  /// A word.
  case word(Word)
  /// `( … )`.
  case expression(Expression, SourceRange)
  /// `--name=( … )`: the part up to the equals sign, and the expression.
  indirect case assignedExpression(Word, Expression, SourceRange)
  /// `{ … }`.
  case block(Block)

  /// Where it stands.
  public var range: SourceRange {
    switch self {
    case .word(let word): word.range
    case .expression(_, let range), .assignedExpression(_, _, let range): range
    case .block(let block): block.range
    }
  }

  /// How it is written.
  func text(in source: SourceText) -> String {
    if case .word(let word) = self { word.text(in: source) } else { source.text(in: range) }
  }

  /// Its text, if it is a bare word without variables.
  public var bareText: String? {
    if case .word(let word) = self { return word.bareText }
    return nil
  }

  /// Its text, if it is a word without variables.
  public var constant: String? {
    if case .word(let word) = self { return word.constant }
    return nil
  }
}

/// Where a command's text goes, as written.
public final class RedirectionSyntax: Sendable {
  /// The programs that the text goes through, each with its words.
  public let programs: [[Argument]]
  /// The file it ends in.
  public let file: Argument?
  /// Whether the file is added to.
  public let isAppending: Bool
  /// Where it stands.
  public let range: SourceRange

  init(programs: [[Argument]], file: Argument?, isAppending: Bool, range: SourceRange) {
    self.programs = programs
    self.file = file
    self.isAppending = isAppending
    self.range = range
  }
}

/// `let NAME = …`.
public final class Assignment: Sendable {
  /// Where the value comes from.
  public enum Source: Sendable {
    /// A command, whose value is kept.
    case command(CommandStatement)
    /// An expression, a literal or a variable.
    case value(Argument)
  }

  /// The variable.
  public let name: Name
  /// The value.
  public let source: Source
  /// What the value adds to that of the same variable, if it does.
  let growth: Growth?

  init(name: Name, source: Source) {
    self.name = name
    self.source = source
    growth = Growth(name, source)
  }
}

/// One condition of an `if` and what it guards.
public final class ConditionalClause: Sendable {
  /// The condition.
  public let condition: Expression
  /// What runs if it holds.
  public let block: Block

  init(condition: Expression, block: Block) {
    self.condition = condition
    self.block = block
  }
}

/// `def NAME PARAM… { }`.
public final class Definition: Sendable {
  /// One parameter.
  public struct Parameter: Sendable {
    /// Its name.
    public let name: Name
    /// Its value where the call gives none.
    public let standard: Argument?
  }

  /// The name it is called by.
  public let name: Name
  /// The parameters, those with a standard value last.
  public let parameters: [Parameter]
  /// What runs.
  public let block: Block

  init(name: Name, parameters: [Parameter], block: Block) {
    self.name = name
    self.parameters = parameters
    self.block = block
  }
}
