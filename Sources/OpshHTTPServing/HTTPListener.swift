/// One port that a server listens on.
package final class HTTPListener {
  /// Its place among the ports that the server was started with; nil for one that was opened later.
  package let index: Int?
  unowned let loop: HTTPLoop

  init(index: Int?, loop: HTTPLoop) {
    self.index = index
    self.loop = loop
  }
}

@available(*, unavailable)
extension HTTPListener: Sendable {}
