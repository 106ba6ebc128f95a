import Foundation
import TestSupport

/// A listening socket whose queue of connections is full, so that further ones are not set up.
final class FullListener: Sendable {
  let port: UInt16
  private let descriptors: [Int32]

  init() throws {
    let (listener, port) = try Loopback.listen(backlog: 0)
    self.port = port
    // Linux takes one more than it is told.
    let clients = (0..<4).map { _ in
      let client = Loopback.makeSocket(isBlocking: false)
      _ = Loopback.connect(client, to: port)
      return client
    }
    descriptors = [listener] + clients
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
