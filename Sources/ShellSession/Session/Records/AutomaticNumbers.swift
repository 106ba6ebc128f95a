import Foundation

/// The numbers of automatic names: `questions-1`, `questions-2`, and so on.
///
/// A number is used once: by an automatic name, or by a chosen name that looks like one.
struct AutomaticNumbers: Sendable {
  /// The highest number of an automatic name, by word.
  private var counters: [String: Int] = [:]
  /// Higher numbers of chosen names, as ranges: those of a million names can be one range.
  private var asked: [String: IndexSet] = [:]

  /// Returns the next automatic name of a word; takes constant time for each skipped number.
  mutating func next(for word: String) -> String {
    var number = counters[word, default: 0] + 1
    if !asked.isEmpty, var numbers = asked.removeValue(forKey: word) {
      while numbers.remove(number) != nil { number += 1 }
      if !numbers.isEmpty { asked[word] = numbers }
    }
    counters[word] = number
    return "\(word)-\(number)"
  }

  /// The number of ranges in which the numbers of chosen names are stored.
  func rangeCount(of word: String) -> Int { asked[word]?.rangeView.count ?? 0 }

  /// Records the name of an operation, so that no automatic name reuses its number.
  mutating func note(_ name: String) {
    let letters = name.utf8
    guard let dash = letters.lastIndex(of: UInt8(ascii: "-")) else { return }
    let digits = letters[letters.index(after: dash)...]
    guard let first = digits.first, (0x31...0x39).contains(first),
      let number = Int(Substring(digits)), number < Int.max - 1
    else { return }
    let word = String(name[..<dash])
    if number > counters[word, default: 0] { asked[word, default: IndexSet()].insert(number) }
  }
}
