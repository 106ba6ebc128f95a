/// A key or paste, decoded from the terminal's bytes.
enum Key: Equatable {
  /// A character, or a control character such as Ctrl-A.
  case scalar(Unicode.Scalar)
  /// The escape key, or Alt held down with the key that follows.
  case escape
  /// A key without a character.
  case special(SpecialKey)
  /// Text that was pasted, as one piece.
  case paste(String)
}

/// Names the keys that send a sequence instead of a character.
enum SpecialKey: UInt8, CaseIterable {
  case up, down, left, right
  case home, end, delete
  case wordLeft, wordRight
  case older, newer
  case backTab
  case deleteWord
}
