import Foundation

/// The thread that statements run on.
///
/// Statements may stand 1,000 deep inside each other, and some of them take many kilobytes of stack
/// each; the process's first thread has what `ulimit -s` says, which may be little.
enum InterpreterThread {
  /// Memory of a stack is taken only as it is used.
  private static let stackSize = 128 << 20
  /// Less than all of it, for what the last statement calls.
  private static let budget = stackSize - (4 << 20)
  /// What may be used where the system has no room for a large stack.
  private static let smallBudget = 4 << 20

  private final class Job {
    let work: @Sendable (Int) -> Int32
    var status: Int32 = 1

    init(_ work: @escaping @Sendable (Int) -> Int32) {
      self.work = work
    }
  }

  /// Runs work on a thread with a large stack, and waits for it.
  ///
  /// - Parameter work: What to do; it gets the number of bytes of stack that statements may use.
  /// - Returns: What `work` returns.
  static func run(_ work: @escaping @Sendable (_ stackBudget: Int) -> Int32) -> Int32 {
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
          job.status = job.work(InterpreterThread.budget)
          return nil
        }, Unmanaged.passUnretained(job).toOpaque()) == 0
    else { return work(smallBudget) }
    pthread_join(thread, nil)
    return withExtendedLifetime(job) { job.status }
  }
}
