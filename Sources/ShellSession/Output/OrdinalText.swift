import ShellOutput

/// Places in an order: `1st`, `2nd`, `11th`.
package enum OrdinalText {
  /// The text of a place.
  package static func text(_ number: Int) -> String {
    let ending =
      (11...13).contains(number % 100)
      ? "th" : [1: "st", 2: "nd", 3: "rd"][number % 10] ?? "th"
    return GroupedNumber.text(number) + ending
  }
}
