/// One step on a simulated connection inside the process; it closes after the last step.
public enum ExchangeStep: Sendable {
  /// No bytes arrive for a time; nil: until the client gives up.
  case wait(Duration?)
  /// Bytes of the response arrive, as a socket would carry them (HTTP/1.1).
  case bytes([UInt8])
  /// The connection is reset.
  case reset
  /// The connection, on which an earlier exchange was, turns out to be closed.
  case stale
  /// The next steps are computed when they are due.
  case then(@Sendable () -> [ExchangeStep])
}
