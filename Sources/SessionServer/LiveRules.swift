import OpshJSON

/// The rules by which a live server answers: what there is, and who may ask for it.
package struct LiveRules: Sendable {
  /// What becomes of a request.
  package enum Decision: Sendable {
    case answer(LiveAnswer)
    /// The lines are sent from now on.
    case follow(lastEventID: String?, AccessControl.Role)
    /// An action is to be run.
    case perform(LiveAction)
  }

  /// Who may ask.
  package var access: AccessControl
  private let page: LivePage
  /// The names by which each port is asked, such as `127.0.0.1:8080`.
  private let hosts: [Set<String>]
  /// Browsers send the cookies of all ports of a host, so that each server has a name of its own.
  private let cookieName: String

  /// Creates the rules of a server.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - hosts: For each port that it listens on, the names by which it is asked.
  ///   - port: The port for steering.
  ///   - hasReaders: Whether there is a secret that can only read.
  package init(page: LivePage, hosts: [Set<String>], port: UInt16, hasReaders: Bool) {
    self.page = page
    self.hosts = hosts
    cookieName = "opsh-\(port)"
    access = AccessControl(hasReaders: hasReaders)
  }

  /// Whether a host is the server's own.
  ///
  /// A page from elsewhere could have its own name resolve to this machine (DNS rebinding). Its
  /// browser still sends that name.
  package func isOwn(host: String?, at index: Int) -> Bool {
    host.map { hosts[index].contains($0.lowercased()) } ?? false
  }

  /// Decides about a request whose host is the server's own.
  package mutating func decide(_ request: LiveRequest, now: UInt64) -> Decision {
    let allowed: String
    switch request.path {
    case "/", "/events": allowed = "GET"
    case "/session", "/actions": allowed = "POST"
    default: return .answer(.text(404, "there is nothing here"))
    }
    guard request.method == allowed else {
      return .answer(.text(405, "expected \(allowed)").with("Allow", allowed))
    }
    switch request.path {
    case "/": return .answer(.page(page))
    case "/session": return .answer(session(request, now: now))
    case "/events": return follow(request)
    default: return act(request)
    }
  }

  /// Exchanges the secret of the address for a cookie.
  private mutating func session(_ request: LiveRequest, now: UInt64) -> LiveAnswer {
    if request.bodyIsTooLong { return .error(413, "the body is longer than 4 kB") }
    if let refusal = refusalOfSender(request, needsOrigin: false) { return refusal }
    guard request.isJSON else { return .error(403, "the body must be application/json") }
    guard let value = try? JSONValue(parsing: request.body, maximumDepth: 4),
      case .string(let secret)? = value["secret"]
    else { return .error(400, "expected an object with the string 'secret'") }
    // The page is loaded again, and its address does not show the secret any more.
    if secret.isEmpty, let role = role(of: request) { return .session(role) }
    switch access.exchange(secret, from: request.client, now: now) {
    case .granted(let token, let role):
      return .session(role)
        .with("Set-Cookie", "\(cookieName)=\(token); HttpOnly; SameSite=Strict; Path=/")
    case .refused: return .error(403, "the secret is not right")
    case .tooMany:
      return .error(429, "too many wrong secrets; try again in a second").with("Retry-After", "1")
    }
  }

  private func follow(_ request: LiveRequest) -> Decision {
    if let refusal = refusalOfSender(request, needsOrigin: false) { return .answer(refusal) }
    guard let role = role(of: request) else {
      return .answer(.error(403, "open the address that 'serve' shows"))
    }
    return .follow(lastEventID: request.lastEventID, role)
  }

  private func act(_ request: LiveRequest) -> Decision {
    if request.bodyIsTooLong { return .answer(.error(413, "the body is longer than 4 kB")) }
    if let refusal = refusalOfSender(request, needsOrigin: true) { return .answer(refusal) }
    guard request.isJSON else { return .answer(.error(403, "the body must be application/json")) }
    guard AccessControl.isLocal(request.client) else {
      return .answer(.error(403, "there is no steering from another machine"))
    }
    guard role(of: request) == .steering else {
      return .answer(.error(403, "this page can only follow the session"))
    }
    do {
      return .perform(try LiveAction(parsing: request.body))
    } catch {
      return .answer(.error(400, error.message))
    }
  }

  /// The answer to a request that a page from elsewhere has sent; nil for others.
  private func refusalOfSender(_ request: LiveRequest, needsOrigin: Bool) -> LiveAnswer? {
    let own = "http://\(request.host.lowercased())"
    let isOwn =
      request.origins.isEmpty ? !needsOrigin : request.origins == [own]
    // A browser says where a request comes from, even where it sends no origin.
    let isSame = request.fetchSites.allSatisfy { $0 == "same-origin" || $0 == "none" }
    return isOwn && isSame ? nil : .error(403, "only the page of this server may ask")
  }

  /// What the cookie of a request allows.
  private func role(of request: LiveRequest) -> AccessControl.Role? {
    let tokens = request.cookies(named: cookieName)
    guard tokens.count == 1 else { return nil }
    return access.role(of: tokens[0])
  }
}
