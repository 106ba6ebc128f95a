import Foundation
import PracticeServer
import TestSupport
import Testing

@testable import OpshNetworking

/// Each failure of TLS is told apart from the others.
@Suite("Failures of TLS", .timeLimit(.minutes(15)))
struct TLSFailureTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let certificate: String
    var trusted = TestCertificates.issuer
    let failure: TLSFailure?
  }

  @Test(
    "A certificate is rejected for the reason there is",
    arguments: [
      Case(testDescription: "valid", certificate: TestCertificates.valid, failure: nil),
      Case(
        testDescription: "expired", certificate: TestCertificates.expired, failure: .expired),
      Case(
        testDescription: "not yet valid", certificate: TestCertificates.future,
        failure: .notYetValid),
      Case(
        testDescription: "wrong host", certificate: TestCertificates.otherHost,
        failure: .wrongHost("localhost")),
      Case(
        testDescription: "self-signed", certificate: TestCertificates.selfSigned,
        failure: .selfSigned),
      Case(
        testDescription: "unknown issuer", certificate: TestCertificates.valid,
        trusted: TestCertificates.selfSigned, failure: .unknownIssuer),
    ])
  func certificates(_ one: Case) async throws {
    let server = TestCertificates.server(one.certificate)
    try server.start()
    defer { server.stop() }
    let url = try #require(server.baseURL)
    let result = try await get(url, trusting: one.trusted)
    switch result {
    case .success: #expect(one.failure == nil)
    case .failure(let error): #expect(error == one.failure.map { .tls($0) })
    }
    #expect(server.statistics.requests == (one.failure == nil ? 1 : 0))
  }

  @Test(
    "Each result of OpenSSL's verification has its own failure",
    arguments: [
      (9, .notYetValid), (10, .expired), (18, .selfSigned), (20, .unknownIssuer), (23, .revoked),
      (62, .wrongHost("h")), (26, nil),
    ] as [(Int, TLSFailure?)])
  func verification(result: Int, failure: TLSFailure?) {
    #expect(TLSFailure(verifyResult: result, host: "h") == failure)
  }

  @Test(
    "A file without trusted certificates is named as the reason", arguments: ["nothing", nil])
  func noCertificates(content: String?) async throws {
    let server = TestCertificates.server(TestCertificates.valid)
    try server.start()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let file = folder.path + "/trusted.pem"
    if let content { try folder.write(content, to: "trusted.pem") }
    let transport = CurlTransport(configuration: .init(environment: ["SSL_CERT_FILE": file]))
    defer { transport.shutdown() }
    let result = try await get(try #require(server.baseURL), by: transport)
    #expect(error(result) == .tls(.unusableCertificates(file: file)))
  }

  @Test("A request that does not verify accepts each certificate, and the next one verifies again")
  func insecure() async throws {
    let server = TestCertificates.server(TestCertificates.expired)
    try server.start()
    defer { server.stop() }
    let transport = CurlTransport(configuration: .init(environment: [:]))
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: try #require(server.baseURL))
    for verifies in [false, true, false] {
      request.transfer.tls.verifiesServer = verifies
      let delegate = RecordingDelegate()
      _ = transport.start(request, delegate: delegate)
      let failure = error(try await delegate.end())
      #expect((failure != nil) == verifies)
    }
    #expect(server.statistics.requests == 2)
  }

  @Test("The certificates of a request come before those of the environment")
  func trustedByRequest() async throws {
    let server = TestCertificates.server(TestCertificates.valid)
    try server.start()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let transport = CurlTransport(
      configuration: .init(environment: ["SSL_CERT_FILE": folder.path + "/missing"]))
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: try #require(server.baseURL))
    request.transfer.tls.trustedCertificatesFile = try folder.write(
      TestCertificates.issuer, to: "own.pem")
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    #expect(error(try await delegate.end()) == nil)
  }

  @Test("An empty variable names no file of certificates, and the next one counts")
  func emptyVariable() async throws {
    let server = TestCertificates.server(TestCertificates.valid)
    try server.start()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let file = try folder.write(TestCertificates.issuer, to: "own.pem")
    let transport = CurlTransport(
      configuration: .init(environment: ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": file]))
    defer { transport.shutdown() }
    #expect(error(try await get(try #require(server.baseURL), by: transport)) == nil)
  }

  @Test("A redirect to another origin does not present the client's certificate")
  func clientCertificateOfOrigin() throws {
    var request = try HTTPRequest(url: "https://a.example/")
    request.transfer.tls.clientCertificateFile = "cert.pem"
    request.transfer.tls.clientKeyFile = "key.pem"
    request.transfer.tls.trustedCertificatesFile = "own.pem"
    let same = try request.redirected(
      to: WebAddress(parsing: "https://a.example/b"), method: "GET", keepsBody: false)
    #expect(same.transfer.tls == request.transfer.tls)
    let other = try request.redirected(
      to: WebAddress(parsing: "https://b.example/"), method: "GET", keepsBody: false)
    #expect(other.transfer.tls.clientCertificateFile == nil)
    #expect(other.transfer.tls.clientKeyFile == nil)
    #expect(other.transfer.tls.trustedCertificatesFile == "own.pem")
  }

  @Test(
    "A server that does not complete the handshake has an error of its own",
    arguments: [
      // What answers is not TLS.
      (Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8), TLSFailure.notTLS),
      (Array("220 mail.example ESMTP\r\n".utf8), .notTLS),
      // Alerts of the level fatal: protocol_version, handshake_failure, insufficient_security.
      ([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 70], .protocolMismatch),
      ([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 40], .handshakeRefused),
      ([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 71], .protocolMismatch),
      // bad_certificate, as some servers say if there is none; certificate_required.
      ([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 42], .clientCertificateRequired),
      ([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 116], .clientCertificateRequired),
      ([], .connectionClosed),
    ] as [([UInt8], TLSFailure)])
  func peers(bytes: [UInt8], failure: TLSFailure) async throws {
    let server = try LoopbackServer { connection in
      // The greeting is read, so that closing the connection does not reset it.
      connection.readSome()
      connection.send(bytes)
    }
    defer { server.stop() }
    let result = try await get("https://localhost:\(server.port)", trusting: nil)
    #expect(error(result) == .tls(failure))
  }

  @Test("A server that resets the connection after the greeting has closed it")
  func resetHandshake() async throws {
    let server = try LoopbackServer { connection in
      connection.readSome()
      connection.reset()
    }
    defer { server.stop() }
    let result = try await get("https://localhost:\(server.port)", trusting: nil)
    #expect(error(result) == .tls(.connectionClosed))
  }

  @Test("A server that never answers the greeting exceeds the connect timeout in the handshake")
  func silentHandshake() async throws {
    let server = try LoopbackServer { $0.stall() }
    defer { server.stop() }
    let transport = CurlTransport()
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: "https://127.0.0.1:\(server.port)/")
    request.transfer.connectTimeout = .seconds(5)
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    let expected = RequestTimeout(.handshake, limit: .seconds(5))
    let failure = error(try await delegate.end())
    #expect(failure == .timedOut(expected))
  }

  @Test("Every failure has a sentence of its own")
  func messages() {
    let failures: [TLSFailure] = [
      .expired, .notYetValid, .wrongHost("a"), .selfSigned, .unknownIssuer,
      .noTrustedCertificates, .revoked, .protocolMismatch, .notTLS, .connectionClosed,
      .clientCertificateRequired, .unusableCertificates(file: "a"), .handshakeRefused,
      .clientCertificateRejected(file: "a"), .unusableClientCertificate(file: "a"), .other("x"),
    ]
    #expect(Set(failures.map(\.message)).count == failures.count)
    #expect(Set(failures.map { NetworkError.tls($0).topic }).count == failures.count)
    #expect(failures.allSatisfy { NetworkError.tls($0).code == "tls" })
  }

  @Test(
    "The number of OpenSSL says what failed, in the form of each of its releases",
    arguments: [
      ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", nil, .notTLS),
      ("error:1408F10B:SSL routines:ssl3_get_record:wrong version number", nil, .notTLS),
      (
        "OpenSSL SSL_read: OpenSSL/3.0.19: error:0A00045C:SSL routines::tlsv13 alert certificate "
          + "required, errno 0", nil, .clientCertificateRequired
      ),
      (
        "error:1409445C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required", nil,
        .clientCertificateRequired
      ),
      ("error:0A000418:SSL routines::tlsv1 alert unknown ca", nil, .clientCertificateRequired),
      (
        "error:0A000418:SSL routines::tlsv1 alert unknown ca", "c.pem",
        .clientCertificateRejected(file: "c.pem")
      ),
      (
        "error:0A000415:SSL routines::alert certificate expired", "c",
        .clientCertificateRejected(file: "c")
      ),
      ("error:0A000102:SSL routines::unsupported protocol", nil, .protocolMismatch),
      ("error:0A00014D:SSL routines::legacy sigalg disallowed", nil, .protocolMismatch),
      ("error:0A000410:SSL routines::sslv3 alert handshake failure", nil, .handshakeRefused),
      ("error:0A000126:SSL routines::unexpected eof while reading", nil, .connectionClosed),
      ("error:0A0003FC:SSL routines::alert bad record mac", nil, nil),
      ("Recv failure: Connection reset by peer", nil, nil),
    ] as [(String, String?, TLSFailure?)])
  func numbers(text: String, file: String?, failure: TLSFailure?) {
    #expect(TLSFailure(errorText: text, clientCertificate: file) == failure)
  }

  /// A server of its own process, one client certificate or none, and the result.
  struct Peer: Sendable, CustomTestStringConvertible {
    let mode: String
    var presents: String?
    let failure: TLSFailure?
    var testDescription: String { "\(mode), \(presents == nil ? "no" : "a") client certificate" }
  }

  @Test(
    "A server that is old, or requires a client certificate, is told apart",
    arguments: [
      Peer(mode: "TLSv1_3", failure: nil), Peer(mode: "TLSv1_2", failure: nil),
      Peer(mode: "TLSv1_1", failure: .protocolMismatch),
      Peer(mode: "TLSv1", failure: .protocolMismatch),
      Peer(mode: "TLSv1_3+client", failure: .clientCertificateRequired),
      // By TLS 1.2 OpenSSL says handshake_failure.
      Peer(mode: "TLSv1_2+client", failure: .handshakeRefused),
      Peer(mode: "TLSv1_3+client", presents: TestCertificates.valid, failure: nil),
      Peer(mode: "TLSv1_2+client", presents: TestCertificates.valid, failure: nil),
      Peer(
        mode: "TLSv1_3+client", presents: TestCertificates.selfSigned,
        failure: .clientCertificateRejected(file: "client.pem")),
      Peer(
        mode: "TLSv1_2+client", presents: TestCertificates.selfSigned,
        failure: .clientCertificateRejected(file: "client.pem")),
    ])
  func strictServers(_ peer: Peer) async throws {
    let server = try TLSServer(mode: peer.mode)
    let folder = try TemporaryFolder()
    let transport = CurlTransport(configuration: .init(environment: [:]))
    defer { transport.shutdown() }
    for method in ["GET", "POST"] {
      var request = try HTTPRequest(method: method, url: server.url)
      request.timeout = .seconds(60)
      request.transfer.tls.trustedCertificatesFile = server.issuer
      if let certificate = peer.presents {
        request.transfer.tls.clientCertificateFile = try folder.write(certificate, to: "client.pem")
        request.transfer.tls.clientKeyFile = try folder.write(
          TestCertificates.privateKey, to: "key.pem")
      }
      let delegate = RecordingDelegate()
      _ = transport.start(request, delegate: delegate)
      var expected = peer.failure
      if case .clientCertificateRejected(let name)? = expected {
        expected = .clientCertificateRejected(file: "\(folder.path)/\(name)")
      }
      #expect(error(try await delegate.end()) == expected.map { .tls($0) }, "\(method)")
    }
  }

  @Test("An encrypted key is an error, and nothing asks for its pass phrase")
  func encryptedKey() async throws {
    let server = try TLSServer(mode: "TLSv1_3+client")
    let folder = try TemporaryFolder()
    let key = try folder.write(TestCertificates.encryptedKey, to: "key.pem")
    let transport = CurlTransport(configuration: .init(environment: [:]))
    defer { transport.shutdown() }
    var request = try HTTPRequest(url: server.url)
    request.timeout = .seconds(60)
    request.transfer.tls.trustedCertificatesFile = server.issuer
    request.transfer.tls.clientCertificateFile = try folder.write(
      TestCertificates.valid, to: "client.pem")
    request.transfer.tls.clientKeyFile = key
    let delegate = RecordingDelegate()
    _ = transport.start(request, delegate: delegate)
    #expect(error(try await delegate.end()) == .tls(.encryptedClientKey(file: key)))
  }

  @Test(
    "The practice server's own issuer is trusted at its ports alone, where no other is named",
    arguments: [
      ("expired-certificate", TLSFailure.expired), ("wrong-host", .wrongHost("localhost")),
    ])
  func practice(name: String, failure: TLSFailure) async throws {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let fault = try Fault(name)
    server.update { $0.set(fault) }
    let folder = try TemporaryFolder()
    let other = try folder.write(TestCertificates.issuer, to: "other.pem")
    let url = try #require(server.baseURL) + "/2.3/info?site=stackoverflow"
    let trusting = CurlTransport(configuration: .init(environment: ["SSL_CERT_FILE": other])) {
      server.certificateMistake(at: $0).map { _ in PracticeServer.issuerCertificate }
    }
    defer { trusting.shutdown() }
    #expect(error(try await get(url, by: trusting)) == .tls(failure))
    var request = try HTTPRequest(url: url)
    request.transfer.tls.trustedCertificatesFile = other
    let named = RecordingDelegate()
    _ = trusting.start(request, delegate: named)
    #expect(error(try await named.end()) == .tls(.unknownIssuer))
    #expect(error(try await get(url, trusting: nil)) == .tls(.unknownIssuer))
    #expect(error(try await get(url, trusting: PracticeServer.issuerCertificate)) == .tls(failure))
    // The request is answered where the certificate does not matter, with the faults of the answer.
    let late = try Fault("latency", duration: .milliseconds(1))
    let raw = try Fault("reset")
    server.update {
      $0.set(late)
      $0.set(raw)
    }
    var insecure = try HTTPRequest(url: url)
    insecure.transfer.tls.verifiesServer = false
    let answered = RecordingDelegate()
    _ = trusting.start(insecure, delegate: answered)
    // The redirect itself is plain, and is reset.
    #expect(error(try await answered.end()) == .connectionLost)
    server.update { $0.remove(named: "reset") }
    let second = RecordingDelegate()
    _ = trusting.start(insecure, delegate: second)
    #expect(error(try await second.end()) == nil)
    #expect(second.record.heads.map(\.status) == [200])
  }

  private func error(_ result: Result<TransferSummary, NetworkError>) -> NetworkError? {
    if case .failure(let error) = result { error } else { nil }
  }

  /// Makes a request that trusts the certificates of a text alone.
  private func get(
    _ url: String, trusting certificates: String?
  ) async throws -> Result<TransferSummary, NetworkError> {
    let folder = try TemporaryFolder()
    let file = try folder.write(certificates ?? TestCertificates.issuer, to: "trusted.pem")
    let transport = CurlTransport(configuration: .init(environment: ["SSL_CERT_FILE": file]))
    defer { transport.shutdown() }
    return try await get(url, by: transport)
  }

  private func get(
    _ url: String, by transport: CurlTransport
  ) async throws -> Result<TransferSummary, NetworkError> {
    let delegate = RecordingDelegate()
    _ = transport.start(try HTTPRequest(url: url), delegate: delegate)
    return try await delegate.end()
  }
}
