import Foundation

/// The signals that the shell handles.
public enum SignalEvent: Sendable, Equatable, CaseIterable {
  /// Ctrl-C.
  case interrupt
  /// A request to end.
  case terminate
  /// The terminal has disconnected.
  case hangUp
  /// Ctrl-\.
  case quit
  /// A timer of the process's.
  case alarm
  /// What other programs give a meaning of their own.
  case user1, user2
  /// The size of the terminal's window has changed.
  case windowChange
  /// Ctrl-Z.
  case stop
  /// The process was continued after a stop.
  case resume

  /// The event of a signal number, or nil for a signal that is not handled.
  public init?(number: Int32) {
    guard let event = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = event
  }

  /// The signal's number.
  public var number: Int32 {
    switch self {
    case .interrupt: SIGINT
    case .terminate: SIGTERM
    case .hangUp: SIGHUP
    case .quit: SIGQUIT
    case .alarm: SIGALRM
    case .user1: SIGUSR1
    case .user2: SIGUSR2
    case .windowChange: SIGWINCH
    case .stop: SIGTSTP
    case .resume: SIGCONT
    }
  }
}
