import Foundation

/// A listening socket whose queue of connections is full, so that further ones are not set up.
final class FullListener: Sendable {
  let port: UInt16
  private let descriptors: [Int32]

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        guard bind(listener, raw, size) == 0, listen(listener, 0) == 0 else { return Int32(-1) }
        return getsockname(listener, raw, &size)
      }
    }
    guard status == 0 else { throw LoopbackServer.Failure(what: "bind") }
    port = UInt16(bigEndian: address.sin_port)
    var descriptors = [listener]
    // Linux takes one more than it is told.
    for _ in 0..<4 {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      descriptors.append(client)
      _ = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) }
      }
    }
    self.descriptors = descriptors
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
