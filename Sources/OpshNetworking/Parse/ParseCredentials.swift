/// The credentials of a program at a Parse service.
public struct ParseCredentials: Sendable, Equatable {
  /// The id of the application.
  public var applicationID: String
  /// The key for its REST API; never shown.
  public var key: String

  /// Creates credentials.
  public init(applicationID: String, key: String) {
    self.applicationID = applicationID
    self.key = key
  }

  /// Checks that both can be sent.
  ///
  /// - Throws: `NetworkError.badRequest` if one is invalid in a header.
  public func validate() throws(NetworkError) { _ = try headers }

  /// The headers of a request.
  var headers: HTTPHeaders {
    get throws(NetworkError) {
      var headers = HTTPHeaders()
      try headers.append("X-Parse-Application-Id", applicationID)
      try headers.append("X-Parse-REST-API-Key", key)
      return headers
    }
  }

  /// Credentials for the practice server, which accepts any.
  public static let practice = ParseCredentials(applicationID: "opsh", key: "practice")
}
