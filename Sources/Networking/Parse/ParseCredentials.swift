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

  /// What the practice server accepts, which accepts anything.
  public static let practice = ParseCredentials(applicationID: "opsh", key: "practice")
}
