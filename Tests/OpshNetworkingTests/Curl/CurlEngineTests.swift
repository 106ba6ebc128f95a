import Foundation
import Testing

@testable import OpshNetworking

@Suite("CurlEngine", .timeLimit(.minutes(5)))
struct CurlEngineTests {
  @Test("Where the system refuses a thread, all transfers fail with that reason")
  func noThread() async throws {
    let engine = CurlEngine(width: 1) { _ in EAGAIN }
    for _ in 0..<2 {
      let delegate = RecordingDelegate()
      engine.submit(
        CurlTransfer(
          request: try HTTPRequest(url: "http://a.example/"), environment: [:],
          time: LoopTime(), delegate: delegate))
      let end = try await delegate.end()
      let error = #expect(throws: NetworkError.self) { try end.get() }
      #expect(error?.code == "transport-unavailable")
      #expect("\(String(describing: error))".contains("the system refused a thread"))
    }
    #expect(engine.waitForEnd(within: .seconds(60)))
  }
}
