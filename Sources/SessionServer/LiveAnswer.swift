import OpshJSON

/// An answer of a live server.
package struct LiveAnswer: Sendable {
  /// One header field.
  package struct Header: Sendable {
    let name: String
    let value: String
  }

  package let status: Int
  package let body: [UInt8]
  package var headers: [Header]

  private init(
    status: Int, type: String, policy: String = "default-src 'none'; frame-ancestors 'none'",
    body: String
  ) {
    self.status = status
    self.body = Array(body.utf8)
    headers = [
      Header(name: "Content-Type", value: "\(type); charset=utf-8"),
      Header(name: "Content-Security-Policy", value: policy),
      Header(name: "X-Content-Type-Options", value: "nosniff"),
      Header(name: "Referrer-Policy", value: "no-referrer"),
      Header(name: "Cache-Control", value: "no-store"),
      Header(name: "Cross-Origin-Resource-Policy", value: "same-origin"),
    ]
  }

  /// The page.
  static func page(_ page: LivePage) -> LiveAnswer {
    LiveAnswer(status: 200, type: "text/html", policy: page.policy, body: page.text)
  }

  /// A line of plain text.
  static func text(_ status: Int, _ text: String) -> LiveAnswer {
    LiveAnswer(status: status, type: "text/plain", body: text + "\n")
  }

  /// JSON.
  static func json(_ status: Int, _ members: [JSONValue.Member]) -> LiveAnswer {
    LiveAnswer(status: status, type: "application/json", body: JSONValue.object(members).text)
  }

  /// An error as JSON.
  static func error(_ status: Int, _ message: String) -> LiveAnswer {
    json(status, [.init(name: "error", value: .string(message))])
  }

  /// What a client may do.
  static func session(_ role: AccessControl.Role) -> LiveAnswer {
    json(200, [.init(name: "canSteer", value: .boolean(role == .steering))])
  }

  /// What came of an action.
  static func reply(_ reply: ActionReply) -> LiveAnswer {
    json(
      200,
      [
        .init(name: "command", value: .string(reply.command)),
        .init(name: "ok", value: .boolean(reply.error == nil)),
        .init(name: "message", value: reply.error.map(JSONValue.string) ?? .null),
      ])
  }

  /// The answer with another header.
  func with(_ name: String, _ value: String) -> LiveAnswer {
    var copy = self
    copy.headers.append(Header(name: name, value: value))
    return copy
  }
}
