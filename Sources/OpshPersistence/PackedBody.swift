import OpshCompression
import OpshNetworking

/// A body in the database: compressed, if that is smaller.
struct PackedBody: Sendable, Equatable {
  let isCompressed: Bool
  let bytes: [UInt8]
}

extension PackedBody {
  init(_ body: [UInt8]) {
    // Below 64 bytes the header and the checksum exceed the savings.
    let packed = body.count < 64 ? nil : try? Gzip.compress(body)
    if let packed, packed.count < body.count {
      self.init(isCompressed: true, bytes: packed)
    } else {
      self.init(isCompressed: false, bytes: body)
    }
  }
}

/// A response in the database.
struct PackedResponse: Sendable {
  let entry: CacheEntry
  let body: PackedBody

  /// The response; nil if the body is damaged.
  var unpacked: CachedResponse? {
    let bytes =
      body.isCompressed
      ? try? Gzip.decompress(body.bytes, outputLimit: entry.bodySize) : body.bytes
    guard let bytes, bytes.count == entry.bodySize else { return nil }
    return CachedResponse(entry: entry, body: bytes)
  }
}
