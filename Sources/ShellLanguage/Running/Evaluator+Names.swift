import OpshLocking

/// Names that may be a variable's, and values that may be absent.
extension Evaluator {
  /// The value of a lone name in `${name}`: that of the variable.
  ///
  /// Where bare words are properties, as in `--where`, it may be one of those.
  func named(_ name: String, _ symbol: Symbol?, _ range: SourceRange) throws -> Value {
    if let value = variable(named: name, symbol) ?? subject?.property(name) {
      return try readable(value, range)
    }
    throw failure(
      .undefinedVariable, "there is no variable '\(name)'", range,
      help: objectHelp(name) ?? Spelling.help(for: name, among: context.variables.keys)
        ?? "'${name}' inserts a variable; for text, omit '${ }'")
  }

  /// What to do where the name is not a variable's, but that of an operation or a queue.
  private func objectHelp(_ name: String) -> String? {
    guard let object = context.host.object(named: name, in: context) else { return nil }
    return "'\(name)' is \(object.describedType); use one of its properties: ${\(name).name}"
  }

  /// The operation, the queue or the variable that `${name.property}` is about.
  func referenced(_ name: String, _ symbol: Symbol?, _ range: SourceRange) throws -> Value {
    guard let value = variable(named: name, symbol) else { return try object(name, range) }
    guard let other = subject?.property(name) ?? context.host.object(named: name, in: context)
    else { return try readable(value, range) }
    throw failure(
      .ambiguousName, "'\(name)' is a variable and \(other.describedType)", range,
      help: Diagnostic.helpForBoth(name, other.typeName))
  }

  func variable(_ symbol: Symbol?) -> Value? { symbol.flatMap { context.scope.value(of: $0) } }

  private func variable(named name: String, _ symbol: Symbol?) -> Value? {
    variable(symbol) ?? (name == "env" ? environment : nil)
  }

  // MARK: Absent values

  /// The value on the left of `??`; nil where it is null or absent.
  ///
  /// A record key, a list element, an argument and an environment variable can be absent. Only a
  /// misspelling makes an operation lack a property, which stays an error.
  func present(_ expression: Expression) throws -> Value? {
    let value: Value
    switch expression.kind {
    case .variable(let name):
      if let number = Int(name), number > context.arguments.count { return nil }
      value = try evaluate(expression)
    case .name(let name):
      let found =
        try subject?.property(name)
        ?? named(name, expression.symbol, expression.range)
      value = try readable(found, expression.range)
    case .property(let base, _, _) where base.isEnvironment: value = try evaluate(expression)
    case .property(let base, let name, let range):
      guard let whole = try present(base) else { return nil }
      if case .record = whole, whole.property(name) == nil { return nil }
      value = try property(name, of: whole, range)
    case .element(let base, let index):
      guard let whole = try present(base) else { return nil }
      value = try element(whole, index, expression.range)
    default: value = try evaluate(expression)
    }
    if case .null = value { return nil }
    return value
  }

  /// An element of a value, or null where it is absent.
  private func element(
    _ whole: Value, _ index: Expression, _ range: SourceRange
  ) throws -> Value {
    let index = try evaluate(index)
    switch (whole, index.unspelled) {
    case (.list(let values), .integer(let number)):
      return Self.position(of: number, in: values).map { values[$0] } ?? .null
    case (.record, .string(let key)): return whole.property(key) ?? .null
    default: return try element(whole, at: index, range)
    }
  }

  // MARK: Pieces of words

  /// The value of a variable or of `${ … }` in a word.
  ///
  /// In `$name.json` a dot that no property follows is text, where the value before it is a text,
  /// a number or the like.
  func value(of expression: Expression, in segment: Word.Segment) throws -> Value {
    guard case .property = expression.kind, !segment.isBraced else {
      return try evaluate(expression)
    }
    switch try path(expression) {
    case .value(let value): return value
    case .text(let text): return .string(text)
    }
  }

  private enum Path {
    case value(Value)
    /// A value with the rest of the path after it.
    case text(String)
  }

