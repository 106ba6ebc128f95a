import COpshSystem
import Foundation

/// Blocks the signals that ``SignalReader`` reads, and unblocks them if needed.
///
/// A child inherits the mask of the thread that starts it: code that spawns a child sets an empty
/// mask for it (`opsh_spawnattr_child_signals`).
public enum SignalMask: Sendable {
  /// The signals to read: all of ``SignalEvent`` except those ignored when the process started.
  ///
  /// `nohup` starts a program with SIGHUP ignored; a blocked signal is queued even where it
  /// is ignored, so reading it would undo what the user asked for.
  static let handled: [Int32] = SignalEvent.allCases.map(\.number)
    .filter { opsh_signal_is_ignored($0) == 0 }

  /// Blocks the handled signals on this thread, and thus on all threads that it creates later.
  static func block() {
    var set = signalSet(handled)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Stops the process as Ctrl-Z does, and returns when it runs again.
  public static func stopProcess() {
    // SIGTSTP and not SIGSTOP: where no shell could ever continue the process, the kernel
    // ignores the one and obeys the other.
    raise(SIGTSTP)
    letStop()
  }

  /// Delivers a pending SIGTSTP.
  private static func letStop() {
    var set = signalSet([SIGTSTP])
    var previous = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &set, &previous)
    pthread_sigmask(SIG_SETMASK, &previous, nil)
  }

  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGUSR2]

  /// Returns whether a signal that ends a program waits to be read.
  ///
  /// - Parameter countsQuit: Whether SIGQUIT is such a signal.
  /// - Returns: Whether one waits.
  public static func isEndPending(countingQuit countsQuit: Bool) -> Bool {
    isPending(countsQuit ? ending + [SIGQUIT] : ending)
  }

  /// Stops the process if Ctrl-Z asks for it and no thread has read that signal.
  ///
  /// The pending signal itself stops it: once, also if several threads do this.
  public static func stopIfPending() {
    if isPending([SIGTSTP]) { letStop() }
  }

  /// Gives the handled signals their usual effect on this thread again.
  public static func unblock() {
    var set = signalSet(handled)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  private static func isPending(_ numbers: [Int32]) -> Bool {
    var set = sigset_t()
    guard sigpending(&set) == 0 else { return false }
    return numbers.contains { sigismember(&set, $0) == 1 }
  }

  static func signalSet(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }
}
