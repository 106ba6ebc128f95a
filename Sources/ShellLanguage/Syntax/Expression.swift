/// What stands between parentheses: something with a value.
///
/// Nodes of the syntax tree are classes, so that running a statement a million times does not copy
/// what it is made of a million times.
public final class Expression: Sendable {
  /// Where it stands.
  public let range: SourceRange

  /// What it is.
  public let kind: Kind

  /// The text the range is in, where that is not the text of the statement around it.
  public let source: SourceText?

  /// The depth of the tree below.
  let depth: Int

  /// The name of the variable that it is or may be.
  let symbol: Symbol?
  /// How it gets its value.
  let code: any ExpressionCode

  init(_ kind: Kind, _ range: SourceRange, depth: Int = 1, source: SourceText? = nil) {
    self.source = source
    self.kind = kind
    self.range = range
    self.depth = depth
    switch kind {
    case .variable(let name), .name(let name), .reference(let name): symbol = Symbol(name)
    default: symbol = nil
    }
    code = kind.code
  }

  /// The kinds of expressions.
  public enum Kind: Sendable {
    /// A value written out.
    case literal(Value)
    /// A double-quoted string with variables in it.
    case interpolation(Word)
    /// `$name`, `$1`, `$@` or `$#`.
    case variable(String)
    /// A bare word: a property where the context has it, else a string.
    case bareWord(String)
    /// A bare word before a dot: an operation or a queue.
    case object(String)
    /// A lone name in `${name}` or before `??`: a variable.
    case name(String)
    /// The name in `${name.property}`: an operation or a queue, or else a variable.
    case reference(String)
    /// `E.name`; the range is that of the name.
    case property(Expression, String, SourceRange)
    /// `E[n]`.
    case element(Expression, Expression)
    /// A function applied to values.
    case call(String, [Expression], SourceRange)
    /// `count of THINGS where E`.
    case count(CountClause)
    /// `not E` or `-E`.
    case unary(UnaryOperator, Expression)
    /// Two operands; the range is that of the operator.
    case binary(BinaryOperator, Expression, Expression, SourceRange)
  }

  /// The operators with one operand.
  public enum UnaryOperator: String, Sendable, Hashable {
    /// True if the operand is not.
    case not
    /// The number with the other sign.
    case negate = "-"
  }

  /// The operators with two operands.
  public enum BinaryOperator: String, Sendable, Hashable, CaseIterable {
    /// True if one is.
    case or
    /// True if both are.
    case and
    /// Equality.
    case equal = "=="
    /// Inequality.
    case notEqual = "!="
    /// Less.
    case less = "<"
    /// Less or equal.
    case lessOrEqual = "<="
    /// Greater.
    case greater = ">"
    /// Greater or equal.
    case greaterOrEqual = ">="
    /// Membership of a list, or part of a string.
    case `in`
    /// Fits a pattern with `*` and `?`.
    case matches
    /// An earlier time.
    case before
    /// A later time.
    case after
    /// The list of the integers from one to the other.
    case range = ".."
    /// The second value where the first one is null or absent.
    case coalesce = "??"
    /// Sum, or texts put together.
    case add = "+"
    /// Difference.
    case subtract = "-"
    /// Product.
    case multiply = "*"
    /// Quotient.
    case divide = "/"
    /// Remainder.
    case remainder = "%"

    /// Returns the operator that is written so.
    init?(_ text: String) { self.init(rawValue: text) }

    /// What to do where an argument is a part of an expression; nil for other words.
    public static func help(forArgument text: String) -> String? {
      BinaryOperator(text) != nil || text == "of"
        ? "one pair of parentheses holds the whole expression" : nil
    }

    var precedence: Int {
      switch self {
      case .or: 1
      case .and: 2
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .matches,
        .before, .after:
        4
      case .range: 5
      case .coalesce: 6
      case .add, .subtract: 7
      case .multiply, .divide, .remainder: 8
      }
    }
  }
}

/// `count of THINGS where E`: how many of the things there are, or fit.
public final class CountClause: Sendable {
  /// What is counted: a bare word or a pattern, which the host knows, or a list.
  public let things: Expression
  /// What they must fit; bare words in it are their properties.
  public let condition: Expression?

  init(things: Expression, condition: Expression?) {
    self.things = things
    self.condition = condition
  }
}
