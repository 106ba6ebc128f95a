import Foundation

/// Starts threads for blocking bodies.
///
/// `Foundation.Thread` does not say when the system refuses a thread, and the operation would then
/// never finish.
enum BodyThread {
  /// Enough for an interpreter with some hundred levels of recursion.
  static let usualSize = 1 << 20

  private final class Job {
    let work: @Sendable () -> Void

    init(work: @escaping @Sendable () -> Void) {
      self.work = work
    }
  }

  /// Runs `work` on a new thread.
  ///
  /// - Returns: The system's error number if it has no thread, else nil.
  static func start(
    stackSize: Int = usualSize, _ work: @escaping @Sendable () -> Void
  ) -> Int32? {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(attributes, stackSize)
    let job = Unmanaged.passRetained(Job(work: work))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, attributes,
      { argument in
        if let argument {
          Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().work()
        }
        return nil
      }, job.toOpaque())
    guard status == 0 else {
      job.release()
      return status
    }
    return nil
  }
}
