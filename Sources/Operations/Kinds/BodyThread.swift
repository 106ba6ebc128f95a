import Foundation
import Locking

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

  /// Whether the process may reserve more memory than the stack of a thread takes: without that, the
  /// next allocation would end the process.
  private static var hasRoom: Bool {
    let size = 32 << 20
    let probe = mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let probe, probe != MAP_FAILED else { return false }
    munmap(probe, size)
    return true
  }

  /// Runs `work` on a new thread of that name.
  ///
  /// - Returns: The system's error number if it has no thread, else nil.
  static func start(
    name: String = ThreadName.body, stackSize: Int = usualSize,
    _ work: @escaping @Sendable () -> Void
  ) -> Int32? {
    guard hasRoom else { return EAGAIN }
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
        work()
      })
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
