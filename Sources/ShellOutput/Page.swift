package import OpshTerminal

/// Receives the lines of a typed command before they are printed, to show them page by page.
package protocol Page: AnyObject, Sendable {
  /// Adds a line of the command's text; returns false if the line has to be printed directly.
  func take(_ line: StyledText) -> Bool

  /// Prints the held lines; later ones are printed directly.
  func print()
}
