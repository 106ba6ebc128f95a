import Networking
import WebAPIs

extension NetworkEnvironment {
  /// An endpoint, or an API, that may have a service of its own.
  struct API: Hashable, Sendable {
    /// What commands call it.
    let name: String
    /// The API's name in errors if no live service offers it any more; otherwise nil.
    let lostName: String?

    static let tweets = API(name: Tweets.name, lostName: "the search for tweets")
    static let quotes = API(name: Quotes.name, lostName: "the Parse service")
    static let all = StackExchange.endpoints.map { API($0) } + [tweets, quotes]

    init(_ endpoint: any StackExchangeEndpoint.Type) {
      self.init(name: endpoint.name, lostName: nil)
    }

    private init(name: String, lostName: String?) {
      self.name = name
      self.lostName = lostName
    }
  }

  /// Which service receives requests.
  enum Selection: Sendable, Equatable {
    case practice
    case live
    case url(Endpoint)

    /// The service as `endpoint` shows and `--endpoint` takes it.
    var text: String {
      switch self {
      case .practice: "practice"
      case .live: "live"
      case .url(let endpoint): endpoint.baseURL
      }
    }

    /// - Throws: `NetworkError` if the text is neither a name nor a valid URL.
    init(_ text: String) throws(NetworkError) {
      switch text {
      case "practice": self = .practice
      case "live": self = .live
      default: self = .url(try Endpoint(url: text))
      }
    }
  }

  /// A service and its credentials.
  struct Service: Sendable, Equatable {
    var selection: Selection
    /// The API key, to which the service attributes requests; never shown.
    var key: String?
    /// The credentials of a Parse service; never shown.
    var credentials: ParseCredentials?
  }

  /// The common service, and the services of single APIs.
  struct Services: Sendable, Equatable {
    var common: Service
    var own: [API: Service] = [:]

    init(_ selection: Selection = .practice) {
      common = Service(selection: selection)
    }

    /// The service of an API; the common service if it has none of its own.
    subscript(api: API?) -> Service { api.flatMap { own[$0] } ?? common }

    /// Parses the value of `--endpoint`: a service for everything, or `quotes=URL` for one API.
    ///
    /// - Throws: `NetworkError` if it is neither a name nor a valid URL.
    mutating func read(_ text: String) throws(NetworkError) {
      if let sign = text.firstIndex(of: "="),
        let api = API.all.first(where: { $0.name == text[..<sign] })
      {
        own[api] = Service(selection: try Selection(String(text[text.index(after: sign)...])))
      } else {
        common = Service(selection: try Selection(text))
      }
    }
  }
}
