import Foundation

/// An nginx of the benchmark's own, on a free port of this machine.
final class NginxServer {
  let port: Int
  private let process: pid_t

  /// Starts a server that answers each page with the same compressed text, and holds files of
  /// zeros.
  convenience init(
    executable: String, folder: String, page: [UInt8], files: [String: Int]
  ) throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/files", withIntermediateDirectories: true)
    try Data(page).write(to: URL(fileURLWithPath: folder + "/files/questions"))
    let others = files.keys.sorted().map { "location = /\($0) { alias \(folder)/files/\($0); }" }
    try self.init(
      executable: executable, folder: folder, files: files, zones: "",
      locations: """
        location = /2.3/questions {
          alias \(folder)/files/questions; add_header Content-Encoding gzip;
          add_header Cache-Control max-age=60;
        }
        location /put/ {
          alias \(folder)/files/; dav_methods PUT; client_max_body_size 0;
        }
        \(others.joined(separator: "\n"))
        """)
  }

  /// Starts a server with files of zeros, by name and size, and with directives for the whole
  /// server and for its places.
  init(
    executable: String, folder: String, files: [String: Int], zones: String, locations: String
  ) throws {
    port = try Self.freePort()
    try FileManager.default.createDirectory(
      atPath: folder + "/files", withIntermediateDirectories: true)
    for (name, size) in files {
      _ = FileManager.default.createFile(atPath: "\(folder)/files/\(name)", contents: nil)
      guard truncate("\(folder)/files/\(name)", off_t(size)) == 0 else {
        throw Child.Failure.notStarted(folder, errno: errno)
      }
    }
    let text = """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/errors;
      events { worker_connections 256; }
      http {
        access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
        client_body_temp_path \(folder)/b; proxy_temp_path \(folder)/p;
        fastcgi_temp_path \(folder)/f; uwsgi_temp_path \(folder)/u; scgi_temp_path \(folder)/s;
        open_file_cache max=100; default_type application/json;
        \(zones)
        server {
          listen 127.0.0.1:\(port);
          \(locations)
        }
      }
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/nginx.conf"))
    process = try Child.start(
      executable, ["-p", folder, "-e", folder + "/errors", "-c", folder + "/nginx.conf"])
    guard waitUntilReady() else {
      stop()
      throw Child.Failure.timedOut
    }
  }

  func stop() {
    kill(process, SIGTERM)
    _ = Child.wait(for: process)
  }

  private func waitUntilReady() -> Bool {
    for _ in 0..<200 {
      if Self.connects(to: port) { return true }
      usleep(20_000)
    }
    return false
  }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, size) == 0 ? getsockname(descriptor, raw, &size) : -1
      }
    }
    guard status == 0 else { throw Child.Failure.notStarted("socket", errno: errno) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func connects(to port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port: port)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
