/// Holds what a Parse service knows a program by.
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
  /// - Throws: `NetworkError.badRequest` where one cannot stand in a header.
  public func validate() throws(NetworkError) { _ = try headers }

  /// What a request is sent with.
  var headers: HTTPHeaders {
    get throws(NetworkError) {
      var headers = HTTPHeaders()
      try headers.append("X-Parse-Application-Id", applicationID)
      try headers.append("X-Parse-REST-API-Key", key)
      return headers
    }
  }

  /// What the practice server accepts, which accepts anything.
  public static let practice = ParseCredentials(applicationID: "opsh", key: "practice")
}
