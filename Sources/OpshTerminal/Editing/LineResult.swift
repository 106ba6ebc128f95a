/// The result of reading a line.
public enum LineResult: Sendable, Equatable {
  /// A line, or several where the first ones were incomplete; without the last newline.
  case line(String)
  /// Ctrl-C: the typed text is discarded.
  case interrupted
  /// Ctrl-D on an empty line, or the terminal's end.
  case endOfInput
  /// A signal that ends the input.
  case terminated(SignalEvent)
}
