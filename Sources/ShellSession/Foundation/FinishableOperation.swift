package import FoundationProcess
package import Operations
package import ShellLanguage

/// An operation that goes on executing when its body has ended, until `finish` ends it.
package protocol FinishableOperation: ObservableOperation {
  /// Whether its body may still run any command.
  var mayRunBody: Bool { get }

  /// The mistakes of its code.
  var mistakes: RawOperationPlan.Mistakes { get }

  /// Its completion handler, if that is called after the end, as a mistake; nil for none.
  var lateHandler: LateHandler? { get }

  /// Whether the work of its present attempt has begun; that of an executing operation is about to.
  var hasBegun: Bool { get }

  /// Finishes it with a result, as its own code, a handler or another body would.
  ///
  /// - Parameters:
  ///   - result: The value or the error.
  ///   - caller: The operation whose body calls; nil for the interpreter's thread.
  /// - Throws: Why it can't be finished now.
  func finishFromOutside(
    _ result: Result<Value, any Error>, by caller: ObservableOperation?
  ) throws(AsyncOperation.Refusal)
}
