import Dispatch
import OpshLocking

/// Keeps observers and handlers from running out of stack, which `DeepCallTests` tests.
///
/// If an observer finishes the next operation, whose observer finishes the next, and so on, the calls
/// are nested, because their effects happen before they return. A few thousand of them fill the
/// stack of a thread. So if little stack is left, the call is made on another thread and waited for.
enum StackOverflowGuard {
  private static let freshSize = 8 << 20
  /// Leaves what the engine and one observer need.
  private static let stack = CallStack(reserve: 192 << 10)

  /// Whether the stack of this thread is nearly full.
  @inline(__always) static var isShort: Bool { stack.isShort }

  /// Makes a call, and where this stack is nearly full, makes it on another one.
  static func call(_ body: @escaping @Sendable () -> Void) {
    if isShort { callElsewhere(body) } else { body() }
  }

  /// Makes a call on another stack, and waits for it.
  @inline(never) static func callElsewhere(_ body: @escaping @Sendable () -> Void) {
    // The code is still that of the same operations, which it cannot wait for.
    let (current, enclosing) = (ObservableOperation.current, EnclosingOperations.present)
    let done = DispatchSemaphore(value: 0)
    let failure = BodyThread.start(stackSize: freshSize) {
      ObservableOperation.$current.withValue(current) {
        EnclosingOperations.$present.withValue(enclosing, operation: body)
      }
      done.signal()
    }
    if failure == nil { done.wait() } else { body() }
  }
}
