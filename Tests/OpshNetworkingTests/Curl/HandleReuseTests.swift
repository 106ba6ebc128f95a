import Foundation
import OpshLocking
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("Requests with a reused handle", .timeLimit(.minutes(15)))
struct HandleReuseTests {
  /// One request and the parts of it that must reach the server.
  struct Step: Sendable {
    var method = "GET"
    /// The index of the server.
    var server = 0
    var target: String
    var header: String?
    var body: String?
  }

  /// Each differs from the one before in an option that libcurl stores in the handle.
  private static let steps = [
    Step(target: "/a?page=1", header: "one"),
    Step(target: "/a?page=2", header: "one"),
    Step(target: "/b", header: "one"),
    Step(target: "/b?", header: "two"),
    Step(target: "/b"),
    Step(target: "/with%2fslash%2Fes?q=%c3%A9", header: "two"),
    Step(target: "/plain?q=1"),
    Step(server: 1, target: "/plain?q=1"),
    Step(server: 1, target: "/plain?q=a+b&c=d/e?f"),
    Step(method: "POST", target: "/post", header: "one", body: "x=1"),
    Step(target: "/post", header: "one"),
    Step(method: "POST", target: "/post"),
    Step(method: "HEAD", target: "/head"),
    Step(method: "DELETE", target: "/a/../b/./c"),
    Step(target: "/a?page=1", header: "one"),
  ]

  @Test("A request on a reused handle is sent as if the handle were new")
  func reuse() async throws {
    let servers = [try recorder(), try recorder()]
    defer { for (server, _) in servers { server.stop() } }
    // With one slot every request reuses the handle of the one before it.
    let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 1))
    defer { transport.shutdown() }
    // The reversed order tests every transition in both directions.
    for step in Self.steps + Self.steps.reversed() {
      let (server, requests) = servers[step.server]
      let base = server.url.hasSuffix("/") ? String(server.url.dropLast()) : server.url
      var request = try HTTPRequest(method: step.method, url: base + step.target)
      if let header = step.header { try request.headers.set("X-Step", header) }
      request.body = step.body.map { .bytes(Array($0.utf8)) }
      let delegate = RecordingDelegate()
      _ = transport.start(request, delegate: delegate)
      _ = try await delegate.end().get()
      let received = try #require(requests.withLock { $0.popLast() })
      let target = request.url.dropFirst(base.utf8.count)
      #expect(received.method == step.method)
      #expect(received.target == String(target))
      #expect(received.values("X-Step").first == step.header)
      #expect(received.body == step.body.map { Array($0.utf8) } ?? [])
    }
  }

  @Test("Idle connections that the server closes fail no request, however many there are")
  func closedConnections() async throws {
    let server = try LoopbackServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.respond(body: [])
      // The next request on the connection is read, and the connection closed without a response.
      _ = connection.readRequest()
    }
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(maximumConcurrentTransfers: 1))
    defer { transport.shutdown() }
    for _ in 0..<20 {
      let delegate = RecordingDelegate()
      _ = transport.start(try HTTPRequest(url: server.url), delegate: delegate)
      _ = try await delegate.end().get()
    }
  }

  /// A server that records its requests.
  private func recorder() throws -> (LoopbackServer, Locked<[ReceivedRequest]>) {
    let requests = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        requests.withLock { $0.append(request) }
        connection.respond(body: [])
      }
    }
    return (server, requests)
  }
}
