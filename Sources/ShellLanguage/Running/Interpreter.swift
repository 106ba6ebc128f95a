/// Runs scripts for a host.
///
/// One interpreter keeps the variables and definitions of one session. It is used from one thread;
/// blocks that run elsewhere go through `ExecutionContext.captured()`.
///
/// ```swift
/// let interpreter = Interpreter(host: host, arguments: ["30"], environment: [:])
/// let script = Parser.parse(SourceText(name: "-c", text: "echo hello"))
/// try interpreter.run(script)
/// ```
public final class Interpreter: Sendable {
  private let state: InterpreterState
  private let globals: Scope
  private let arguments: [String]

  /// Creates an interpreter.
  ///
  /// - Parameters:
  ///   - host: Has the commands and objects.
  ///   - arguments: What `$1`, `$2` … stand for.
  ///   - environment: What `$env` stands for.
  public init(
    host: any CommandHost, arguments: [String] = [], environment: [String: String] = [:]
  ) {
    self.state = InterpreterState(host: host, environment: environment)
    self.globals = Scope()
    self.arguments = arguments
  }

  /// Creates an interpreter for another session, which has the definitions and aliases of this one and
  /// none of its variables.
  ///
  /// - Parameter host: Has the commands and objects of that session.
  /// - Returns: The interpreter.
  public func successor(host: any CommandHost) -> Interpreter {
    Interpreter(
      state: InterpreterState(host: host, keeping: state), arguments: arguments)
  }

  private init(state: InterpreterState, arguments: [String]) {
    self.state = state
    self.globals = Scope()
    self.arguments = arguments
  }

  /// Makes a context at the top level, for a run that begins on this thread.
  public func makeContext(
    source: SourceText = SourceText(name: "<prompt>", text: "")
  ) -> ExecutionContext {
    ExecutionContext(
      state: state, globals: globals, scope: globals, source: source,
      execution: Execution(), arguments: arguments, isBody: false,
      userInfo: nil)
  }

  /// Runs the statements of a script, as
  /// ``ExecutionContext/run(_:arguments:statements:skipping:recover:began:completed:)`` does.
  @discardableResult
  public func run(
    _ script: Script, statements: Range<Int>? = nil, skipping skipped: Set<Int> = [],
    recover: ((Diagnostic) -> Bool)? = nil, began: (Int) -> Void = { _ in },
    completed: (Int) -> Void = { _ in }
  ) throws -> Value {
    try makeContext(source: script.source).run(
      script, statements: statements, skipping: skipped, recover: recover, began: began,
      completed: completed)
  }

  /// The variables at the top level.
  public var variables: [String: Value] { globals.visible() }

  /// The commands that scripts have defined.
  public var definitions: [CommandSignature] { state.definedSignatures }
}