  private func path(_ expression: Expression) throws -> Path {
    if expression.depth > 16, CallStack.isNearlyFull {
      return .value(try evaluate(expression))
    }
    switch expression.kind {
    case .property(let base, _, _) where base.isEnvironment:
      return .value(try evaluate(expression))
    case .property(let base, let name, let range):
      switch try path(base) {
      case .text(let text): return .text("\(text).\(name)")
      case .value(let value):
        if value.isPlain, value.property(name) == nil { return .text("\(value.text).\(name)") }
        return .value(try property(name, of: value, range))
      }
    case .element(let base, let index):
      let whole: Value =
        switch try path(base) {
        case .text(let text): .string(text)
        case .value(let value): value
        }
      return .value(try element(whole, at: evaluate(index), expression.range))
    default: return .value(try evaluate(expression))
    }
  }

  /// The error of a null that is to become a part of a text.
  func nullInText(_ range: SourceRange, _ value: Value) -> Diagnostic {
    let written = source.text(in: range)
    if case .list = value {
      return failure(
        .noValue, "\(Diagnostic.shown(written)) holds null and cannot be part of a text", range,
        help: UnplacedError.helpForNull)
    }
    return failure(
      .noValue, "\(Diagnostic.shown(written)) is null and cannot be part of a text", range,
      help: Diagnostic.helpForDefault(written))
  }
}

extension Expression {
  /// Whether it is `$env`, or perhaps that in `${env.NAME}`.
  public var isEnvironment: Bool {
    switch kind {
    case .variable("env"), .reference("env"): true
    default: false
    }
  }
}

extension Diagnostic {
  /// How a name is written that both a variable and an operation or a queue have.
  static func helpForBoth(_ name: String, _ kind: String) -> String {
    "write '${$\(name).…}' for the variable and '${(\(name).…)}' for the \(kind)"
  }

  /// How a null value gets a default: `"${name ?? …}"`.
  static func helpForDefault(_ written: String) -> String {
    var path = written[...]
    if path.hasPrefix("${"), path.hasSuffix("}") {
      path = path.dropFirst(2).dropLast()
    } else if path.dropFirst().utf8.allSatisfy({ $0.isNamePart || $0 == .dot }),
      path.dropFirst().utf8.first?.isNameStart == true
    {
      path.removeFirst()
    }
    let shown = path.count > 40 || path.contains("\n") ? "…" : path
    return "give it a default: \"${\(shown) ?? \"none\"}\""
  }

  /// A piece of a script in quotes, not too long.
  static func shown(_ written: String) -> String {
    written.count > 40 || written.contains("\n") ? "this" : "'\(written)'"
  }
}

extension ErrorPage {
  static let undefinedVariable = ErrorPage(
    "undefined-variable", "There is no such variable",
    """
    A variable exists from its 'let' on, in the block it stands in and those inside. The \
    variable of a 'for', the name of a 'catch' and parameters live in their block only. \
    '${name}' is the variable too.
    """,
    help: "'let NAME = VALUE' makes a variable", wrong: "let name = 1\necho $nmae",
    right: "let name = 1\necho $name")

  static let ambiguousName = ErrorPage(
    "ambiguous-name", "A variable and an operation or a queue have the same name",
    """
    In '${name.property}' the name is that of an operation or a queue, or of a variable if only a \
    variable has it. Where both have it, write '${$name.property}' for the variable and \
    '${(name.property)}' for the operation or the queue.
    """,
    wrong: "let a = delay 1ms --name a\necho \"${a.state}\"",
    right: "let a = delay 1ms --name a\necho \"${$a.state} ${(a.state)}\"")

  package static let noValue = ErrorPage(
    "no-value", "A value is required, and it is null",
    """
    What has not happened yet, or does not exist, is null. Null has no properties, and cannot be \
    part of a text, a name or the value of an option. 'A ?? B' is B where A is null or absent.
    """,
    help: "test it first: if ($value) { … }, or give it a default: ($value ?? 0)",
    wrong: "let q = delay 1ms\nwait $q\necho $q.error.message",
    right: "let q = delay 1ms\nwait $q\nif ($q.error) { echo $q.error.message }",
    proof: .running)
}
