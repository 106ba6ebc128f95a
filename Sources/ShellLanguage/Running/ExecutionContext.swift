/// Where a statement runs: its variables, its text, its thread.
///
/// A host may keep one to run a block later, on the same thread; ``forLater(userInfo:)`` is for a
/// block that may run on another one.
public final class ExecutionContext: @unchecked Sendable {
  // @unchecked because one thread runs statements in it, and only that changes the scope. A host,
  // which may keep a context, gets one of its own.

  let state: InterpreterState
  /// The host of the state.
  package let host: any CommandHost
  let globals: Scope
  /// The scope of the innermost running block.
  @exclusivity(unchecked) private(set) var scope: Scope
  let execution: Execution

  /// The words that `$1` and so on stand for.
  public let arguments: [String]

  /// The text that the running statements stand in.
  public let source: SourceText

  /// Whether this is the body of an operation on a thread of its own, where outer variables
  /// cannot be assigned.
  public let isBody: Bool

  /// Whatever the host wants to find again in this context and those inside it.
  public let userInfo: (any Sendable)?

  init(
    state: InterpreterState, globals: Scope, scope: Scope, source: SourceText, execution: Execution,
    arguments: [String], isBody: Bool, userInfo: (any Sendable)?
  ) {
    self.state = state
    host = state.host
    self.globals = globals
    self.scope = scope
    self.source = source
    self.execution = execution
    self.arguments = arguments
    self.isBody = isBody
    self.userInfo = userInfo
  }

  /// Where the statement that runs now stands.
  public var currentRange: SourceRange { execution.range }

  /// Returns the value of a variable that can be seen from here.
  public func variable(_ name: String) -> Value? { scope.value(of: name) }

  /// All variables that can be seen from here.
  public var variables: [String: Value] { scope.visible() }

  /// Gives a variable a value in this very scope.
  public func setVariable(_ name: String, _ value: Value) {
    scope.define(Symbol(name), value)
  }

  /// The commands that scripts have defined.
  public var definitions: [CommandSignature] { state.definedSignatures }

  /// Returns the statement that has defined a command, as it was written.
  public func definitionText(of name: String) -> String? {
    state.definedCommand(name).map { command in
      let definition = command.definition
      return "def "
        + command.source.text(in: definition.name.range.union(definition.block.range))
    }
  }

  /// Returns whether a script has defined a command or an alias of a name.
  public func defines(_ name: String) -> Bool {
    state.meaning(of: Symbol(name)) != nil
  }

  /// Returns the same context with other information of the host.
  public func with(userInfo: (any Sendable)?) -> ExecutionContext {
    ExecutionContext(
      state: state, globals: globals, scope: scope, source: source, execution: execution,
      arguments: arguments, isBody: isBody, userInfo: userInfo)
  }

  /// Returns the same place for a block that runs later on the interpreter's thread.
  ///
  /// The thread of a body goes on meanwhile, and both use the same variables.
  public func forLater(userInfo: (any Sendable)?) -> ExecutionContext {
    if isBody { scope.share() }
    return ExecutionContext(
      state: state, globals: globals, scope: scope, source: source,
      execution: isBody ? Execution() : execution, arguments: arguments, isBody: isBody,
      userInfo: userInfo)
  }

  /// Returns the same place without variables, for expressions that read none, on any thread.
  public func withoutVariables() -> ExecutionContext {
    let empty = Scope()
    return ExecutionContext(
      state: state, globals: empty, scope: empty, source: source, execution: Execution(),
      arguments: arguments, isBody: isBody, userInfo: userInfo)
  }

  /// Runs a block in a scope of its own inside this one.
  @discardableResult
  public func run(_ block: Block, bindings: [String: Value] = [:]) throws -> Value {
    let inner = Scope(parent: scope)
    for (name, value) in bindings { inner.define(Symbol(name), value) }
    let context = ExecutionContext(
      state: state, globals: globals, scope: inner, source: block.source, execution: execution,
      arguments: arguments, isBody: isBody, userInfo: userInfo)
    if case .normal(let value) = try context.perform(block.statements) { return value }
    return .null
  }

  /// Runs the statements of a script at this place, as `source FILE` does.
  ///
  /// - Parameters:
  ///   - script: The script; statements that could not be read are errors unless skipped.
  ///   - arguments: What `$1`, `$2` … stand for in it; nil keeps those of this context.
  ///   - statements: The indices of the statements to run; nil for all.
  ///   - skipped: The indices of statements to leave out.
  ///   - recover: Asked about each error; true goes on with the next statement.
  ///   - began: Called with the index of each statement before it runs.
  ///   - completed: Called with the index of each statement that ended without an error.
  /// - Returns: The value of the last statement.
  /// - Throws: The first error that `recover` does not take.
  @discardableResult
  public func run(
    _ script: Script, arguments: [String]? = nil, statements: Range<Int>? = nil,
    skipping skipped: Set<Int> = [], recover: ((Diagnostic) -> Bool)? = nil,
    began: (Int) -> Void = { _ in }, completed: (Int) -> Void = { _ in }
  ) throws -> Value {
    let context = ExecutionContext(
      state: state, globals: globals, scope: scope, source: script.source,
      execution: execution, arguments: arguments ?? self.arguments, isBody: isBody,
      userInfo: userInfo)
    return try context.performTopLevel(
      script, statements ?? script.statements.indices, skipping: skipped, recover: recover,
      began: began, completed: completed)
  }

  /// Evaluates an expression.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - subject: Of what bare words name properties, as `--where` needs it; nil leaves each a
  ///     string.
  /// - Returns: Its value.
  /// - Throws: A `Diagnostic` at the part that is to blame.
  public func evaluate(
    _ expression: Expression, subject: Value? = nil
  ) throws -> Value {
    try Evaluator(
      context: self, source: expression.source ?? source, subject: subject
    ).evaluate(expression)
  }

  /// Returns whether a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - subject: Of what bare words name properties; nil leaves each a string.
  /// - Returns: Whether its value counts as true.
  /// - Throws: A `Diagnostic` at the part that is to blame; also where the value is a text.
  public func holds(_ condition: Expression, subject: Value? = nil) throws -> Bool {
    try Evaluator(
      context: self, source: condition.source ?? source, subject: subject
    ).holds(condition)
  }

  /// Captures the present variables, for a block that runs on another thread.
  public func captured() -> CapturedContext {
    CapturedContext(
      state: state, scope: Scope(freezing: scope), globals: Scope(freezing: globals),
      source: source, arguments: arguments)
  }

  /// Makes an error of running, placed at the statement that runs now.
  public func failure(_ page: ErrorPage, _ message: String, help: String? = nil) -> Diagnostic {
    Diagnostic(page, message, source: source, range: execution.range, help: help, phase: .running)
  }

  /// Runs the statements of a block in a scope inside this one.
  ///
  /// The caller has the scope back afterwards: a loop uses it for the next turn as well.
  func perform(_ block: Block, in inner: inout Scope) throws -> Completion {
    swap(&scope, &inner)
    defer { swap(&scope, &inner) }
    return try perform(block.statements)
  }

  /// Runs the statements of a block in a scope of its own.
  func perform(_ block: Block) throws -> Completion {
    var inner = Scope(parent: scope)
    return try perform(block, in: &inner)
  }

  /// A context of its own for the host, which may keep it.
  var kept: ExecutionContext { with(userInfo: userInfo) }
}
