/// The one word that may begin with `#`: the position in `at #120 why x`.
///
/// Only a digit directly after the sign, in the first argument of that command, makes it a word;
/// everywhere else a comment begins.
enum LogPositionWord {
  /// The command whose first argument it can be.
  static let command = "at"

  /// Whether the sign with this byte after it begins a position.
  static func begins(with next: UInt8?) -> Bool { next?.isDigit == true }
}
