import OpshNetworking
import Testing

@Suite("Network errors")
struct NetworkErrorTests {
  @Test("Error codes are stable")
  func codes() {
    let codes = [
      NetworkError.missingData, .serialization("x"), .invalidStatusCode(503), .cancelled,
      .timedOut(RequestTimeout(.total, limit: nil)), .connectionRefused(.init(at: "a:1")),
      .hostUnreachable(.init(at: "a:1")), .hostNotFound(.init(at: "a:1")), .connectionLost,
      .tls(.expired),
      .tooLarge(.body, limit: 1),
      .badResponse("x"), .tooManyRedirects, .badURL("x"), .unsupportedProtocol("x"),
      .api(id: 502, name: "throttle_violation", message: "slow down"),
    ].map(\.code)
    #expect(
      codes == [
        "missing-data", "serialization", "invalid-status-code(503)", "cancelled", "timed-out",
        "connection-refused", "host-unreachable", "host-not-found", "connection-lost", "tls",
        "too-large",
        "bad-response", "too-many-redirects", "bad-url", "unsupported-protocol",
        "api(502, throttle_violation, slow down)",
      ])
  }

  @Test("The message of a size limit says what was too large, and the limit")
  func sizes() {
    let messages = [
      NetworkError.tooLarge(.headers, limit: HTTPResponseHead.maximumSize),
      .tooLarge(.headerLine, limit: HTTPResponseHead.longestLine), .tooLarge(.body, limit: 5_000),
    ].map(\.message)
    #expect(
      messages == [
        "all headers of the response together exceed the limit of 262.1 kB",
        "a header of the response exceeds the limit of 102.4 kB",
        "the body of the response exceeds the limit of 5.0 kB",
      ])
  }

  @Test("The message of a time limit says which one, and how much had come or was sent")
  func times() {
    let limit = Duration.seconds(2)
    let messages = [
      RequestTimeout(.lookup, limit: limit), RequestTimeout(.connect, limit: limit),
      RequestTimeout(.handshake, limit: limit), RequestTimeout(.idle, limit: limit),
      RequestTimeout(.idle, limit: limit, bytesReceived: 1_500),
      RequestTimeout(.idle, limit: limit, bytesSent: .init(bytes: 300, total: 5_000)),
      RequestTimeout(.total, limit: limit, bytesReceived: 10),
      RequestTimeout(.total, limit: limit, bytesSent: .init(bytes: 300, total: 5_000)),
      RequestTimeout(
        .total, limit: limit, bytesReceived: 10, bytesSent: .init(bytes: 5_000, total: 5_000)),
      RequestTimeout(.idle, limit: limit, bytesSent: .init(bytes: 5_000, total: 5_000)),
      RequestTimeout(.connect, limit: nil),
    ].map { NetworkError.timedOut($0).message }
    #expect(
      messages == [
        "looking up the server took longer than 2 s (connect-timeout)",
        "connecting to the server took longer than 2 s (connect-timeout)",
        "the connection was made, but no TLS handshake within 2 s (connect-timeout)",
        "the server sent nothing for 2 s (idle-timeout)",
        "the server sent nothing for 2 s (idle-timeout); 1.5 kB of the body had come",
        "the server took nothing for 2 s (idle-timeout); 300 B of the 5.0 kB to upload had been "
          + "sent",
        "the request took longer than its limit of 2 s (--timeout); 10 B of the body had come",
        "the request took longer than its limit of 2 s (--timeout); 300 B of the 5.0 kB to upload "
          + "had been sent",
        "the request took longer than its limit of 2 s (--timeout); all 5.0 kB to upload had been "
          + "sent; 10 B of the body had come",
        "the server sent nothing for 2 s (idle-timeout); all 5.0 kB to upload had been sent",
        "the server did not answer the attempt to connect",
      ])
  }
}
