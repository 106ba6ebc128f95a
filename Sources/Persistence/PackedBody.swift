import Compression
import Networking

/// A body as it lies in the database: compressed, if it is smaller that way.
struct PackedBody: Sendable, Equatable {
  let isCompressed: Bool
  let bytes: [UInt8]

  init(isCompressed: Bool, bytes: [UInt8]) {
    self.isCompressed = isCompressed
    self.bytes = bytes
  }

  init(_ body: [UInt8]) {
    // What has no 64 bytes is smaller without the header and the checksum.
    let packed = body.count < 64 ? nil : try? Gzip.compress(body)
    if let packed, packed.count < body.count {
      self.init(isCompressed: true, bytes: packed)
    } else {
      self.init(isCompressed: false, bytes: body)
    }
  }
}

/// A response as it lies in the database.
struct PackedResponse: Sendable {
  let entry: CacheEntry
  let body: PackedBody

  /// The response itself; nil where the body is not what it was when it was stored.
  var unpacked: CachedResponse? {
    let bytes =
      body.isCompressed
      ? try? Gzip.decompress(body.bytes, outputLimit: entry.bodySize) : body.bytes
    guard let bytes, bytes.count == entry.bodySize else { return nil }
    return CachedResponse(entry: entry, body: bytes)
  }
}
