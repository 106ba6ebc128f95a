import COpshCurl
import Foundation
import OpshLocking
import OpshSupport
import OpshSystemCalls

/// Runs all transfers of a transport on one thread.
///
/// Other threads only put messages into the inbox. All libcurl objects, and every submitted
/// transfer, are used on the engine's thread only.
final class CurlEngine: Sendable {
  enum Message: Sendable {
    case submit(CurlTransfer)
    case cancel(Int)
    case resume(Int)
    /// The speed of the clock has changed.
    case clockChanged
    case stop
  }

  private struct Inbox {
    var messages: [Message] = []
    var hasThread = false
    var isStopped = false
    /// The thread, after it has started.
    var thread: pthread_t?
    /// The reason if no transfer is possible at all.
    var failure: NetworkError?
    /// Whether the thread waits or is about to wait.
    var isSleeping = false
    /// The library and the wake-up while the thread may be woken; set and removed by the thread.
    var threadAccess: (library: CurlLibrary, wakeUp: WakeUp)?
    /// When the thread could carry out transfers.
    var readySince: ContinuousClock.Instant?
    /// Idle handles.
    var idleHandles: [CurlHandle] = []
  }

  let width: Int
  let clock: PacedClock
  let time: LoopTime
  private let inbox = Locked(Inbox())
  /// Entered while the thread exists.
  private let threads = DispatchGroup()

  private let makeThread: @Sendable (@escaping @Sendable () -> Void) -> Int32?

  /// - Parameters:
  ///   - width: The maximum number of transfers at once.
  ///   - clock: What time limits and timings go by.
  ///   - makeThread: Starts a thread; returns the system's error number if it refuses.
  init(
    width: Int, clock: PacedClock = PacedClock(),
    makeThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Int32? = {
      // The threads that libcurl starts for name lookups inherit the mask of signals too.
      RawThread.start(name: ThreadName.network, stackSize: 1 << 20, $0)
    }
  ) {
    (self.width, self.clock, self.makeThread) = (width, clock, makeThread)
    time = LoopTime(clock)
  }

  /// When the thread could carry out transfers; nil before.
  var readySince: ContinuousClock.Instant? { inbox.withLock { $0.readySince } }

  func submit(_ transfer: CurlTransfer) {
    startThread()
    prepare(transfer)
    guard !post(.submit(transfer)) else { return }
    if case .success(let library) = CurlLibrary.shared { transfer.free(library) }
    let reason = inbox.withLock { $0.failure } ?? .cancelled
    // Not from inside `start`: the caller may hold a lock that the delegate needs.
    DispatchQueue.global().async { transfer.complete(.failure(reason)) }
  }

  /// Sets up an idle handle for a transfer, if there is one.
  ///
  /// The engine's thread can do that too, but all requests share it, while this runs on the
  /// caller's thread.
  private func prepare(_ transfer: CurlTransfer) {
    guard (try? transfer.request.validate()) != nil,
      let (handle, library) = takeIdleHandle()
    else { return }
    transfer.configure(handle, library)
  }

  /// An idle handle; nil if a new one has to be created.
  func takeIdleHandle() -> (handle: CurlHandle, library: CurlLibrary)? {
    inbox.withLock { inbox in
      guard let library = inbox.threadAccess?.library, let handle = inbox.idleHandles.popLast()
      else {
        return nil
      }
      return (handle, library)
    }
  }

  /// Sends a message to the thread; returns false after a request to stop.
  @discardableResult
  func post(_ message: Message) -> Bool {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return false }
      if case .stop = message { inbox.isStopped = true }
      inbox.messages.append(message)
      // Waking costs a system call, so only a sleeping thread is woken, and only once.
      if inbox.isSleeping, let wakeUp = inbox.threadAccess?.wakeUp {
        inbox.isSleeping = false
        wakeUp.signal()
      }
      return true
    }
  }

  func stop() { post(.stop) }

  /// Waits until the thread has ended or was never started; returns false after the limit, and on
  /// the thread itself.
  func waitForEnd(within limit: Duration) -> Bool {
    if let thread = inbox.withLock({ $0.thread }), pthread_equal(thread, pthread_self()) != 0 {
      return false
    }
    let milliseconds = min(limit.wholeMilliseconds, 3_600_000)
    return threads.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  func startThread() {
    let mustStart = inbox.withLock { inbox in
      guard !inbox.hasThread, !inbox.isStopped else { return false }
      inbox.hasThread = true
      return true
    }
    guard mustStart else { return }
    threads.enter()
    let refusal = makeThread { [self] in
      inbox.withLock { $0.thread = pthread_self() }
      CurlLoop(engine: self).run()
      // The descriptor's number may be reused from now on.
      inbox.withLock { $0.thread = nil }
      threads.leave()
    }
    guard let refusal else { return }
    // Elsewhere, as in `submit`: others may have submitted transfers meanwhile.
    DispatchQueue.global().async { [self] in
      let reason = String(cString: strerror(refusal))
      giveUp(.transportUnavailable("the system refused a thread: \(reason)"))
      threads.leave()
    }
  }

  // MARK: For the thread

  func announce(_ library: CurlLibrary, _ wakeUp: WakeUp, at start: ContinuousClock.Instant) {
    inbox.withLock { inbox in
      inbox.threadAccess = (library, wakeUp)
      inbox.readySince = start
    }
  }

  /// Disables idle handles for other threads.
  func withdraw() -> [CurlHandle] {
    inbox.withLock { inbox in
      inbox.threadAccess = nil
      defer { inbox.idleHandles = [] }
      return inbox.idleHandles
    }
  }

  /// Stores an idle handle for a later transfer; returns whether there was room for it.
  func keep(_ handle: CurlHandle) -> Bool {
    inbox.withLock { inbox in
      guard inbox.threadAccess != nil, inbox.idleHandles.count < width else { return false }
      inbox.idleHandles.append(handle)
      return true
    }
  }

  /// Rejects all transfers for the given reason, also those that were submitted.
  func giveUp(_ reason: NetworkError) {
    inbox.withLock { inbox in
      inbox.isStopped = true
      inbox.failure = reason
    }
    for case .submit(let transfer) in takeMessages() { transfer.complete(.failure(reason)) }
  }

  func takeMessages() -> [Message] {
    inbox.withLock { inbox in
      inbox.isSleeping = false
      defer { inbox.messages = [] }
      return inbox.messages
    }
  }

  /// Returns whether the thread may sleep; a message from then on wakes it.
  func mayFallAsleep() -> Bool {
    inbox.withLock { inbox in
      guard inbox.messages.isEmpty else { return false }
      inbox.isSleeping = true
      return true
    }
  }
}
