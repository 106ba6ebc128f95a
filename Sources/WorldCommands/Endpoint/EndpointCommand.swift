import CommandParts
import OpshNetworking
package import ShellLanguage
import ShellSession
import OpshWebAPIs

/// `endpoint`: the service of all APIs.
enum EndpointCommand: ServiceCommand {
  static let api: NetworkEnvironment.API? = nil
  static let summary = "Shows or sets the service of requests"
  static let discussion = """
    'practice' is the embedded server, 'live' the real Stack Exchange API; a base URL without \
    the version path, such as http://127.0.0.1:8080, is any other service. The choice is for all \
    APIs; 'endpoint quotes URL' and the like choose for one API, until the next choice for all. \
    Operations that are built already keep their service. With a key the real service allows \
    10,000 requests a day instead of 300; the key is sent with each request for questions and \
    answers and never shown. The quota is that of the last response.
    """
  static let examples: [CommandDeclaration.Example] = [
    .init("endpoint; endpoint practice", "shown, then chosen"),
    .init(
      "endpoint practice --key secret; fetch questions --pagesize 1; wait; endpoint",
      "the key is not shown, the quota is"),
  ]
  static let searchTerms = ["url", "host", "server", "live", "practice", "api"]
}

/// `endpoint questions` and the like: the service that is asked for one endpoint.
enum EndpointOf<Description: StackExchangeEndpoint>: ServiceCommand {
  static var api: NetworkEnvironment.API? { NetworkEnvironment.API(Description.self) }
}

/// `endpoint tweets`: the service that is asked for tweets.
enum EndpointTweets: ServiceCommand {
  static let api: NetworkEnvironment.API? = .tweets
  static let remark =
    "The real service no longer exists; the address must be that of a service that imitates it."
  static let credentials: [Option<String?>] = []
  static let searchTerms = ["url", "host", "server", "search", "twitter", "api"]
}

/// `endpoint quotes`: the service that is asked for quotes, with the credentials for it.
enum EndpointQuotes: ServiceCommand {
  private static let applicationID = Option<String?>(
    "application-id", help: "application id that the service knows the program by")
  private static let key = Option<String?>("key", help: "key of its REST API")

  static let api: NetworkEnvironment.API? = .quotes
  static let summary =
    "Shows or sets the Parse service for quotes, and its keys"
  static let remark = """
    The application id and the key are sent with each request to this service and to no other, \
    and the key is never shown. The practice server takes any, so none need be given for it. The \
    API is expected under '/1/classes'.
    """
  static let credentials = [both(applicationID, key), both(key, applicationID)]
  static let examples: [CommandDeclaration.Example] = [
    .init(
      "endpoint quotes practice --application-id opsh --key secret\nfetch quotes --limit 1; "
        + "wait; endpoint",
      "with a key of its own, which is not shown")
  ]
  static let searchTerms = ["url", "host", "server", "parse", "credentials", "api"]

  /// A credential that a service needs together with another one.
  private static func both(_ option: Option<String?>, _ other: Option<String?>) -> Option<String?> {
    option.refused { call, option in
      guard service(of: call) != nil, !call.mentions(other) else { return nil }
      return call.failure(
        .incompleteCredentials, "a Parse service needs '--\(other.name)' too", at: option)
    }
  }

  static func makeService(
    for selection: NetworkEnvironment.Selection, _ call: CommandCall
  ) throws -> NetworkEnvironment.Service {
    var service = NetworkEnvironment.Service(selection: selection)
    if let id = call[Self.applicationID], let key = call[Self.key] {
      let pair = ParseCredentials(applicationID: id, key: key)
      do throws(NetworkError) {
        try pair.validate()
      } catch {
        throw call.failure(error, at: Self.key)
      }
      service.credentials = pair
    }
    return service
  }
}

extension ErrorPage {
  package static let incompleteCredentials = ErrorPage(
    "incomplete-credentials", "A credential for the service is missing",
    "A Parse service needs the application's id and a key, both or neither.",
    help: "give both '--application-id' and '--key'",
    wrong: "endpoint quotes http://127.0.0.1:8080 --key abc", right: "endpoint practice",
    proof: .checking)
}
