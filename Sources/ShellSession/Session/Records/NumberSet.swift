/// A set of small, mostly contiguous numbers: one bit for each.
struct NumberSet: Sendable {
  private var words: [UInt64] = []

  /// Inserts a number, which must be at least 0.
  mutating func insert(_ number: Int) {
    let word = number / 64
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    words[word] |= 1 << UInt64(number % 64)
  }

  func contains(_ number: Int) -> Bool {
    guard number >= 0, number / 64 < words.count else { return false }
    return words[number / 64] & (1 << UInt64(number % 64)) != 0
  }
}
