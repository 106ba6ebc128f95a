import Operations

/// An asynchronous operation whose hooks a test gives, and which otherwise does nothing.
final class Hooked: ConcurrentOperation<Int>, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.
  typealias Hook = @Sendable (Hooked) -> Void

  private let onExecute: Hook
  private let onCancel: Hook
  private let onSummary: Hook

  init(
    name: String? = nil, engine: OperationEngine, onExecute: @escaping Hook = { _ in },
    onCancel: @escaping Hook = { _ in }, onSummary: @escaping Hook = { _ in },
    completionHandler: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    self.onExecute = onExecute
    self.onCancel = onCancel
    self.onSummary = onSummary
    super.init(name: name, engine: engine, completionHandler: completionHandler)
  }

  override func execute() { onExecute(self) }
  override func cancelExecution() { onCancel(self) }

  override var outcomeSummary: String? {
    onSummary(self)
    return nil
  }
}
