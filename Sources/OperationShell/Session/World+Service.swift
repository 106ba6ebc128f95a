import Networking

extension World {
  /// The APIs that can be asked of services of their own.
  enum API: String, CaseIterable, Sendable {
    case questions, answers, tweets, quotes

    /// What it is called where it is said that nobody offers it any more; nil where somebody does.
    var lostName: String? {
      switch self {
      case .questions, .answers: nil
      case .tweets: "the search for tweets"
      case .quotes: "the Parse service"
      }
    }
  }

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

  /// A service, and what it knows us by.
  struct Service: Sendable, Equatable {
    var selection: Selection
    /// The key that requests are counted by; never shown.
    var key: String?
    /// What a Parse service knows a program by; never shown.
    var credentials: ParseCredentials?
  }

  /// The service for everything, and those that single APIs have instead.
  struct Services: Sendable, Equatable {
    var common: Service
    var own: [API: Service] = [:]

    init(_ selection: Selection = .practice) {
      common = Service(selection: selection)
    }

    /// The service of an API; that for everything else where it has none of its own.
    subscript(api: API?) -> Service { api.flatMap { own[$0] } ?? common }

    /// Takes what `--endpoint` says: a service for everything, or `quotes=URL` for one API.
    ///
    /// - Throws: `NetworkError` where that is neither a name nor a usable URL.
    mutating func read(_ text: String) throws(NetworkError) {
      if let sign = text.firstIndex(of: "="), let api = API(rawValue: String(text[..<sign])) {
        own[api] = Service(selection: try Selection(String(text[text.index(after: sign)...])))
      } else {
        common = Service(selection: try Selection(text))
      }
    }
  }
}
