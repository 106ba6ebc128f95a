/// Formats a count with thousands separators.
package enum GroupedNumber {
  /// Writes a number with a comma before every third digit from the right: 84,312.
  package static func text(_ number: Int) -> String {
    var text = ""
    let digits = String(number.magnitude)
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }
}
