import Foundation
import TestSupport
import Testing

/// An nginx with HTTP/2 for one test; `scripts/test` installs it.
final class Nginx {
  /// The program, which is often in a folder that is only in root's path; nil if it is not
  /// installed.
  private static let executable: String? =
    InstalledProgram.path("nginx", in: ["/usr/sbin", "/usr/local/sbin"])

  let url: String
  private let folder: TemporaryFolder
  private let process: RunningChild

  /// Starts a server whose folder contains files, by path.
  ///
  /// - Parameters:
  ///   - files: Their contents, by path.
  ///   - wantsClientCertificate: Whether clients have to present the certificate of the server.
  /// - Throws: What keeps it from starting.
  init(files: [String: String], wantsClientCertificate: Bool = false) throws {
    let executable = try #require(Self.executable, "nginx is not installed")
    folder = try TemporaryFolder()
    for (path, content) in files { try folder.write(content, to: "files/" + path) }
    let certificate = try folder.write(TestIdentity.certificate, to: "certificate.pem")
    let key = try folder.write(TestIdentity.privateKey, to: "key.pem")
    let port = try Loopback.freePort()
    url = "https://localhost:\(port)"
    let place = folder.path
    try folder.write(
      """
      daemon off; master_process off; pid \(place)/pid; error_log stderr;
      events { worker_connections 256; }
      http {
        log_format short '$server_protocol $connection $request_uri'; access_log \(place)/log short;
        client_body_temp_path \(place)/b; proxy_temp_path \(place)/p;
        fastcgi_temp_path \(place)/f; uwsgi_temp_path \(place)/u; scgi_temp_path \(place)/s;
        default_type application/json;
        server {
          listen 127.0.0.1:\(port) ssl http2; root \(place)/files;
          ssl_certificate \(certificate); ssl_certificate_key \(key);
          \(wantsClientCertificate ? "ssl_client_certificate \(certificate); ssl_verify_client on;" : "")
          location /slow/ { limit_rate 20k; }
        }
      }
      """, to: "nginx.conf")
    process = try RunningChild(
      executable, arguments: ["-p", place, "-e", "stderr", "-c", place + "/nginx.conf"])
    let child = process
    #expect(
      eventually { Self.accepts(port) }, "\(String(decoding: child.stderr, as: UTF8.self))")
  }

  /// The certificate that clients must trust.
  var bundle: String { folder.path + "/certificate.pem" }

  /// The private key of the certificate.
  var key: String { folder.path + "/key.pem" }

  /// The received requests: protocol, number of the connection, path.
  var requests: [(version: String, connection: String, path: String)] {
    (folder.read("log") ?? "").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      return words.count == 3 ? (words[0], words[1], words[2]) : nil
    }
  }

  private static func accepts(_ port: UInt16) -> Bool {
    guard let connection = Loopback.connect(to: port) else { return false }
    close(connection)
    return true
  }
}

@available(*, unavailable)
extension Nginx: Sendable {}
