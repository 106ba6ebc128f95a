/// One thing that happens on a connection that exists only in this process; after the last one it is
/// closed.
public enum ExchangeStep: Sendable {
  /// Nothing comes for a time; nil until the client gives up.
  case wait(Duration?)
  /// Bytes of the response arrive, as a socket would carry them (HTTP/1.1).
  case bytes([UInt8])
  /// The connection is reset.
  case reset
  /// The next steps are decided when their time has come.
  case then(@Sendable () -> [ExchangeStep])
}
