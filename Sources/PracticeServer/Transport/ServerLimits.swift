/// How much a client may ask of the server, for how long, and by which protocol.
struct ServerLimits: Sendable {
  /// The most connections at once; further ones wait in the system's backlog.
  var connections: UInt32 = 8192
  /// After how many seconds without a byte a connection is closed.
  var idleSeconds: UInt32 = 60
  /// How many bytes the request line and the headers may have together.
  var headerBytes: Int = 32 * 1024
  /// How many bytes of a request's body are kept; more are read and dropped.
  var bodyBytes: Int = 128 * 1024
  /// How long a request may take to arrive, however steadily its bytes trickle in.
  var requestNanoseconds: UInt64 = 60_000_000_000
  /// With what it speaks TLS; nil for a server that does not.
  var identity: TLSIdentity?
}
