/// One port that a server listens on.
package final class HTTPListener {
  /// Its place among the ports that the server was started with; nil for one that was opened later.
  package let index: Int?
  /// The port.
  package let port: UInt16
  unowned let loop: HTTPLoop

  init(index: Int?, port: UInt16, loop: HTTPLoop) {
    self.index = index
    self.port = port
    self.loop = loop
  }
}

@available(*, unavailable)
extension HTTPListener: Sendable {}
