/// A path outside of the imitated services, at which a client can try out one feature.
enum TryOutRoute: Equatable {
  /// Answers those who log in with a name and a password.
  case basic
  /// The same, with a challenge.
  case digest
  /// Answers those who have a token.
  case bearer
  /// Shows the cookies of the request.
  case cookies
  /// Sets the cookies that the query names.
  case setCookies

  /// Finds the route of a path; nil for another path.
  init?(_ segments: [String]) {
    guard let route = Self.paths.first(where: { $0.key == segments.joined(separator: "/") })?.value
    else { return nil }
    self = route
  }

  private static let paths: [String: TryOutRoute] = [
    "auth/basic": .basic, "auth/digest": .digest, "auth/bearer": .bearer, "cookies": .cookies,
    "cookies/set": .setCookies,
  ]

  /// The route as documentation writes it.
  var pattern: String { Self.paths.first { $0.value == self }?.key ?? "" }

  /// What the server says about them.
  static let overview = """
    To try out (user \(TryOutAPI.user), password and token \(TryOutAPI.secret))
      /auth/basic
      /auth/digest, /auth/digest?algorithm=MD5
      /auth/bearer
      /cookies
      /cookies/set?flavour=oat&max-age=3600
    """
}
