import Foundation

/// Collects a body whose length is not known, without holding it twice at any time.
///
/// An array that grows holds its old and its new storage while it moves, up to three times the body.
/// Here a long body is kept in blocks, which are given back one by one as they are copied into the
/// array that is the result. The blocks come from the system and not from the C library, which would
/// keep them.
///
/// It belongs to one thread at a time.
final class BodyBuffer {
  /// What is not worth a block.
  private static let longestStart = 256 << 10
  private static let blockSize = 4 << 20

  private(set) var count = 0
  private var start: [UInt8] = []
  private var blocks: [UnsafeMutableRawPointer] = []
  /// The number of bytes in the last block.
  private var lastCount = BodyBuffer.blockSize

  deinit { for block in blocks { munmap(block, Self.blockSize) } }

  /// Adds bytes; returns whether there was memory for them.
  func append(_ bytes: [UInt8]) -> Bool {
    if blocks.isEmpty, count + bytes.count <= Self.longestStart {
      // Most bodies come in one piece, which is not copied.
      if start.isEmpty { start = bytes } else { start += bytes }
      count += bytes.count
      return true
    }
    return bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        guard let room = room() else { return false }
        let part = rest.prefix(room.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
        rest = rest.dropFirst(part.count)
        lastCount += part.count
        count += part.count
      }
      return true
    }
  }

  /// Returns all bytes and forgets them.
  func take() -> [UInt8] {
    defer { (start, count) = ([], 0) }
    guard !blocks.isEmpty else { return start }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      let result = UnsafeMutableRawBufferPointer(buffer)
      result.copyBytes(from: start)
      var position = start.count
      while position < count {
        let block = blocks.removeFirst()
        let size = min(Self.blockSize, count - position)
        UnsafeMutableRawBufferPointer(rebasing: result[position...])
          .copyMemory(from: UnsafeRawBufferPointer(start: block, count: size))
        munmap(block, Self.blockSize)
        position += size
      }
      lastCount = Self.blockSize
      initializedCount = position
    }
  }

  /// The free part of the last block, after adding one if needed; nil without memory.
  private func room() -> UnsafeMutableRawBufferPointer? {
    if lastCount == Self.blockSize {
      let block = mmap(
        nil, Self.blockSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let block, block != MAP_FAILED else { return nil }
      blocks.append(block)
      lastCount = 0
    }
    return blocks.last.map { block in
      UnsafeMutableRawBufferPointer(
        start: block + lastCount, count: Self.blockSize - lastCount)
    }
  }
}

@available(*, unavailable)
extension BodyBuffer: Sendable {}
