/// The words of an enumeration, found by how they are written.
///
/// Every word of a script is looked up; most are told by their first letter, without comparing texts.
struct WordTable<Word: RawRepresentable<String> & CaseIterable & Sendable>: Sendable {
  private let byFirstLetter: [[Word]]

  /// Creates the table of all cases.
  init() {
    var found = [[Word]](repeating: [], count: 256)
    for word in Word.allCases {
      if let first = word.rawValue.utf8.first { found[Int(first)].append(word) }
    }
    byFirstLetter = found
  }

  /// Returns the case that is written so.
  func word(_ letters: some Collection<UInt8>) -> Word? {
    guard let first = letters.first else { return nil }
    return byFirstLetter[Int(first)].first { $0.rawValue.utf8.elementsEqual(letters) }
  }
}
