import Foundation
import OpshLocking

/// Starts threads for blocking bodies.
enum BodyThread {
  /// Enough for an interpreter with some hundred levels of recursion.
  static let usualSize = 1 << 20

  /// Whether the process may reserve more memory than the stack of a thread takes: without that, the
  /// next allocation would end the process.
  private static var hasRoom: Bool {
    let size = 32 << 20
    let probe = mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let probe, probe != MAP_FAILED else { return false }
    munmap(probe, size)
    return true
  }

  /// Runs `work` on a new thread of that name; returns the system's error number if it has no
  /// thread, else nil.
  static func start(
    name: String = ThreadName.body, stackSize: Int = usualSize,
    _ work: @escaping @Sendable () -> Void
  ) -> Int32? {
    guard hasRoom else { return EAGAIN }
    // A program that a body starts inherits the signals that its thread blocks.
    return RawThread.start(name: name, stackSize: stackSize, isQuiet: false, work)
  }
}
