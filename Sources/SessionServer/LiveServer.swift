package import OpshHTTPServing

/// Serves a session to browsers, and takes actions from them.
package final class LiveServer: Sendable {
  /// How much clients may ask for.
  package struct Limits: Sendable {
    /// How many clients may follow at once, and as many pages that steer.
    package var followers: Int = 100
    /// How many bytes of lines are kept for all of them.
    package var storeBytes: Int = 64 << 20
    /// How many actions may wait to be run.
    package var actions: Int = 100
    /// How long an action may wait.
    package var actionNanoseconds: UInt64 = 30_000_000_000

    /// Creates the usual limits.
    package init() {}
  }

  /// The address for steering, with its secret.
  package let url: String
  /// The address for those who only follow, with its secret; nil where there is none.
  package let readersURL: String?
  /// The secrets of both.
  package let secrets: [String]
  private let board = LiveBoard()

  /// The only address from which a session is steered.
  private static let local = "127.0.0.1"
  /// How long the end waits for the last lines to be sent.
  private static let patience = Duration.seconds(1)

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - port: The port, or 0 for any that is free.
  ///   - address: The address for readers, in digits; nil for none.
  ///   - limits: How much clients may ask for.
  ///   - makeLines: Makes what gives all lines from the first one; called on the server's thread.
  ///   - perform: Has an action run elsewhere; called on the server's thread, and must not wait.
  /// - Throws: `address-in-use` and the like.
  package init(
    page: LivePage, port: UInt16, address: String?, limits: Limits = Limits(),
    makeLines: @escaping @Sendable () -> any LineSource,
    perform: @escaping @Sendable (LiveAction, ActionTicket) -> Void
  ) throws(HTTPServingError) {
    let sockets = try Self.listen(port: port, address: address)
    let main = sockets[0]
    var hosts = [Self.hosts(["localhost", Self.local, "[::1]"], port: main.port)]
    hosts += sockets.dropFirst().map { Self.hosts([Self.host($0.address)], port: $0.port) }
    let rules = LiveRules(
      page: page, hosts: hosts, port: main.port, hasReaders: address != nil)
    let access = rules.access
    url = "http://\(Self.local):\(main.port)/#\(access.steeringSecret)"
    let readers = sockets[sockets.count - 1]
    readersURL = access.readingSecret.map {
      "http://\(Self.host(readers.address)):\(readers.port)/#\($0)"
    }
    secrets = [access.steeringSecret] + (access.readingSecret.map { [$0] } ?? [])

    var httpLimits = HTTPLimits()
    httpLimits.connections = UInt32(2 * limits.followers + 100)
    httpLimits.waitingPerAddress = 20
    httpLimits.idleSeconds = 30
    httpLimits.bodyBytes = 4096
    httpLimits.requestNanoseconds = 10_000_000_000
    let service = LiveService(
      rules: rules, limits: limits, board: board, makeLines: makeLines, perform: perform)
    board.setServer(
      try HTTPServer(name: "opsh.serve", sockets: sockets, limits: httpLimits, service: service))
  }

  deinit { end(status: nil) }

  /// How many clients follow the session.
  package var followers: Int { board.followers }

  /// Whether a page that has steered the session still follows it.
  package var isSteered: Bool { board.isSteered }

  /// Sends the last lines, closes all connections, and stops serving; waits a second at most.
  ///
  /// - Parameter status: The exit status of the run; nil if the session goes on.
  package func end(status: Int32?) { board.end(.init(status: status), patience: Self.patience) }

  /// Listens on the address for steering, and on the one for readers with the same port.
  private static func listen(
    port: UInt16, address: String?
  ) throws(HTTPServingError) -> [ListeningSocket] {
    // The page is asked for by this address, and by no other.
    if let address, ["0.0.0.0", "::"].contains(address) {
      throw HTTPServingError(
        code: "address-unavailable",
        message: "'\(address)' means every address of this machine; name one of them")
    }
    var attempts = 0
    while true {
      let main = try ListeningSocket(address: local, port: port)
      guard let address, address != local else { return [main] }
      do throws(HTTPServingError) {
        return [main, try ListeningSocket(address: address, port: main.port)]
      } catch {
        main.close()
        attempts += 1
        // A port that was free on one address may be in use on the other.
        guard port == 0, error.code == "address-in-use", attempts < 20 else { throw error }
      }
    }
  }

  /// An address as part of a URL.
  private static func host(_ address: String) -> String {
    address.contains(":") ? "[\(address)]" : address
  }

  /// The names as browsers send them: without the port that is the usual one.
  private static func hosts(_ names: [String], port: UInt16) -> Set<String> {
    Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
  }
}
