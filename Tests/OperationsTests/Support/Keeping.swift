import Dispatch
import Operations

/// An asynchronous operation that is counted while it is alive, and ends when the test says so.
final class Keeping: ConcurrentOperation<Int>, @unchecked Sendable {
  // @unchecked because the superclass is; what this class adds is constant.
  private let resident: Census.Resident
  private let began = DispatchSemaphore(value: 0)

  init(_ census: Census, name: String? = nil, engine: OperationEngine) {
    resident = census.resident()
    super.init(name: name, engine: engine)
  }

  override func execute() { began.signal() }

  /// Waits until `execute()` was called.
  func waitUntilBegun() -> Bool { began.wait(timeout: .now() + 60) == .success }
}
