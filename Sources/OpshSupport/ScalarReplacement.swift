extension String {
  /// Returns the text with some of its scalars replaced.
  ///
  /// Text that another program reads is escaped by scalars and not by characters: a quotation mark
  /// and the accent after it, or a carriage return and the line feed after it, are one character here
  /// and two there.
  ///
  /// - Parameter replacements: The texts in place of scalars.
  /// - Returns: The text with them.
  package func replacing(scalars replacements: [Unicode.Scalar: String]) -> String {
    guard unicodeScalars.contains(where: { replacements[$0] != nil }) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let text = replacements[scalar] {
        result.append(contentsOf: text.unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}
