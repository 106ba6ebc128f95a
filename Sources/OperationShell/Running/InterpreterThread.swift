import Foundation
import Locking

/// The thread for running statements.
///
/// Statements can be nested 1,000 deep, and some of them take many kilobytes of stack each; the
/// stack of the main thread has the size of `ulimit -s`, which may be small.
enum InterpreterThread {
  /// Memory of a stack is taken only as it is used.
  private static let stackSize = 128 << 20

  private final class Job {
    let work: @Sendable () -> Int32
    var status: Int32 = 1

    init(_ work: @escaping @Sendable () -> Int32) {
      self.work = work
    }
  }

  /// Runs work on a thread with a large stack, and waits for it.
  ///
  /// - Parameter work: The work.
  /// - Returns: What `work` returns.
  static func run(_ work: @escaping @Sendable () -> Int32) -> Int32 {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    let job = Job(work)
    var thread = pthread_t()
    guard
      pthread_attr_setstacksize(attributes, stackSize) == 0,
      pthread_create(
        &thread, attributes,
        { argument in
          guard let argument else { return nil }
          let job = Unmanaged<Job>.fromOpaque(argument).takeUnretainedValue()
          ThreadName.set(ThreadName.interpreter)
          job.status = job.work()
          return nil
        }, Unmanaged.passUnretained(job).toOpaque()) == 0
    else {
      // The system has no room for a large stack: on this one less can be nested.
      return work()
    }
    pthread_join(thread, nil)
    return withExtendedLifetime(job) { job.status }
  }
}
