package import OpshNetworking
package import OpshWebAPIs

extension NetworkEnvironment {
  /// An endpoint, or an API, that may have a service of its own.
  package struct API: Hashable, Sendable {
    /// What commands call it.
    package let name: String
    /// The API's name in errors if no live service offers it any more; otherwise nil.
    package let lostName: String?

    package static let tweets = API(name: Tweets.name, lostName: "the search for tweets")
    package static let quotes = API(name: Quotes.name, lostName: "the Parse service")
    package static let all = StackExchange.endpoints.map { API($0) } + [tweets, quotes]

    package init(_ endpoint: any StackExchangeEndpoint.Type) {
      self.init(name: endpoint.name, lostName: nil)
    }

    private init(name: String, lostName: String?) {
      self.name = name
      self.lostName = lostName
    }
  }

  /// Which service receives requests.
  package enum Selection: Sendable, Equatable {
    case practice
    case live
    case url(Endpoint)

    /// The service as `endpoint` shows and `--endpoint` takes it.
    package var text: String {
      switch self {
      case .practice: "practice"
      case .live: "live"
      case .url(let endpoint): endpoint.baseURL
      }
    }

    /// - Throws: `NetworkError` if the text is neither a name nor a valid URL.
    package init(_ text: String) throws(NetworkError) {
      switch text {
      case "practice": self = .practice
      case "live": self = .live
      default: self = .url(try Endpoint(url: text))
      }
    }
  }

  /// A service and its credentials.
  package struct Service: Sendable, Equatable {
    package var selection: Selection
    /// The API key, to which the service attributes requests; never shown.
    package var key: String?
    /// The credentials of a Parse service; never shown.
    package var credentials: ParseCredentials?

    package init(selection: Selection, key: String? = nil, credentials: ParseCredentials? = nil) {
      self.selection = selection
      self.key = key
      self.credentials = credentials
    }
  }

  /// The common service, and the services of single APIs.
  package struct Services: Sendable, Equatable {
    var common: Service
    package var own: [API: Service] = [:]

    init(_ selection: Selection = .practice) {
      common = Service(selection: selection)
    }

    /// The service of an API; the common service if it has none of its own.
    package subscript(api: API?) -> Service { api.flatMap { own[$0] } ?? common }

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
