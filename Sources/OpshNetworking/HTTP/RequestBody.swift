/// The body of a request: bytes in memory, the content of files, or both in turn.
///
/// ```swift
/// request.body = .bytes(Array("text".utf8))
/// request.body = RequestBody([.bytes(head), .file(try BodyFile(path: "big.iso")), .bytes(end)])
/// ```
public struct RequestBody: Sendable, Equatable {
  /// A part of a body.
  public enum Part: Sendable, Equatable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// The content of a file, which is read while it is sent.
    case file(BodyFile)

    /// The number of bytes.
    public var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .file(let file): file.size
      }
    }
  }

  /// The parts, in the order in which they are sent.
  public let parts: [Part]

  /// Creates a body of parts.
  public init(_ parts: [Part]) { self.parts = parts }

  /// Returns a body of bytes.
  public static func bytes(_ bytes: [UInt8]) -> RequestBody { RequestBody([.bytes(bytes)]) }

  /// The number of bytes of all parts.
  public var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// All bytes; nil if a part is the content of a file.
  public var heldBytes: [UInt8]? {
    // Not copied, as most bodies are.
    if parts.count == 1, case .bytes(let bytes) = parts[0] { return bytes }
    var all: [UInt8] = []
    for part in parts {
      guard case .bytes(let bytes) = part else { return nil }
      all += bytes
    }
    return all
  }

  /// A longer body is read piece by piece; a short one goes out together with the headers.
  private static let longestCopiedBody = 64 << 10

  /// Whether it is sent as a copy, at once; never if a part is the content of a file.
  var isShort: Bool {
    count <= Self.longestCopiedBody
      && parts.allSatisfy { if case .bytes = $0 { true } else { false } }
  }

  /// The file whose content is the body; nil for other bodies.
  public var soleFile: BodyFile? {
    guard parts.count == 1, case .file(let file) = parts[0] else { return nil }
    return file
  }
}

extension RequestBody: ExpressibleByArrayLiteral {
  /// Creates a body of bytes.
  public init(arrayLiteral elements: UInt8...) { self = .bytes(elements) }
}
