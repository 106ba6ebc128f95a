import Foundation

extension HTTPRequest {
  /// Adds the headers of the credentials and of the cookies that this address gets.
  ///
  /// - Parameter now: The present date, by which cookies expire.
  /// - Throws: `NetworkError.badRequest` for a secret that no header can hold.
  mutating func addCredentials(now: Date) throws(NetworkError) {
    if let authentication = transfer.authentication {
      if let field = authentication.unaskedField {
        try headers.set("Authorization", field)
      } else if var challenge {
        try headers.set("Authorization", challenge.answer(as: authentication, for: self))
        self.challenge = challenge
      }
    }
    if let cookies = transfer.cookies {
      headers.remove("Cookie")
      if let field = cookies.field(for: address, now: now) { try headers.set("Cookie", field) }
    }
  }

  /// Returns the request that a response leads to in the same attempt: the answer to its challenge,
  /// or the one that it redirects to.
  ///
  /// Keeps the cookies of the response.
  ///
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - count: How many redirects were followed before this one.
  ///   - now: The present date, by which cookies expire.
  /// - Returns: The next request, or nil if this response is the last.
  /// - Throws: `NetworkError` if a redirect is invalid or there were too many.
  func followUp(
    after head: HTTPResponseHead, redirects count: Int, now: @autoclosure () -> Date
  ) throws(NetworkError) -> HTTPRequest? {
    // Most requests have neither.
    guard transfer.authentication != nil || transfer.cookies != nil else {
      return try Redirect.next(after: self, head: head, count: count)
    }
    let now = now()
    transfer.cookies?.take(head, from: address, now: now)
    if var next = answer(to: head) {
      try next.addCredentials(now: now)
      return next
    }
    var next = try Redirect.next(after: self, head: head, count: count)
    try next?.addCredentials(now: now)
    return next
  }

  /// The request again, if the response asks for digest credentials for the first time.
  private func answer(to head: HTTPResponseHead) -> HTTPRequest? {
    guard head.status == 401, !hasAnswered, transfer.authentication?.scheme == .digest,
      let challenge = DigestChallenge(in: head, for: self)
    else { return nil }
    var next = self
    next.challenge = challenge
    next.hasAnswered = true
    return next
  }

  /// The error of a response whose body is announced to be too large; nil for another one.
  ///
  /// The delegate receives the head before: a status that is an error says more than the length.
  func refusal(ofLengthIn head: HTTPResponseHead) -> NetworkError? {
    guard method != "HEAD", head.status != 304, let length = head.contentLength,
      length > transfer.maximumBodySize
    else { return nil }
    return .tooLarge(.body, limit: transfer.maximumBodySize)
  }
}
