/// The variables as they were at one moment, for a block that runs on another thread.
public struct CapturedContext: Sendable {
  let state: InterpreterState
  let scope: Scope
  let globals: Scope
  let source: SourceText
  let arguments: [String]

  /// Runs a block on the calling thread, in a scope of its own.
  @discardableResult
  public func run(
    _ block: Block, bindings: [String: Value] = [:], userInfo: (any Sendable)? = nil
  ) throws -> Value {
    let context = ExecutionContext(
      state: state, globals: globals, scope: scope, source: source, execution: Execution(),
      arguments: arguments, isBody: true, userInfo: userInfo)
    return try context.run(block, bindings: bindings)
  }
}
