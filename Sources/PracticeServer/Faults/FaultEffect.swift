/// The effect of a fault on the server.
enum FaultEffect: Sendable, Equatable {
  case latency
  case bandwidth
  case drop
  case fail
  case status(Int)
  case rateLimited
  case throttle
  case backoff
  case quota
  case cache
  case redirect(Redirection)
  case hugeBody
  case rewrite(Rewriting)
  case deliver(Delivery)

  /// Whether only Stack Exchange has this effect.
  var isOfStackExchange: Bool { [.throttle, .backoff, .quota].contains(self) }

  /// Whether it takes bytes past the library, which it would not encrypt.
  var needsPlainConnection: Bool {
    switch self {
    case .bandwidth, .drop, .hugeBody, .deliver: true
    default: false
    }
  }

  /// Where a request is sent instead of being answered.
  enum Redirection: Sendable, Equatable {
    case loop, elsewhere, unsupported
    /// To a port of this server on which it speaks TLS, with a certificate that clients refuse.
    case secure(CertificateMistake)
  }

  /// A change of the body of an answer.
  enum Rewriting: Sendable, Equatable {
    case malformedJSON, wrongTypes, emptyBody, page, brokenGzip, truncatedGzip
  }

  /// A faulty delivery of an answer.
  enum Delivery: Sendable, Equatable {
    case stall, stallInHeaders, stallInBody
    case dropBeforeHeaders, dropInHeaders, dropAfterHeaders, truncatedBody
    case reset, resetInBody
    case wrongLength, badLength
    case brokenChunk, truncatedChunks
    case badStatusLine, badHeader, hugeHeader
    case slowDrip
    /// Closes without a byte, and only a connection on which another request was answered.
    case staleConnection

    /// Whether the client gets no whole answer, because the connection ends before.
    var losesConnection: Bool {
      switch self {
      case .dropBeforeHeaders, .dropInHeaders, .dropAfterHeaders, .truncatedBody, .reset,
        .resetInBody, .truncatedChunks, .staleConnection:
        true
      case .stall, .stallInHeaders, .stallInBody, .wrongLength, .badLength, .brokenChunk,
        .badStatusLine, .badHeader, .hugeHeader, .slowDrip:
        false
      }
    }
  }
}
