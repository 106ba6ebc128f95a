import CCurl
import Foundation
import Locking

/// Runs all transfers of a transport on one thread.
///
/// Other threads only put messages into the inbox. Everything that libcurl owns, and every
/// transfer once it is submitted, belongs to the thread alone.
final class CurlEngine: Sendable {
  enum Message: Sendable {
    case submit(CurlTransfer)
    case cancel(Int)
    case resume(Int)
    case stop
  }

  private struct Inbox {
    var messages: [Message] = []
    var hasThread = false
    var isStopped = false
    /// The thread, once it runs.
    var thread: pthread_t?
    /// Why nothing can be transferred at all.
    var failure: NetworkError?
    /// The thread waits, or is about to.
    var isSleeping = false
    /// Here while it may be woken; set and taken away by the thread.
    var wakeUp: WakeUp?
    /// Handles that nobody uses.
    var idleHandles: [CurlHandle] = []
  }

  /// What it takes to wake the thread up.
  private struct WakeUp {
    let library: CurlLibrary
    let descriptor: WakeUpDescriptor
  }

  let width: Int
  let time = LoopTime()
  private let inbox = Locked(Inbox())
  /// Entered while there is a thread.
  private let threads = DispatchGroup()

  init(width: Int) { self.width = width }

  func submit(_ transfer: CurlTransfer) {
    startThread()
    prepare(transfer)
    guard !post(.submit(transfer)) else { return }
    if case .success(let library) = CurlLibrary.shared { transfer.free(library) }
    let reason = inbox.withLock { $0.failure } ?? .cancelled
    // Not from inside `start`: the caller may hold what the delegate needs.
    DispatchQueue.global().async { transfer.complete(.failure(reason)) }
  }

  /// Sets an idle handle up for a transfer, if there is one.
  ///
  /// The thread can do that too, but all requests share it, while this is a thread of the caller's.
  private func prepare(_ transfer: CurlTransfer) {
    guard (try? transfer.request.validate()) != nil,
      let (handle, library) = takeIdleHandle()
    else { return }
    transfer.configure(handle, library)
  }

  /// A handle that nobody uses; nil when a new one has to be made.
  func takeIdleHandle() -> (handle: CurlHandle, library: CurlLibrary)? {
    inbox.withLock { inbox in
      guard let library = inbox.wakeUp?.library, let handle = inbox.idleHandles.popLast() else {
        return nil
      }
      return (handle, library)
    }
  }

  /// Hands a message to the thread; returns false when it has been told to stop before.
  @discardableResult
  func post(_ message: Message) -> Bool {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return false }
      if case .stop = message { inbox.isStopped = true }
      inbox.messages.append(message)
      // Waking costs a system call, so only a thread that sleeps is woken, and only once.
      if inbox.isSleeping, let wakeUp = inbox.wakeUp {
        inbox.isSleeping = false
        wakeUp.descriptor.signal()
      }
      return true
    }
  }

  func stop() { post(.stop) }

  /// Waits until there is no thread, or none was ever started; returns false when it took longer
  /// than the limit, or this is the thread.
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
    // Those that libcurl starts for name lookups inherit its mask too.
    Thread.startQuiet(name: "opsh.network", stackSize: 1 << 20) { [self] in
      inbox.withLock { $0.thread = pthread_self() }
      CurlLoop(engine: self).run()
      // Its number may be given to another thread from now on.
      inbox.withLock { $0.thread = nil }
      threads.leave()
    }
  }

  // MARK: For the thread

  func announce(_ library: CurlLibrary, _ descriptor: WakeUpDescriptor) {
    inbox.withLock { $0.wakeUp = WakeUp(library: library, descriptor: descriptor) }
  }

  /// After this nobody can take a handle on another thread.
  ///
  /// - Returns: The handles that nobody uses.
  func withdraw() -> [CurlHandle] {
    inbox.withLock { inbox in
      inbox.wakeUp = nil
      defer { inbox.idleHandles = [] }
      return inbox.idleHandles
    }
  }

  /// Keeps a handle for a further transfer.
  ///
  /// - Returns: Whether there was a place for it.
  func keep(_ handle: CurlHandle) -> Bool {
    inbox.withLock { inbox in
      guard inbox.wakeUp != nil, inbox.idleHandles.count < width else { return false }
      inbox.idleHandles.append(handle)
      return true
    }
  }

  /// Refuses all further requests for the given reason.
  func fail(_ reason: NetworkError) {
    inbox.withLock { inbox in
      inbox.isStopped = true
      inbox.failure = reason
    }
  }

  func takeMessages() -> [Message] {
    inbox.withLock { inbox in
      inbox.isSleeping = false
      defer { inbox.messages = [] }
      return inbox.messages
    }
  }

  /// Returns whether the thread may sleep; a message from now on will wake it up.
  func mayFallAsleep() -> Bool {
    inbox.withLock { inbox in
      guard inbox.messages.isEmpty else { return false }
      inbox.isSleeping = true
      return true
    }
  }
}
