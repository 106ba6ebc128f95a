/// A server on loopback that answers each connection with the same bytes, valid HTTP or not, and
/// closes it.
public final class CannedServer: Sendable {
  private let server: LoopbackServer
  /// The address of the server, without a slash at its end.
  public var url: String { server.url }

  /// Starts a server that answers with a text.
  public convenience init(_ answer: String) throws {
    try self.init(Array(answer.utf8))
  }

  /// Starts a server that answers with bytes.
  public init(_ bytes: [UInt8]) throws {
    server = try LoopbackServer { connection in
      // The request is read first: closing with unread bytes would reset the connection.
      connection.readSome()
      connection.send(bytes)
    }
  }

  deinit { server.stop() }
}
