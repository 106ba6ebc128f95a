/// The interface of the line editor to the program that uses it.
///
/// Every method is called on the thread that reads the line, between two keys. None may wait for
/// long, because nothing is echoed meanwhile.
public protocol LineEditorDelegate: AnyObject {
  /// Returns the prompt; called at every repaint, so it may change while a line is typed.
  func prompt() -> StyledText

  /// Returns the prompt of the second and further lines of an input.
  func continuationPrompt() -> StyledText

  /// Returns whether Enter completes the input, or adds a line to it.
  func isComplete(_ text: String) -> Bool

  /// Returns the candidates at the cursor.
  ///
  /// - Parameters:
  ///   - text: The whole input.
  ///   - cursor: The number of characters before the cursor.
  /// - Returns: The candidates and the range they replace.
  func completions(for text: String, cursor: Int) -> CompletionResult

  /// Returns lines to show above the input now; called at most once per frame.
  ///
  /// - Parameter limit: The maximum number of lines that the terminal accepts now; may be 0.
  /// - Returns: The lines, and whether there are others.
  func pendingOutput(limit: Int) -> PendingOutput

  /// Does pending work of the program; called after ``pendingOutput(limit:)``.
  ///
  /// It may call ``LineEditor/printAbove(_:)``.
  func idle()

  /// Decides how to handle a signal.
  ///
  /// - Parameter signal: The signal.
  /// - Returns: Whether the editor handles it as usual, ignores it, or ends the input.
  func didReceive(signal: SignalEvent) -> SignalResponse

  /// The time until the program has work for ``idle()`` without a wake-up; nil if there is none.
  var nextDeadline: Duration? { get }

  /// Returns the input in colours.
  ///
  /// - Parameter text: The whole input.
  /// - Returns: The same characters with styles, or nil for none.
  func highlighted(_ text: String) -> StyledText?
}

/// How to handle a signal that arrives while a line is read.
public enum SignalResponse: Sendable, Equatable {
  /// The usual effect: Ctrl-C discards the line, Ctrl-Z stops, a new size repaints, the others end
  /// the input.
  case standard
  /// No effect.
  case ignore
  /// The input ends with ``LineResult/terminated(_:)``.
  case endInput
}

extension LineEditorDelegate {
  /// Returns the default prompt of a continued line.
  public func continuationPrompt() -> StyledText { StyledText("... ", style: .dim) }

  /// Accepts every text as complete.
  public func isComplete(_ text: String) -> Bool { true }

  /// Returns no candidates.
  public func completions(for text: String, cursor: Int) -> CompletionResult { .none }

  /// Returns no lines.
  public func pendingOutput(limit: Int) -> PendingOutput { .none }

  /// Does nothing.
  public func idle() {}

  /// Returns the usual effect.
  public func didReceive(signal: SignalEvent) -> SignalResponse { .standard }

  /// Has no deadline.
  public var nextDeadline: Duration? { nil }

  /// Uses no colours.
  public func highlighted(_ text: String) -> StyledText? { nil }
}
