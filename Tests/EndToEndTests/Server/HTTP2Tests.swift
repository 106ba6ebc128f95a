import TestSupport
import Testing

@Suite("HTTP/2", .timeLimit(.minutes(15)))
struct HTTP2Tests {
  private static let page =
    #"{"items":[{"tags":["swift"],"is_answered":true,"view_count":1,"answer_count":0,"score":1,"#
    + #""last_activity_date":1,"creation_date":1,"question_id":7,"link":"l","title":"t"}],"#
    + #""has_more":false,"quota_max":300,"quota_remaining":299}"#
  private let server: Nginx

  init() throws {
    server = try Nginx(
      files: [
        "2.3/questions": Self.page,
        "slow/page": String(repeating: "0123456789", count: 100_000),
        "large": String(repeating: "0123456789", count: 300_000),
      ])
  }

  private func run(_ script: String) throws -> ChildProcess.Outcome {
    let outcome = try Opsh.run(
      ["--endpoint", server.url], input: script, environment: ["SSL_CERT_FILE": server.bundle])
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome
  }

  @Test("HTTP/2 is used with a server that supports it, on few connections")
  func requests() throws {
    _ = try run(
      """
      queue width 8; fetch questions --count 60; wait
      expect (questions-60.items == 1 and questions-60.status == 200)
      get /large; wait; expect (get-1.bytes == 3000000)
      get /nothing; wait --any-outcome; expect (get-2.error.code == 'invalid-status-code(404)')
      """)
    let requests = server.requests
    #expect(requests.count == 62 && requests.allSatisfy { $0.version == "HTTP/2.0" })
    #expect(Set(requests.map(\.connection)).count <= 8)
  }

  @Test("A cancelled or slow stream does not affect other streams of its connection")
  func streams() throws {
    _ = try run(
      """
      queue width 4
      get /slow/page --name slow; get /slow/page --name late --timeout 2s
      expect (slow.bytes > 0 and late.bytes > 0) within 10s
      fetch questions --count 20; wait questions-*
      expect (slow.state == executing)
      cancel slow; wait --any-outcome
      expect (slow.outcome == cancelled and late.error.code == timed-out)
      fetch questions --name after; wait after
      """)
    #expect(server.requests.allSatisfy { $0.version == "HTTP/2.0" })
  }
}
