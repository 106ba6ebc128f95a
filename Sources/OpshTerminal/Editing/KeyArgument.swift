/// The number before a function: Alt and digits, as libedit reads them.
///
/// libedit tells it only its own functions, so the codes are read along.
struct KeyArgument {
  private static let greatest = 10_000

  private var digits: Int?
  private var isComplete = false

  /// The number, if one was typed.
  var value: Int? { digits }
  /// The number of times that the function is to run.
  var count: Int { max(1, digits ?? 1) }

  /// Reads a code that is passed to libedit.
  mutating func read(_ code: Int32, after last: Int32) {
    if isComplete { end() }
    if (0x30...0x39).contains(code), last == 0x1B || digits != nil {
      digits = min((digits ?? 0) * 10 + Int(code - 0x30), Self.greatest)
    } else if code != 0x1B {
      isComplete = true
    }
  }

  /// Forgets the number after the function.
  mutating func end() {
    digits = nil
    isComplete = false
  }
}
