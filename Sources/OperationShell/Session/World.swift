import Foundation
import Locking
import Networking
import Operations
import PracticeServer

/// What lies outside the shell: the practice server, the transport, and which service is asked.
///
/// Both are made at once and opened on first use, so a session that never fetches pays nothing.
final class World: Sendable {
  /// Which service the APIs are asked of.
  enum Selection: Sendable, Equatable {
    case practice
    case live
    case url(Endpoint)

    /// What `endpoint` shows and `--endpoint` takes.
    var text: String {
      switch self {
      case .practice: "practice"
      case .live: "live"
      case .url(let endpoint): endpoint.baseURL
      }
    }

    /// - Throws: `NetworkError` where the text is neither a name nor a usable URL.
    init(_ text: String) throws(NetworkError) {
      switch text {
      case "practice": self = .practice
      case "live": self = .live
      default: self = .url(try Endpoint(url: text))
      }
    }
  }

  let server = PracticeServer()
  let transport: any Transport
  private let selected: Locked<(selection: Selection, key: String?)>

  init(selection: Selection, transport: any Transport = CurlTransport()) {
    selected = Locked((selection, nil))
    self.transport = transport
  }

  var selection: Selection { selected.withLock { $0.selection } }

  /// The key that requests are counted by; never shown.
  var key: String? { selected.withLock { $0.key } }

  func select(_ selection: Selection, key: String? = nil) {
    selected.withLock { $0 = (selection, key) }
  }

  /// The service to ask.
  ///
  /// Starts the practice server where that is the one, and it is not running.
  ///
  /// - Throws: `PracticeServerError` where the server can't start.
  func endpoint() throws(PracticeServerError) -> Endpoint {
    let (selection, key) = selected.withLock { $0 }
    switch selection {
    case .live: return .live(key: key)
    case .url(var endpoint):
      endpoint.key = key
      return endpoint
    case .practice:
      if !server.isRunning { try server.start() }
      guard let url = server.baseURL, let endpoint = try? Endpoint(url: url, key: key) else {
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
