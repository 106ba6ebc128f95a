import CSystem
import Foundation

/// Delivers made-up signals in the form in which a signal descriptor does.
///
/// Real signals go to the whole process, and so to every test in it.
public final class SignalPipe: Sendable {
  /// Where the signals are read, without blocking.
  ///
  /// Whoever reads it closes it.
  public let readEnd: Int32
  private let writeEnd: Int32

  /// Makes a pipe.
  public init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
      throw TestSupportError.system("make a pipe")
    }
    // The reader may have gone when a signal is sent.
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
