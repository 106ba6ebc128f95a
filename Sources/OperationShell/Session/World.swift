import Foundation
import Locking
import Networking
import Operations
import PracticeServer

/// What lies outside the shell: the practice server, the transport, and which service is asked.
///
/// Both are made at once and opened on first use, so a session that never fetches pays nothing.
final class World: Sendable {
  let server = PracticeServer()
  let transport: any Transport
  private let selected: Locked<Services>

  init(services: Services, transport: any Transport = CurlTransport()) {
    selected = Locked(services)
    self.transport = transport
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

  /// How long a transfer may hold up the end: one whose receiver blocks is left behind.
  private static let patience = Duration.milliseconds(500)

  /// Ends what is under way, the transport's thread, and the server with its connections.
  ///
  /// The process is about to end, or a test is.
  func shutDown() {
    // First those who ask, so that none of them sees its connection break.
    transport.shutdown(within: Self.patience)
    server.stop()
  }
}
