import Testing

@testable import OpshNetworking

@Suite("Parts of the transfer loop")
struct CurlLoopTests {
  @Test("Milliseconds are rounded up, so that no timer fires early")
  func milliseconds() {
    #expect(Duration.zero.wholeMilliseconds == 0)
    #expect(Duration.microseconds(1).wholeMilliseconds == 1)
    #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == Int(Int32.max))
  }

  @Test("The time of a request begins once the library can process it")
  func beginning() throws {
    var request = try HTTPRequest(url: "http://a.example/")
    request.timeout = .seconds(1)
    let transfer = CurlTransfer(
      request: request, environment: [:], time: LoopTime(), delegate: RecordingDelegate())
    let created = transfer.started
    transfer.begin(noEarlierThan: created - .seconds(1))
    #expect(transfer.started == created)
    transfer.begin(noEarlierThan: created + .seconds(5))
    #expect(transfer.deadline == created + .seconds(6))
    #expect(transfer.lastActivity == created + .seconds(5))
  }
}
