import Foundation
import OpshLocking

/// The thread for running statements.
///
/// Statements can be nested 1,000 deep, and some of them take many kilobytes of stack each; the
/// stack of the main thread has the size of `ulimit -s`, which may be small.
enum InterpreterThread {
  /// Memory of a stack is taken only as it is used.
  private static let stackSize = 128 << 20

  /// Runs work on a thread with a large stack, and waits for it.
  static func run(_ work: @escaping @Sendable () -> Int32) -> Int32 {
    let status = Locked<Int32>(1)
    let ended = DispatchSemaphore(value: 0)
    let refusal = RawThread.start(
      name: ThreadName.interpreter, stackSize: stackSize, isQuiet: false
    ) {
      let result = work()
      status.withLock { $0 = result }
      ended.signal()
    }
    // The system may have no room for a large stack: on this one less can be nested.
    guard refusal == nil else { return work() }
    ended.wait()
    return status.withLock { $0 }
  }
}
