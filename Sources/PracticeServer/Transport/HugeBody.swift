/// A body of any length, made as it is sent: a page of JSON with one very long item.
final class HugeBody {
  let size: Int
  private let beginning = Array(#"{"items":[""#.utf8)
  private let end = Array(#""],"has_more":false}"#.utf8)
  // The loop outlives every response: it ends by closing all connections.
  private unowned let loop: ServerLoop
  private let connection: ServerConnection

  init(size: Int, loop: ServerLoop, connection: ServerConnection) {
    self.size = max(size, beginning.count + end.count)
    self.loop = loop
    self.connection = connection
  }

  /// Copies a part of the body.
  ///
  /// - Returns: The number of bytes copied.
  func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, size - position)
    for index in 0..<max(0, count) {
      let place = position + index
      if place < beginning.count {
        buffer[index] = beginning[place]
      } else if place >= size - end.count {
        buffer[index] = end[place - (size - end.count)]
      } else {
        // All that is left of this part but the end is the same letter.
        let run = min(count, size - end.count - position) - index
        buffer[index..<index + run].initializeMemory(as: UInt8.self, repeating: 0x78)
        return loop.noteSent(index + run, on: connection)
      }
    }
    return loop.noteSent(max(0, count), on: connection)
  }
}

@available(*, unavailable)
extension HugeBody: Sendable {}
