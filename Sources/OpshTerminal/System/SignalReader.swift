import COpshSystem
import Foundation
import OpshSystemCalls

/// Delivers signals through a descriptor, so that no code runs inside a signal handler.
///
/// ``blockAll()`` must run before the process creates its first thread: a signal goes to any
/// thread that does not block it, and would end the process there.
public final class SignalReader: Sendable {
  /// Readable while a signal is pending.
  public let fileDescriptor: Int32

  /// Blocks the signals of ``SignalEvent`` for this thread and all it creates later.
  public static func blockAll() {
    SignalMask.block()
  }

  /// Creates a reader for the signals of ``SignalEvent``.
  ///
  /// - Throws: ``SystemCallError`` where the process has no descriptor left.
  public init() throws {
    var set = SignalMask.signalSet(SignalMask.handled)
    fileDescriptor = opsh_signalfd(&set)
    guard fileDescriptor >= 0 else { throw SystemCallError.last("make a signal descriptor") }
  }

  /// Creates a reader for a descriptor with signal records, so that tests can simulate them.
  init(adopting fileDescriptor: Int32) {
    self.fileDescriptor = fileDescriptor
  }

  deinit { close(fileDescriptor) }

  /// Whether a signal is pending; takes the time of a system call.
  public var isPending: Bool {
    var entry = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    return opsh_poll(&entry, 1, 0) > 0
  }

  /// Reads all pending signals.
  ///
  /// - Returns: The signals, oldest first; empty if there are none.
  public func read() -> [SignalEvent] {
    var events: [SignalEvent] = []
    var record = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while true {
      let count = Glibc.read(fileDescriptor, &record, size)
      if count == size {
        if let event = SignalEvent(number: Int32(record.ssi_signo)) { events.append(event) }
      } else if count < 0, opsh_errno() == EINTR {
        continue
      } else {
        return events
      }
    }
  }
}
