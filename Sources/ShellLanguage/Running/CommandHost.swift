/// What gives the language its commands and its objects.
public protocol CommandHost: AnyObject, Sendable {
  /// All commands.
  var catalog: CommandCatalog { get }

  /// Runs a command and returns its value, which `let` keeps; `.null` for none.
  func run(_ call: CommandCall, in context: ExecutionContext) throws -> Value

  /// Returns the object of a bare word before a dot, or nil if there is nothing of that name.
  func object(named name: String, in context: ExecutionContext) -> Value?

  /// Returns the elements that `count of NAME` counts, or nil if there is no such collection.
  func collection(named name: String) -> [Value]?

  /// Returns the present value of a count that the host maintains; nil if it does not.
  ///
  /// - Parameter clause: A count that is not inside the condition of another one.
  /// - Returns: The number, or nil to have the things counted.
  /// - Throws: What evaluating the condition throws.
  func keptNumber(of clause: CountClause) throws -> Int?

  /// Called before the condition of a `count of …` is evaluated for an element.
  func willCount()

  /// Returns the operations that a word of `for` stands for.
  ///
  /// - Throws: An `UnplacedError` if a pattern matches none.
  func operations(in selection: OperationSelection) throws -> [Value]

  /// Returns names that come close to one that `object(named:in:)` did not know.
  func suggestions(forObject name: String) -> [String]

  /// Says what became of a name that `object(named:in:)` does not know, if the host knows.
  func explanation(forMissing name: String) -> UnplacedError?

  /// Runs what has been waiting, such as handlers; called after each statement and each turn of a
  /// loop on the interpreter's own thread.
  func betweenStatements() throws

  /// Throws if the run has to stop; called before each statement and each turn of a loop, on every
  /// thread.
  func checkInterrupt(in context: ExecutionContext) throws

  /// Called before each statement, so that a run can be followed.
  func willRun(_ statement: Statement, in context: ExecutionContext)

  /// Called when a variable, a parameter or a name of `for` is about to have a value, or a variable of
  /// the environment is read, so that the host knows which texts are secret.
  func willBind(_ name: String, to value: Value)

  /// Whether an error is a request, such as to leave the shell, not a failure: no `try` catches it.
  ///
  /// The host says it by the types of its errors. A protocol for them would have to be looked for
  /// among all there are when the shell is left, and that costs more than leaving it.
  func isControlTransfer(_ error: any Error) -> Bool

  /// Called when such an order leaves a statement, with the innermost one first.
  func willLeave(_ statement: Statement, in context: ExecutionContext)

  /// Prints the value of `( … )`.
  func show(_ value: Value) throws

  /// Runs `body` while the text it prints goes elsewhere.
  ///
  /// - Parameters:
  ///   - redirection: Where to.
  ///   - body: Runs the statement.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or that the file or program cannot be opened.
  func withRedirectedOutput(
    _ redirection: Redirection, _ body: () throws -> Value
  ) throws -> Value
}

extension CommandHost {
  /// Does nothing: not every host has secrets.
  public func willBind(_ name: String, to value: Value) {}
}
