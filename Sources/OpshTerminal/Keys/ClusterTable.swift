/// Lets libedit edit grapheme clusters, though it knows only code points.
///
/// Each cluster of several scalars is replaced by a stand-in: one code point of the private planes
/// 15 and 16, which no keyboard sends. To libedit 👩‍💻 is then one character, which an arrow key
/// skips and Backspace deletes as a whole. Scalars with a special meaning in libedit or in this
/// table get a stand-in as well.
final class ClusterTable {
  private static let first: Int32 = 0xF0000
  private static let last: Int32 = 0x10FFFD

  private var codes: [String: Int32] = [:]
  private var clusters: [String] = []

  /// Returns the code points for a text, one per cluster.
  func encode(_ text: String) -> [Int32] {
    var result: [Int32] = []
    result.reserveCapacity(text.utf8.count)
    for character in text { append(character, to: &result) }
    return result
  }

  /// Returns the code point for a single cluster, or nil if the table is full.
  func code(for cluster: String) -> Int32? {
    if cluster == "\r\n" { return 0x0A }
    let scalars = cluster.unicodeScalars
    if let scalar = scalars.first, scalars.count == 1, !Self.isReserved(scalar) {
      return Int32(scalar.value)
    }
    if let code = codes[cluster] { return code }
    let code = Self.first + Int32(clusters.count)
    guard code <= Self.last else { return nil }
    clusters.append(cluster)
    codes[cluster] = code
    return code
  }

  /// Returns the characters that a code point stands for.
  func decode(_ code: Int32) -> String {
    let index = Int(code) - Int(Self.first)
    if clusters.indices.contains(index) { return clusters[index] }
    guard let scalar = Unicode.Scalar(UInt32(bitPattern: code)) else { return "\u{FFFD}" }
    return String(Character(scalar))
  }

  private func append(_ character: Character, to result: inout [Int32]) {
    if let code = code(for: String(character)) {
      result.append(code)
    } else {
      // After a hundred thousand different clusters in one session, further ones are edited scalar
      // by scalar, with the correct result.
      for scalar in character.unicodeScalars {
        result.append(Self.isReserved(scalar) ? 0xFFFD : Int32(scalar.value))
      }
    }
  }

  /// The end of libedit's strings, the codes of special keys, and the stand-ins themselves.
  private static func isReserved(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0 || (0x80...0x9F).contains(scalar.value) || scalar.value >= UInt32(first)
  }
}
