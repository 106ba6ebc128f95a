extension Output {
  /// Some of the streams, as bits: a `Set` looks up at the start how its elements are hashed.
  package struct Streams: Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt8 = 0

    /// Creates the set of some streams.
    package init(arrayLiteral elements: Stream...) { for stream in elements { insert(stream) } }

    package var isEmpty: Bool { bits == 0 }

    package func contains(_ stream: Stream) -> Bool { bits & bit(stream) != 0 }

    package mutating func insert(_ stream: Stream) { bits |= bit(stream) }

    /// Removes a stream; returns whether it was there.
    @discardableResult
    package mutating func remove(_ stream: Stream) -> Bool {
      defer { bits &= ~bit(stream) }
      return contains(stream)
    }

    private func bit(_ stream: Stream) -> UInt8 { stream == .standardOutput ? 1 : 2 }
  }
}
