import Foundation
import PracticeServer
import TestSupport
import Testing

/// Certificates are verified unless a request says otherwise.
@Suite(
  "TLS", .timeLimit(.minutes(15)),
  .enabled(if: TestIdentity.canServe, TestIdentity.skipReason))
struct TLSTests {
  private let server = PracticeServer(identity: TestIdentity.identity)
  private let folder: TemporaryFolder
  private let bundle: String

  init() throws {
    try server.start()
    folder = try TemporaryFolder()
    bundle = try folder.write(TestIdentity.certificate, to: "certificates.pem")
  }

  private func run(
    _ script: String, environment: [String: String] = [:]
  ) throws -> ChildProcess.Outcome {
    defer { server.stop() }
    let url = try #require(server.baseURL)
    return try Opsh.run(
      ["-c", script.replacing("URL", with: url)], environment: environment)
  }

  @Test(
    "A certificate is trusted if its issuer is in the environment's bundle",
    arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
  func trusted(variable: String) throws {
    let outcome = try run(
      """
      endpoint URL; fetch questions --pagesize 3 --count 5; wait
      expect (questions-5.items == 3 and questions-1.timings.tls > 0ms)
      get 'URL/2.3/info?site=stackoverflow'; wait; show questions-1
      """, environment: [variable: bundle])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains(#/timings.*tls /#))
    // Connections are reused, which saves their set-up.
    #expect(server.statistics.connections <= 2)
  }

  @Test(
    "A certificate is trusted if its issuer is in the environment's folder, as by curl",
    arguments: [
      (["SSL_CERT_DIR"], true), (["SSL_CERT_DIR", "SSL_CERT_FILE"], true),
      (["SSL_CERT_DIR", "CURL_CA_BUNDLE"], false), ([], false),
    ] as [([String], Bool)])
  func trustedFolder(variables: [String], isTrusted: Bool) throws {
    let openssl = try #require(InstalledProgram.path("openssl"), "openssl is not installed")
    let trusted = try TemporaryFolder()
    try trusted.write(TestIdentity.certificate, to: "issuer.pem")
    let rehash = try ChildProcess.run(
      openssl, arguments: ["rehash", trusted.path], environment: Opsh.environment())
    #expect(rehash.status == 0, "\(rehash.errors)")
    let other = trusted.path + "/other"
    let made = try ChildProcess.run(
      openssl,
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
        "/CN=other", "-keyout", trusted.path + "/key", "-out", other,
      ], environment: Opsh.environment())
    #expect(made.status == 0, "\(made.errors)")
    let environment = Dictionary(
      uniqueKeysWithValues: variables.map { ($0, $0.hasSuffix("DIR") ? trusted.path : other) })
    let outcome = try run(
      "get URL/2.3/info?site=stackoverflow; wait --any-outcome; echo (last.outcome)",
      environment: environment)
    #expect(outcome.output == (isTrusted ? "succeeded\n" : "failed\n"), "\(outcome.errors)")
  }

  @Test("A certificate without a trusted issuer is rejected, and no request is sent")
  func untrusted() throws {
    let outcome = try run("get URL/2.3/info; fetch questions --retry 2; wait --any-outcome; ops")
    #expect(outcome.output.components(separatedBy: "✗ tls").count == 2)
    #expect(
      outcome.errors.contains("the server's certificate is self-signed, and not trusted here"))
    #expect(server.statistics.requests == 0)
  }

  @Test("Options of a request name the certificates to trust, or trust all")
  func options() throws {
    let outcome = try run(
      """
      get URL/2.3/info?site=stackoverflow --cacert '\(bundle)' --name trusting; wait trusting
      get URL/2.3/info?site=stackoverflow --insecure --name insecure; wait insecure
      get URL/2.3/info?site=stackoverflow --name usual; wait --any-outcome
      expect (usual.error.code == tls)
      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(server.statistics.requests == 2)
  }

  @Test("A file of certificates that can't be read is refused")
  func refused() throws {
    let outcome = try run(
      "try { get URL/2.3/info --cacert /none/such.pem } catch e { echo ($e.code) }")
    #expect(outcome.output == "file(2)\n", "\(outcome.errors)")
    #expect(server.statistics.requests == 0)
  }

  @Test("A server that requires a certificate of the client gets it")
  func clientCertificate() throws {
    let nginx = try Nginx(files: ["a": "{}"], wantsClientCertificate: true)
    let outcome = try run(
      """
      get \(nginx.url)/a --cert '\(nginx.bundle)' --name keyless
      get \(nginx.url)/a --name none
      wait --any-outcome
      get \(nginx.url)/a --cert '\(nginx.bundle)' --key-file '\(nginx.key)' --name both; wait both
      echo (keyless.error.message)
      echo (none.error.code)
      """, environment: ["SSL_CERT_FILE": nginx.bundle])
    #expect(outcome.output.hasPrefix("the client certificate '\(nginx.bundle)' can't be used"))
    // nginx answers 400 where other servers end the handshake.
    #expect(outcome.output.hasSuffix("\ninvalid-status-code(400)\n"), "\(outcome.output)")
  }

  @Test("A certificate for another host is rejected")
  func otherHost() throws {
    let port = try #require(server.port)
    let outcome = try run(
      "get https://127.0.0.1:\(port)/2.3/info; wait --any-outcome; "
        + "expect (get-1.error.code == tls)", environment: ["SSL_CERT_FILE": bundle])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(server.statistics.requests == 0)
  }
}
