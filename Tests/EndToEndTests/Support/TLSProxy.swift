import Foundation
import TestSupport
import Testing

/// Speaks TLS for a server that does not, such as the practice server where it sends what no HTTP
/// server's library would; written in Python, whose TLS is not ours.
final class TLSProxy {
  /// The interpreter; nil where it is not installed.
  static let python: String? = InstalledProgram.path("python3")

  static let skipReason: Comment = "python3 is not installed here"

  let url: String
  /// The certificate that clients have to trust.
  let bundle: String
  private let folder: TemporaryFolder
  private let process: RunningChild

  /// Starts a proxy in front of the server on a port.
  init(port: UInt16) throws {
    let python = try #require(Self.python)
    folder = try TemporaryFolder()
    bundle = try folder.write(TestIdentity.certificate, to: "certificate.pem")
    let key = try folder.write(TestIdentity.privateKey, to: "key.pem")
    process = try RunningChild(
      python,
      arguments: [Opsh.packageDirectory + "/Tests/Clients/tls_proxy.py", bundle, key, "\(port)"])
    let isReady = process.read { output, _ in output.contains("\n") }
    let output = String(decoding: process.stdout, as: UTF8.self)
    #expect(isReady, "\(String(decoding: process.stderr, as: UTF8.self))")
    url = "https://localhost:\(output.trimmingCharacters(in: .newlines))"
  }
}

@available(*, unavailable)
extension TLSProxy: Sendable {}
