/// How much a client may ask of a server, for how long, and by which protocol.
package struct HTTPLimits: Sendable {
  /// The most connections at once to each port; further ones wait in the system's backlog.
  package var connections: UInt32 = 8192
  /// How many connections of one address may wait for a request; nil for any number.
  package var waitingPerAddress: Int?
  /// After how many seconds without a byte a connection is closed.
  package var idleSeconds: UInt32 = 60
  /// How many bytes the request line and the headers may have together.
  package var headerBytes: Int = 32 * 1024
  /// How many bytes of a request's body are kept; more are read and dropped.
  package var bodyBytes: Int = 128 * 1024
  /// How long a request may take to arrive, however steadily its bytes trickle in.
  package var requestNanoseconds: UInt64 = 60_000_000_000
  /// With what it speaks TLS; nil for a server that does not.
  package var certificate: Certificate?

  /// What a server of TLS shows its clients, both texts in PEM.
  package struct Certificate: Sendable {
    let text: String
    let privateKey: String

    package init(_ text: String, privateKey: String) {
      (self.text, self.privateKey) = (text, privateKey)
    }
  }

  /// Creates the usual limits.
  package init() {}
}
