import Foundation
import TestSupport
import Testing

/// Provides TLS for a server without it, such as the practice server, which sends responses that no
/// HTTP library would send.
///
/// Written in Python, whose TLS implementation is independent of ours.
final class TLSProxy {
  /// The interpreter; nil if it is not installed.
  private static let python: String? = InstalledProgram.path("python3")

  let url: String
  /// The certificate that clients must trust.
  let bundle: String
  private let folder: TemporaryFolder
  private let process: RunningChild

  /// Starts a proxy in front of the server on a port.
  init(port: UInt16) throws {
    let python = try #require(Self.python, "python3 is not installed")
    folder = try TemporaryFolder()
    bundle = try folder.write(TestIdentity.certificate, to: "certificate.pem")
    let key = try folder.write(TestIdentity.privateKey, to: "key.pem")
    process = try RunningChild(
      python,
      arguments: [PackageFolder.path + "/Tests/Clients/tls_proxy.py", bundle, key, "\(port)"])
    let isReady = process.read { output, _ in output.contains("\n") }
    let output = String(decoding: process.stdout, as: UTF8.self)
    #expect(isReady, "\(String(decoding: process.stderr, as: UTF8.self))")
    url = "https://localhost:\(output.trimmingCharacters(in: .newlines))"
  }
}

@available(*, unavailable)
extension TLSProxy: Sendable {}
