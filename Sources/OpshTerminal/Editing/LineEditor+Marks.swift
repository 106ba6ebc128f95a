/// The marks that tell the terminal where a prompt, a line and its output are, and the title of its window.
///
/// | sequence | effect |
/// |---|---|
/// | `ESC ] 133 ; A`, `B`, `C`, `D ; n` | the prompt, the line, its output, its end with a status |
/// | `ESC ] 2 ; …` | the title of the window |
/// | `ESC [ 22 ; 2 t`, `ESC [ 23 ; 2 t` | keep the title; restore the one that was kept |
/// | `ESC ] 9 ; …`, `BEL` | a notification; the bell |
///
/// Each string ends with `BEL`, which every terminal takes.
extension LineEditor {
  /// True if marks and the title are sent.
  var hasMarks: Bool { capabilities.takesStrings && !isPlain }

  /// The marks around the prompt.
  var promptMarks: Cell.Marks {
    guard hasMarks else { return Cell.Marks() }
    return Cell.Marks(before: Self.mark("A"), after: Self.mark("B"))
  }

  /// Says that the output of the line begins.
  func markOutput() {
    guard hasMarks else { return }
    send(Self.mark("C"))
    hasMarkedOutput = true
  }

  /// Says with which status the last line has ended; nil if it did not run.
  func markEnd() {
    guard hasMarkedOutput else { return }
    hasMarkedOutput = false
    send(Self.mark("D;\(lastStatus)"))
  }

  /// Shows a title for the window, unless it is shown.
  public func setTitle(_ text: String) {
    guard hasMarks, text != shownTitle else { return }
    if shownTitle == nil { send("\u{1B}[22;2t") }
    shownTitle = text
    let visible = TextWidth.truncate(VisibleText.escape(text), to: 80)
    let isShowable = capabilities.isUTF8 || visible.utf8.allSatisfy { $0 < 0x80 }
    send("\u{1B}]2;\(isShowable ? visible : "opsh")\u{07}")
  }

  /// Restores the title that was there before.
  func restoreTitle() {
    guard shownTitle != nil else { return }
    shownTitle = nil
    send("\u{1B}[23;2t")
  }

  /// Draws attention to the terminal.
  ///
  /// - Parameters:
  ///   - text: What has happened.
  ///   - showsText: Whether the terminal shows notifications; it rings otherwise.
  public func notify(_ text: String, showsText: Bool) {
    guard !isPlain else { return }
    let visible = TextWidth.truncate(VisibleText.escape(text), to: 120)
    send(showsText && hasMarks ? "\u{1B}]9;\(visible)\u{07}" : "\u{07}")
  }

  private static func mark(_ text: String) -> String { "\u{1B}]133;\(text)\u{07}" }
}
