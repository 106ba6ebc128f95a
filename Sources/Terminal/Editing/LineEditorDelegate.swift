/// What the line editor asks of the program around it.
///
/// Every method is called on the thread that reads the line, between two keys. None may wait
/// for long: nothing is echoed meanwhile.
public protocol LineEditorDelegate: AnyObject {
  /// Returns the prompt; it is asked for at every repaint and may change while a line is typed.
  func prompt() -> StyledText

  /// Returns what stands before the second and further lines of an input.
  func continuationPrompt() -> StyledText

  /// Tells whether Enter hands over the text, or starts a further line of it.
  func isComplete(_ text: String) -> Bool

  /// Returns what may stand at the cursor.
  ///
  /// - Parameters:
  ///   - text: The whole input.
  ///   - cursor: The number of characters before the cursor.
  /// - Returns: The candidates and what they replace.
  func completions(for text: String, cursor: Int) -> CompletionResult

  /// Returns lines to be shown above the input now; asked at most once per frame.
  ///
  /// - Parameter limit: The greatest number of lines that the terminal can take now; may be 0.
  /// - Returns: The lines, and whether there are others.
  func pendingOutput(limit: Int) -> PendingOutput

  /// Runs what the program has to do; called after ``pendingOutput(limit:)``.
  ///
  /// It may call ``LineEditor/printAbove(_:)``.
  func idle()

  /// Decides what a signal does.
  ///
  /// - Parameter signal: The signal.
  /// - Returns: Whether the editor acts as usual, not at all, or ends.
  func didReceive(signal: SignalEvent) -> SignalResponse

  /// The time until the program has something to do in ``idle()`` though nothing wakes the
  /// editor; nil where there is nothing.
  var nextDeadline: Duration? { get }

  /// Returns the input in colours.
  ///
  /// - Parameter text: The whole input.
  /// - Returns: The same characters with styles, or nil for none.
  func highlighted(_ text: String) -> StyledText?
}

/// What becomes of a signal that arrives while a line is read.
public enum SignalResponse: Sendable, Equatable {
  /// What users expect: Ctrl-C drops the line, Ctrl-Z stops, a new size repaints, the others
  /// end the input.
  case standard
  /// Nothing further.
  case ignore
  /// The input ends with ``LineResult/terminated(_:)``.
  case endInput
}

extension LineEditorDelegate {
  /// Returns the usual mark of a continued line.
  public func continuationPrompt() -> StyledText { StyledText("... ", style: .dim) }

  /// Takes every text as complete.
  public func isComplete(_ text: String) -> Bool { true }

  /// Offers nothing.
  public func completions(for text: String, cursor: Int) -> CompletionResult { .none }

  /// Shows nothing.
  public func pendingOutput(limit: Int) -> PendingOutput { .none }

  /// Does nothing.
  public func idle() {}

  /// Acts as users expect.
  public func didReceive(signal: SignalEvent) -> SignalResponse { .standard }

  /// Has no deadline.
  public var nextDeadline: Duration? { nil }

  /// Uses no colours.
  public func highlighted(_ text: String) -> StyledText? { nil }
}
