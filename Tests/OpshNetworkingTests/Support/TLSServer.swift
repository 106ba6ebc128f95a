import Foundation
import TestSupport
import Testing

/// A server that is strict or old about TLS, in a process of its own.
///
/// Written in Python, which has OpenSSL's own server side.
final class TLSServer {
  let url: String
  /// The file with the issuer of its certificate, which clients must trust.
  let issuer: String
  private let folder: TemporaryFolder
  private let process: RunningChild

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - mode: The mode of `Tests/Clients/tls_server.py`.
  ///   - certificate: The certificate that it shows.
  /// - Throws: An error if it cannot be started.
  init(mode: String, certificate: String = TestCertificates.valid) throws {
    folder = try TemporaryFolder()
    issuer = try folder.write(TestCertificates.issuer, to: "issuer.pem")
    let shown = try folder.write(certificate, to: "certificate.pem")
    let key = try folder.write(TestCertificates.privateKey, to: "key.pem")
    process = try RunningChild(
      "/usr/bin/env",
      arguments: [
        "python3", PackageFolder.path + "/Tests/Clients/tls_server.py", shown, key, mode, issuer,
      ])
    let isReady = process.read { output, _ in output.contains("\n") }
    let output = String(decoding: process.stdout, as: UTF8.self)
    try #require(isReady, "\(String(decoding: process.stderr, as: UTF8.self))")
    url = "https://localhost:\(output.trimmingCharacters(in: .newlines))"
  }
}

@available(*, unavailable)
extension TLSServer: Sendable {}
