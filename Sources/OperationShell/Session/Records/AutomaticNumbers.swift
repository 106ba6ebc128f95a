import Foundation

/// The numbers of automatic names: `questions-1`, `questions-2`, and so on.
///
/// A number is used once: by an automatic name, or by a name that was asked for and looks like one.
struct AutomaticNumbers: Sendable {
  /// The highest number that an automatic name has had, by its word.
  private var counters: [String: Int] = [:]
  /// Higher numbers that were asked for, as ranges: those of a million names can be one range.
  private var asked: [String: IndexSet] = [:]

  /// Returns the next automatic name of a word; takes constant time for each number it leaves out.
  mutating func next(for word: String) -> String {
    var number = counters[word, default: 0] + 1
    while asked[word]?.remove(number) != nil { number += 1 }
    if asked[word]?.isEmpty == true { asked[word] = nil }
    counters[word] = number
    return "\(word)-\(number)"
  }

  /// In how many ranges the numbers are kept that were asked for.
  func rangeCount(of word: String) -> Int { asked[word]?.rangeView.count ?? 0 }

  /// Notes the name of an operation, so that no automatic name has its number.
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
