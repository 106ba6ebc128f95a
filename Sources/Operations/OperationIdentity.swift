/// Who an operation is, kept after the operation itself has gone.
public struct OperationIdentity: Sendable, Equatable, Hashable {
  /// Its number, unique in its log.
  public let id: Int
  /// What it does, such as `fetch questions`.
  public let kind: String
  /// The name it was given, if it was given one.
  let givenName: String?

  /// Its name: the one it was given, or the last word of its kind and its number.
  public var name: String {
    // Made when asked for, because a million operations without names should not carry strings.
    if let givenName { return givenName }
    return "\(kind.split(separator: " ").last ?? "operation")-\(id)"
  }
}
