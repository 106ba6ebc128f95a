import Dispatch
import Foundation
import Locking

/// Starts threads on behalf of threads whose priority was lowered, and where none could be started
/// before.
///
/// A thread inherits the priority of the one that starts it, and cannot raise it without a
/// permission. So what may start a thread is done by a thread that never had its priority lowered.
/// That thread exists before threads become scarce: without one libdispatch would let the caller of
/// its timer sleep until there is one, perhaps for ever.
enum ThreadStarter {
  private final class Helper: Sendable {
    let line = Locked(FIFO<@Sendable () -> Void>())
    let call = DispatchSemaphore(value: 0)

    func run(_ body: @escaping @Sendable () -> Void) {
      line.withLock { $0.append(body) }
      call.signal()
    }

    func serve() {
      while true {
        call.wait()
        line.withLock { $0.popFirst() }?()
      }
    }
  }

  /// What marks a thread whose priority was lowered.
  private static let mark: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Nil if the system has no thread for it; then threads inherit a low priority.
  private static let helper: Helper? = {
    let helper = Helper()
    return BodyThread.start { helper.serve() } == nil ? helper : nil
  }()

  /// Makes the helper ready; to be called before the first thread of a pool is started.
  static func prepare() {
    _ = helper
  }

  /// Calls `body` after a time.
  static func perform(after interval: DispatchTimeInterval, _ body: @escaping @Sendable () -> Void)
  {
    guard let helper else {
      return DispatchQueue(label: "opsh.operations.threads")
        .asyncAfter(deadline: .now() + interval, execute: body)
    }
    helper.run {
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + interval)
      body()
    }
  }

  /// Notes that the priority of the calling thread was lowered.
  static func markThread() {
    if let mark { pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1)) }
  }

  /// Calls `body`, which may start threads: here, or elsewhere and later if the priority of this
  /// thread was lowered.
  @inline(__always) static func perform(_ body: @escaping @Sendable () -> Void) {
    guard let mark, pthread_getspecific(mark) != nil, let helper else { return body() }
    helper.run(body)
  }
}
