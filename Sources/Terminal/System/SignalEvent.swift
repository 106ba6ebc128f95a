import Foundation

/// Names a signal that the shell acts on.
public enum SignalEvent: Sendable, Equatable, CaseIterable {
  /// Ctrl-C.
  case interrupt
  /// A polite request to end.
  case terminate
  /// The terminal has gone.
  case hangUp
  /// Ctrl-\.
  case quit
  /// The terminal's window has another size.
  case windowChange
  /// Ctrl-Z.
  case stop
  /// The process runs again after it was stopped.
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
    case .windowChange: SIGWINCH
    case .stop: SIGTSTP
    case .resume: SIGCONT
    }
  }
}
