import TestSupport
import Testing

@testable import PracticeServer

@Suite("Faults of connections and certificates", .timeLimit(.minutes(5)))
final class ConnectionFaultTests {
  private static let target = "/2.3/sites?pagesize=3"
  private let server = PracticeServer()

  init() throws { try server.start() }

  deinit { server.stop() }

  private func set(_ name: String) throws {
    let fault = try Fault(name)
    server.update { $0.set(fault) }
  }

  // MARK: stale-connection

  @Test(
    "A stale connection is closed without a byte when its second request comes",
    arguments: ["GET", "POST"])
  func stale(method: String) throws {
    try set("stale-connection")
    let client = try RawClient(port: server.port)
    client.sendRequest(Self.target)
    #expect(try client.readReply().status == 200)
    client.sendRequest(Self.target, method: method, body: method == "POST" ? "{}" : nil)
    #expect(try client.readToEnd().isEmpty)
    // A new connection is not affected.
    #expect(try RawClient.Reply.get(Self.target, from: server.port).status == 200)
    #expect(server.statistics.faults == ["stale-connection": 1])
    #expect(server.records().records.map(\.status) == [200, nil, 200])
  }

  @Test("A request that is answered on a stale connection's share keeps it open")
  func staleShare() throws {
    let fault = try Fault("stale-connection", percent: 0)
    server.update { $0.set(fault) }
    let client = try RawClient(port: server.port)
    for _ in 0..<3 {
      client.sendRequest(Self.target)
      #expect(try client.readReply().status == 200)
    }
    #expect(server.statistics.connections == 1)
  }

  // MARK: Certificates

  @Test(
    "A certificate fault redirects to https with the method, on a port that stays the same",
    arguments: ["expired-certificate", "wrong-host"])
  func redirects(name: String) throws {
    try set(name)
    var locations: Set<String> = []
    for method in ["GET", "POST"] {
      let reply = try RawClient.Reply.get(
        Self.target, from: server.port, method: method, body: method == "POST" ? "{}" : nil)
      #expect(reply.status == 307)
      locations.insert(try #require(reply.headers["location"]))
    }
    let location = try #require(locations.first)
    #expect(locations.count == 1)
    #expect(
      location.hasPrefix("https://localhost:") && location.hasSuffix("/elsewhere" + Self.target))
    let origin = String(location.dropLast("/elsewhere".count + Self.target.count))
    let mistake: CertificateMistake = name == "wrong-host" ? .wrongHost : .expired
    #expect(server.certificateMistake(at: origin) == mistake)
    #expect(server.certificateMistake(at: try #require(server.baseURL)) == nil)
    // What answers there speaks TLS: a request in plain text gets no answer.
    let port = UInt16(origin.split(separator: ":").last ?? "")
    let client = try RawClient(port: port)
    client.sendRequest(Self.target)
    let answer = try client.readToEnd()
    #expect(!answer.starts(with: "HTTP/1.1 200".utf8))
    server.stop()
    #expect(server.certificateMistake(at: origin) == nil)
    #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
    try server.start()
    #expect(try RawClient.Reply.get(Self.target, from: server.port).status == 307)
  }

  @Test("Without such a fault no further port is opened, and the issuer's certificate is public")
  func issuer() throws {
    #expect(CertificateMistake.allCases.allSatisfy { server.securePort(of: $0) == nil })
    let reply = try RawClient.Reply.get("/issuer.pem", from: server.port)
    #expect(try reply.text() == PracticeServer.issuerCertificate)
    #expect(
      try RawClient.Reply.get("/issuer.pem", from: server.port, method: "POST", body: "").status
        == 405)
  }
}

extension PracticeServer {
  fileprivate func securePort(of mistake: CertificateMistake) -> UInt16? {
    state.securePort(of: mistake)
  }
}
