import Foundation

/// Tells how much of a thread's stack has been used since a place further up.
///
/// The C library knows how large a stack is, but not portably; what one may use of it is told.
struct StackGuard: Sendable {
  private let base: Int
  private let budget: Int

  /// Begins to count here, on this thread.
  init(budget: Int) {
    self.budget = budget
    self.base = Self.address()
  }

  /// Whether more than the budget is used; stacks grow downwards on every platform we run on.
  var isExhausted: Bool { base - Self.address() > budget }

  /// About where the stack stands.
  @inline(never)
  private static func address() -> Int {
    var marker: UInt8 = 0
    return withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
  }
}

/// Runs work that recurses deeply on a thread with a large stack.
///
/// Memory of a stack is taken only as it is used, so that a shallow run costs little.
enum RoomyStack {
  /// What may be used on any thread, however small its stack.
  static let cheapBudget = 128 * 1024
  /// What may be used on the large stack.
  static let budget = size - 1024 * 1024
  private static let size = 64 * 1024 * 1024

  /// Runs a body on a thread of its own and waits for it.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
    start(body).value()
  }

  /// Starts a body on a thread of its own.
  static func start<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) -> Outcome<Result> {
    let outcome = Outcome<Result>()
    let thread = Thread {
      outcome.result = body()
      outcome.done.signal()
    }
    thread.stackSize = size
    thread.start()
    return outcome
  }

  /// What a body gives that runs on a thread of its own.
  final class Outcome<Result: Sendable>: @unchecked Sendable {
    // @unchecked because `result` is written before `done` is signalled and read only after it.
    fileprivate var result: Result?
    fileprivate let done = DispatchSemaphore(value: 0)

    /// Waits for the body and returns what it gave.
    func value() -> Result {
      done.wait()
      // For whoever asks again.
      done.signal()
      guard let result else {
        preconditionFailure("the thread signals only when it has a result")
      }
      return result
    }
  }
}
