import Dispatch
import Foundation

/// Starts threads, and reports when the system refuses one, which `Foundation.Thread` does not.
public enum RawThread: Sendable {
  private final class Job {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: The name in debuggers and in the system's tools.
  ///   - stackSize: The size of its stack in bytes, of which memory is taken only as it is used.
  ///   - isQuiet: Whether it receives no signals of the process, and neither do threads it creates.
  ///     Signals are for the thread that is set up to receive them: a program may read them from a
  ///     descriptor, and a signal delivered to another thread would be lost.
  ///   - body: The work of the thread, which ends after it.
  /// - Returns: The system's error number if it has no thread, else nil.
  public static func start(
    name: String, stackSize: Int, isQuiet: Bool = true, _ body: @escaping @Sendable () -> Void
  ) -> Int32? {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(attributes, stackSize)
    let job = Unmanaged.passRetained(
      Job {
        ThreadName.set(name)
        body()
      })
    // A thread inherits the mask of the one that creates it.
    var previous = sigset_t()
    if isQuiet {
      var all = sigset_t()
      sigfillset(&all)
      // Signals of faults stay unblocked: if blocked, they would end the process without its
      // handlers.
      for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
        sigdelset(&all, fault)
      }
      pthread_sigmask(SIG_SETMASK, &all, &previous)
    }
    defer { if isQuiet { pthread_sigmask(SIG_SETMASK, &previous, nil) } }
    var thread = pthread_t()
    let status = pthread_create(
      &thread, attributes,
      { argument in
        if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, job.toOpaque())
    guard status == 0 else {
      job.release()
      return status
    }
    return nil
  }

  /// Checks whether the system has some more threads, by starting them and waiting for their end.
  ///
  /// - Parameter count: How many.
  /// - Returns: The system's error number if it has fewer, else nil.
  public static func shortage(of count: Int) -> Int32? {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setstacksize(attributes, 64 << 10)
    // All wait until the last one was started.
    let gate = DispatchSemaphore(value: 0)
    var threads: [pthread_t] = []
    var refusal: Int32?
    while threads.count < count, refusal == nil {
      var thread = pthread_t()
      let status = pthread_create(
        &thread, attributes,
        { argument in
          if let argument {
            let gate = Unmanaged<DispatchSemaphore>.fromOpaque(argument).takeUnretainedValue()
            gate.wait()
            gate.signal()
          }
          return nil
        }, Unmanaged.passUnretained(gate).toOpaque())
      if status == 0 { threads.append(thread) } else { refusal = status }
    }
    gate.signal()
    for thread in threads { pthread_join(thread, nil) }
    return refusal
  }
}
