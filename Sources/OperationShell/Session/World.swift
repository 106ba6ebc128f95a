import Foundation
import Locking
import Networking
import Operations
import PracticeServer

/// What lies outside the shell: the practice server, the transport, and which service is asked.
///
/// They are made and opened on first use, so a session that never fetches pays nothing.
final class World: Sendable {
  private let madeServer = Locked<PracticeServer?>(nil)
  private let network: any Transport
  /// What carries requests, and remembers pauses, on the virtual clock.
  private let local = Locked<(transport: InProcessTransport, pacer: RequestPacer)?>(nil)
  private let selected: Locked<Services>

  init(services: Services, transport: any Transport = CurlTransport()) {
    selected = Locked(services)
    network = transport
  }

  /// The practice server, which starts when it is first asked.
  var server: PracticeServer {
    madeServer.withLock { made in
      if let made { return made }
      let server = PracticeServer()
      made = server
      return server
    }
  }

  /// What carries requests.
  var transport: any Transport { local.withLock { $0?.transport } ?? network }

  /// What remembers the pauses that services ask for.
  var pacer: RequestPacer { local.withLock { $0?.pacer } ?? .shared }

  /// Whether nothing outside of the process is asked.
  var isLocal: Bool { local.withLock { $0 != nil } }

  /// Has the practice server answer in the process, by the log's virtual clock.
  ///
  /// - Throws: `PracticeServerError` where the server listens on a port already.
  func goLocal(log: EventLog) throws(PracticeServerError) {
    let start = UInt64(VirtualClock.startDate.timeIntervalSince1970) * 1_000_000_000
    try server.answerInProcess { [weak log] in
      guard let log else { return start }
      return start + UInt64(max(0, (log.now - log.startInstant) / .nanoseconds(1)))
    }
    let transport = InProcessTransport(log: log) { [server] in server.answer(to: $0) }
    local.withLock { $0 = (transport, RequestPacer()) }
  }

  /// Asks over the network again.
  func leaveLocal() {
    server.endInProcess()
    local.withLock { $0 = nil }
  }

  /// Which services are asked.
  var services: Services { selected.withLock { $0 } }

  /// Chooses the service for one API, or for all of them: then none keeps its own.
  func select(_ service: Service, for api: API? = nil) {
    selected.withLock { services in
      guard let api else {
        services.common = service
        services.own = [:]
        return
      }
      services.own[api] = service
    }
  }

  /// Has an API asked of the service for all again.
  func unselect(_ api: API) {
    selected.withLock { $0.own[api] = nil }
  }

  /// The service to ask.
  ///
  /// Starts the practice server where that is the one, and it is not running.
  ///
  /// - Parameter api: What is asked for; nil for an address that belongs to no API.
  /// - Returns: Its address, and the key for it.
  /// - Throws: `PracticeServerError` where the server can't start.
  func endpoint(for api: API? = nil) throws(PracticeServerError) -> Endpoint {
    let service = services[api]
    if isLocal, service.selection != .practice { throw Self.notVirtual(service.selection) }
    switch service.selection {
    case .live: return .live(key: service.key)
    case .url(var endpoint):
      endpoint.key = service.key
      return endpoint
    case .practice:
      if !server.isRunning { try server.start() }
      guard let url = server.baseURL, let endpoint = try? Endpoint(url: url, key: service.key)
      else {
        throw PracticeServerError(
          code: "not-running", message: "the practice server stopped while it was being used")
      }
      return endpoint
    }
  }

  /// That a service is no part of what the virtual clock can rule.
  static func notVirtual(_ selection: Selection) -> PracticeServerError {
    PracticeServerError(
      code: "not-virtual",
      message:
        "the virtual clock can't rule what '\(selection.text)' does: only the practice server "
        + "answers under 'set clock virtual'")
  }

  /// How long a transfer may hold up the end: one whose receiver blocks is left behind.
  private static let patience = Duration.milliseconds(500)

  /// Ends what is under way, the transport's thread, and the server with its connections.
  ///
  /// The process is about to end, or a test is.
  func shutDown() {
    // First those who ask, so that none of them sees its connection break.
    network.shutdown(within: Self.patience)
    madeServer.withLock { $0 }?.stop()
  }
}
