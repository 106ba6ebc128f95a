/// The interface of the line editor to the program that uses it.
///
/// Every method is called on the thread that reads the line, between two keys. None may wait for
/// long, because nothing is echoed meanwhile.
public protocol LineEditorDelegate: AnyObject {
  /// Returns the prompt; called at every repaint, so it may change while a line is typed.
  func prompt() -> StyledText

  /// Returns the title of the terminal's window; nil for no change.
  func title() -> String?

  /// Returns whether Enter completes the input, or adds a line to it.
  func isComplete(_ text: String) -> Bool

  /// Returns the candidates at the cursor.
  ///
  /// - Parameters:
  ///   - text: The whole input.
  ///   - cursor: The number of characters before the cursor.
  /// - Returns: The candidates and the range they replace.
  func completions(for text: String, cursor: Int) -> CompletionResult

  /// Returns the look of the input; called when the text or the place of the cursor has changed.
  ///
  /// - Parameters:
  ///   - text: The whole input.
  ///   - cursor: The UTF-8 offset of the cursor; nil if the input has been entered.
  /// - Returns: Its styles and what is shown around it.
  func look(of text: String, cursor: Int?) -> LineLook

  /// Returns what to insert in place of a pasted text.
  ///
  /// - Parameters:
  ///   - text: The pasted text.
  ///   - columns: The width of the screen.
  /// - Returns: The text to insert; nil for the pasted one.
  func replacement(forPaste text: String, columns: Int) -> String?

  /// Lets the user edit the input in another program, which has the terminal meanwhile.
  ///
  /// - Parameter text: The whole input.
  /// - Returns: The edited input; nil if nothing was edited.
  func edit(_ text: String) -> String?

  /// Returns lines to show above the input now; called at most once per frame.
  ///
  /// - Parameter limit: The maximum number of lines that the terminal accepts now; may be 0.
  /// - Returns: The lines, and whether there are others.
  func pendingOutput(limit: Int) -> PendingOutput

  /// Does pending work of the program; called after ``pendingOutput(limit:)``.
  ///
  /// It may call ``LineEditor/printAbove(_:)``, and ``LineEditor/drawPending()`` if it takes long.
  func idle()
}

extension LineEditorDelegate {
  /// Leaves the title as it is.
  public func title() -> String? { nil }

  /// Accepts every text as complete.
  public func isComplete(_ text: String) -> Bool { true }

  /// Returns no candidates.
  public func completions(for text: String, cursor: Int) -> CompletionResult { .none }

  /// Shows the input without styles.
  public func look(of text: String, cursor: Int?) -> LineLook { .plain }

  /// Inserts every text as it was pasted.
  public func replacement(forPaste text: String, columns: Int) -> String? { nil }

  /// Edits nothing.
  public func edit(_ text: String) -> String? { nil }

  /// Returns no lines.
  public func pendingOutput(limit: Int) -> PendingOutput { .none }

  /// Does nothing.
  public func idle() {}
}
