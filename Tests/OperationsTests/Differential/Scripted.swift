import Operations

/// An asynchronous operation that runs a body and ends, unless the body has ended it.
final class Scripted: ConcurrentOperation<Int>, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.
  private let given: Result<Int, any Error>
  private let body: @Sendable () -> Void

  init(
    engine: OperationEngine, result: Result<Int, any Error> = .success(1),
    body: @escaping @Sendable () -> Void
  ) {
    given = result
    self.body = body
    super.init(engine: engine)
  }

  override func execute() {
    body()
    finish(given)
  }
}
