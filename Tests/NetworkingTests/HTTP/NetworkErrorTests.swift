import Networking
import Testing

@Suite("Network errors")
struct NetworkErrorTests {
  @Test("Error codes are stable")
  func codes() {
    let codes = [
      NetworkError.missingData, .serialization("x"), .invalidStatusCode(503), .cancelled,
      .timedOut(RequestTimeout(.total, limit: nil)), .connectionRefused, .hostNotFound,
      .connectionLost, .tls(.expired),
      .tooLarge(.body, limit: 1),
      .badResponse("x"), .tooManyRedirects, .badURL("x"), .unsupportedProtocol("x"),
      .api(id: 502, name: "throttle_violation", message: "slow down"),
    ].map(\.code)
    #expect(
      codes == [
        "missing-data", "serialization", "invalid-status-code(503)", "cancelled", "timed-out",
        "connection-refused", "host-not-found", "connection-lost", "tls", "too-large",
        "bad-response", "too-many-redirects", "bad-url", "unsupported-protocol",
        "api(502, throttle_violation, slow down)",
      ])
  }
}
