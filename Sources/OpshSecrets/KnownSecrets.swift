import OpshLocking

/// Stores sent credentials, and masks them in any text.
///
/// A text of 8 bytes or more is masked everywhere; one of 6 or 7 only as a whole word; shorter ones
/// are not stored, because masking `a` or `1234` would leave nothing readable. Of one that was cut,
/// what is before the ellipsis is masked. The latest ``limit`` texts are kept. It can be used from
/// any thread.
public final class KnownSecrets: Sendable {
  /// The minimum length in bytes of a stored text.
  public static let minimumLength: Int = 6
  /// The minimum length of a text that is also masked within a word.
  private static let anywhereLength = 8
  /// The maximum length of a stored text.
  private static let maximumLength = 16_384
  /// The maximum number of stored texts.
  public static let limit: Int = 1000

  private struct State {
    /// The oldest first.
    var order: [[UInt8]] = []
    /// By their first four bytes, so that a text is searched in one pass for any number of secrets;
    /// no list is empty.
    var byStart: [UInt32: [[UInt8]]] = [:]
    var generation = 0
  }

  private let state = Locked(State())
  private let isOrdinary: @Sendable (String) -> Bool

  /// Creates an empty list.
  ///
  /// - Parameter isOrdinary: Whether a text is a common word of output, which is never stored:
  ///   masking it would garble the output and protect nothing.
  public init(isOrdinary: @escaping @Sendable (String) -> Bool = { _ in false }) {
    self.isOrdinary = isOrdinary
  }

  /// The number of changes: if it is the same, so is the result of a search.
  public var generation: Int { state.withLock { $0.generation } }

  /// Stores texts; ignores those that are too short.
  public func remember(_ texts: [String]) {
    for text in texts {
      let bytes = Array(text.utf8)
      guard (Self.minimumLength...Self.maximumLength).contains(bytes.count), !isOrdinary(text)
      else { continue }
      state.withLock { state in
        let start = Self.start(of: bytes, at: 0)
        guard state.byStart[start]?.contains(bytes) != true else { return }
        state.byStart[start, default: []].append(bytes)
        state.order.append(bytes)
        state.generation += 1
        guard state.order.count > Self.limit else { return }
        let oldest = state.order.removeFirst()
        let oldestStart = Self.start(of: oldest, at: 0)
        state.byStart[oldestStart]?.removeAll { $0 == oldest }
        if state.byStart[oldestStart]?.isEmpty == true { state.byStart[oldestStart] = nil }
      }
    }
  }

  /// The number of stored prefixes, at most one for each text.
  var startCount: Int { state.withLock { $0.byStart.count } }

  /// Returns a text with a star for each character of a known secret.
  public func mask(_ text: String) -> String {
    let ranges = ranges(in: text)
    guard !ranges.isEmpty else { return text }
    var masked: [UInt8] = []
    var place = 0
    let bytes = Array(text.utf8)
    for range in ranges {
      masked += bytes[place..<range.lowerBound]
      let count = String(decoding: bytes[range], as: UTF8.self).count
      masked += repeatElement(UInt8(ascii: "*"), count: count)
      place = range.upperBound
    }
    return String(decoding: masked + bytes[place...], as: UTF8.self)
  }

  /// Returns whether a text contains a known secret.
  public func occur(in text: String) -> Bool { !ranges(in: text).isEmpty }

  /// Returns where a text holds a secret, as it is masked; nil if it does not.
  public static func range(of secret: String, in text: String) -> Range<String.Index>? {
    let known = KnownSecrets()
    known.remember([secret])
    guard let found = known.ranges(in: text).first else { return nil }
    let start = text.utf8.index(text.startIndex, offsetBy: found.lowerBound)
    return start..<text.utf8.index(start, offsetBy: secret.utf8.count)
  }

  private func ranges(in text: String) -> [Range<Int>] {
    let byStart = state.withLock { $0.byStart }
    guard !byStart.isEmpty else { return [] }
    var text = text
    return text.withUTF8 { bytes in
      var found: [Range<Int>] = []
      for place in 0..<max(0, bytes.count - 3) {
        guard let known = byStart[Self.start(of: bytes, at: place)],
          let length = Self.longest(of: known, in: bytes, at: place)
        else { continue }
        // One secret may begin within another and end after it.
        if let last = found.last, place < last.upperBound {
          found[found.count - 1] = last.lowerBound..<max(last.upperBound, place + length)
        } else {
          found.append(place..<place + length)
        }
      }
      return found
    }
  }

  private static func longest(
    of known: [[UInt8]], in bytes: UnsafeBufferPointer<UInt8>, at place: Int
  ) -> Int? {
    known.compactMap { secret -> Int? in
      let length = zip(secret, bytes[place...]).prefix { $0 == $1 }.count
      let end = place + length
      guard length == secret.count else { return cutLength(of: length, in: bytes, at: place) }
      guard length < anywhereLength else { return length }
      let isInWord =
        place > 0 && isWord(bytes[place - 1]) || end < bytes.count && isWord(bytes[end])
      return isInWord ? nil : length
    }.max()
  }

  /// How much of the beginning of a secret is in a text that was cut there, so that an ellipsis
  /// follows; nil if none does, or the rest is too short to be a secret.
  private static func cutLength(
    of length: Int, in bytes: UnsafeBufferPointer<UInt8>, at place: Int
  ) -> Int? {
    guard length >= minimumLength else { return nil }
    // The next character of the secret may begin with bytes of the ellipsis.
    for length in (max(minimumLength, length - 2)...length).reversed() {
      let rest = bytes[min(place + length, bytes.count)...]
      if rest.starts(with: "…".utf8) || rest.starts(with: "...".utf8) { return length }
    }
    return nil
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80..., UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private static func start(of bytes: some RandomAccessCollection<UInt8>, at place: Int) -> UInt32 {
    let first = bytes.index(bytes.startIndex, offsetBy: place)
    return bytes[first...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
