import COpshSystem
import Foundation

/// Delivers simulated signals in the same form as a signal descriptor.
///
/// Real signals go to the whole process, and thus to every test in it.
public final class SignalPipe: Sendable {
  /// The descriptor from which the signals are read, without blocking.
  ///
  /// The reader closes it.
  public let readEnd: Int32
  private let writeEnd: Int32

  /// Creates a pipe.
  public init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
      throw TestSupportError.system("make a pipe")
    }
    // The reader may be closed when a signal is sent.
    opsh_signal_ignore(SIGPIPE)
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit { close(writeEnd) }

  /// Delivers a signal.
  public func send(_ number: Int32) {
    var record = signalfd_siginfo()
    record.ssi_signo = UInt32(number)
    _ = write(writeEnd, &record, MemoryLayout<signalfd_siginfo>.size)
  }
}
