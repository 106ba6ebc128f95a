import Dispatch
import Foundation
import OpshLocking
import OpshSupport

/// Starts threads on behalf of threads whose priority was lowered, and where none could be started
/// before.
///
/// A thread inherits the priority of the one that starts it, and cannot raise it without a
/// permission. So what may start a thread is done by a thread that never had its priority lowered.
/// That thread exists before threads become scarce: without one libdispatch would let the caller of
/// its timer sleep until there is one, perhaps for ever.
enum ThreadStarter {
  typealias Work = @Sendable () -> Void

  private final class Helper: Sendable {
    private struct State {
      var line = FIFO<Work>()
      /// What is to be done later; a pool has one of these at most.
      var later: [(deadline: DispatchTime, work: Work)] = []

      /// Takes what is to be done now; without such, says when there will be something.
      mutating func takeNext() -> (work: Work?, deadline: DispatchTime?) {
        let next = later.indices.min { later[$0].deadline < later[$1].deadline }
        if let next, later[next].deadline <= .now() { return (later.remove(at: next).work, nil) }
        return (line.popFirst(), next.map { later[$0].deadline })
      }
    }

    private let state = Locked(State())
    private let call = DispatchSemaphore(value: 0)

    func run(_ work: @escaping Work) {
      state.withLock { $0.line.append(work) }
      call.signal()
    }

    func run(at deadline: DispatchTime, _ work: @escaping Work) {
      state.withLock { $0.later.append((deadline, work)) }
      call.signal()
    }

    func serve() {
      while true {
        let (work, deadline) = state.withLock { $0.takeNext() }
        if let work { work() } else { _ = call.wait(timeout: deadline ?? .distantFuture) }
      }
    }
  }

  /// What marks a thread whose priority was lowered.
  private static let mark: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// The helper; nil while the system has no thread for it, so that threads inherit a low priority.
  private static let helper = Locked<Helper?>(nil)

  private static var isThreadLowered: Bool {
    mark.map { pthread_getspecific($0) != nil } ?? false
  }

  /// Makes the helper ready, if the system has a thread for it; to be called before a thread of a
  /// pool is started.
  static func prepare() {
    // It would inherit the low priority.
    guard !isThreadLowered else { return }
    helper.withLock { helper in
      guard helper == nil else { return }
      let new = Helper()
      if BodyThread.start(name: ThreadName.starter, { new.serve() }) == nil { helper = new }
    }
  }

  /// Calls `body` after a time.
  static func perform(after interval: DispatchTimeInterval, _ body: @escaping Work) {
    let deadline = DispatchTime.now() + interval
    guard let helper = helper.withLock({ $0 }) else {
      return DispatchQueue(label: "opsh.operations.threads")
        .asyncAfter(deadline: deadline, execute: body)
    }
    helper.run(at: deadline, body)
  }

  /// Notes that the priority of the calling thread was lowered.
  static func markThread() {
    if let mark { pthread_setspecific(mark, UnsafeRawPointer(bitPattern: 1)) }
  }

  /// Calls `body`, which may start threads: here, or elsewhere and later if the priority of this
  /// thread was lowered.
  @inline(__always) static func perform(_ body: @escaping Work) {
    guard isThreadLowered, let helper = helper.withLock({ $0 }) else { return body() }
    helper.run(body)
  }
}
