import COpshSystem
import Foundation
public import OpshSystemCalls

/// Reads lines from a terminal while other output appears above them.
///
/// While a line is read, the editor waits for keys, for signals and for its ``WakeUp`` at the same
/// time. Other threads store their output for the delegate and signal the wake-up; the editor
/// requests the output at most once in 33 ms and draws it above the line, which stays complete.
/// Keys come first, and a frame has few lines, so that typing stays fast when thousands of lines
/// arrive, or when the terminal is slow.
///
/// All of it, including the delegate's methods, runs on the one thread that calls ``readLine()``.
/// Between two lines the terminal is in its original mode.
///
/// ```swift
/// SignalReader.blockAll()  // before the first thread
/// let editor = try LineEditor(
///   delegate: session, history: History(file: path), capabilities: .detect(),
///   wakeUp: WakeUp(), signals: SignalReader(), color: true)
/// while case .line(let text) = editor.readLine() { run(text) }
/// editor.close()
/// ```
public final class LineEditor {
  /// The least time between two frames of other threads' output.
  public static let frameInterval: Duration = .milliseconds(33)
  /// The longest time that other threads' output waits, even while keys arrive.
  static let greatestDelay: Duration = .milliseconds(100)
  /// The maximum number of lines of other threads' output in a frame.
  static let linesPerFrame = 20
  /// The maximum number of their bytes, for lines of usual length: a slow terminal reads as many in
  /// 20 ms.
  static let bytesPerFrame = 1_000

  weak var delegate: (any LineEditorDelegate)?
  let history: History
  let capabilities: TerminalCapabilities
  let wakeUp: WakeUp
  let signals: SignalReader
  /// The pace of the terminal.
  let pace: TerminalPace
  private let hasColor: Bool
  let input: Int32
  /// The descriptor for reading keys, if the input is a terminal.
  let terminalInput: TerminalInput?
  let output: Int32

  var editLine: EditLine?
  var painter: Painter
  let clusters = ClusterTable()
  var decoder = KeyDecoder()
  /// Decoded keys that have not been handled.
  var keys: [Key] = []
  /// The text of the paste whose code was last passed to libedit.
  var pendingPaste: String?
  /// The code last passed to libedit.
  var lastCode: Int32 = 0
  /// The number typed before the next function.
  var argument = KeyArgument()
  /// The last function of the editor itself, and what it has left.
  var lastCommand: (command: EditCommand, state: EditState)?

  var killRing = KillRing()
  /// The changes of the displayed line.
  var undo = UndoHistory()
  /// The place of the mark.
  var mark: Int?
  /// The place of the text that was inserted last, which a repeated function replaces.
  var inserted: Range<Int>?

  var isReading = false
  var result: LineResult?
  /// Lines to draw above the input with the next frame.
  var above: [StyledText] = []
  /// The recent average number of bytes of a line above the input.
  var bytesPerLine = 80.0
  /// Whether the screen may differ from the input.
  var isStale = true
  /// The prompt on the screen; if it changes, the screen is stale.
  var paintedPrompt: StyledText?
  /// The look of the text that was painted last.
  var knownLook: (key: LookKey, look: LineLook)?
  /// The candidates below the line.
  var menu: CompletionMenu?
  var hasBeep = false
  /// True if only text is shown: no styles, no menu, no marks.
  public var isPlain = false {
    didSet {
      if isPlain { restoreTitle() }
    }
  }
  /// The exit status of the last line.
  public var lastStatus: Int32 = 0
  /// True once the terminal knows that the output of a line has begun.
  var hasMarkedOutput = false
  /// The title of the window; nil while the editor has not set it.
  var shownTitle: String?
  var lastFrame = ContinuousClock.now - .seconds(1)
  var lastPaint = ContinuousClock.now - .seconds(1)
  /// Since when other threads' output waits; nil if there is none.
  var waitingSince: ContinuousClock.Instant?
  var hasEnded = false

  /// The displayed history entry; nil for the line being typed.
  var historyIndex: Int?
  /// What was changed in the displayed entries, and the line being typed, by their place.
  var edits: [Int: UndoHistory] = [:]
  /// What the entries begin with that Up and Down show.
  var recalledPrefix = ""
  /// The entry of the word that was inserted last, and which of its words; nil for the last one.
  var argumentSource: (index: Int, word: Int?)?
  /// The search of the history that goes on.
  var historySearch: HistorySearch?
  /// What was searched for last.
  var lastPattern: String?
  /// The text in place of the prompt during a search.
  var searchPrompt: StyledText?

  /// Creates an editor for a terminal.
  ///
  /// - Parameters:
  ///   - delegate: The program that uses the editor; not retained.
  ///   - history: The lines typed before; each new one is added to it.
  ///   - capabilities: The terminal's capabilities; it must be interactive.
  ///   - wakeUp: Signalled by other threads when there is output or work.
  ///   - signals: The source of signals.
  ///   - pace: The pace of the terminal, if other code writes to it between two lines; nil for a
  ///     separate one.
  ///   - color: Whether styles are shown.
  ///   - input: The terminal's descriptor for reading.
  ///   - output: The terminal's descriptor for writing.
  /// - Throws: ``SystemCallError`` if libedit cannot use the terminal.
  public init(
    delegate: any LineEditorDelegate, history: History, capabilities: TerminalCapabilities,
    wakeUp: WakeUp, signals: SignalReader, pace: TerminalPace? = nil, color: Bool,
    input: Int32 = 0, output: Int32 = 1
  ) throws {
    self.delegate = delegate
    self.history = history
    self.capabilities = capabilities
    self.wakeUp = wakeUp
    self.signals = signals
    self.pace = pace ?? TerminalPace(descriptor: output)
    hasColor = color
    self.input = input
    terminalInput = TerminalInput(of: input)
    self.output = output
    painter = Painter(columns: capabilities.columns, rows: capabilities.rows)
    TerminalRescue.begin(input: input, output: output)
    editLine = try EditLine(handler: self, input: input, output: output)
  }

  deinit { close() }

  var usesColor: Bool { hasColor && !isPlain }

  /// Reads a line, or several if the delegate reports that the text is not complete; returns the
  /// typed text, or why there is none.
  ///
  /// - Parameter isKept: Whether the history keeps the text.
  /// - Returns: The text, or why there is none.
  public func readLine(isKept: Bool = true) -> LineResult {
    guard let editLine, !isReading, !hasEnded else { return .endOfInput }
    isReading = true
    defer { isReading = false }
    result = nil
    history.refresh()
    beginEditing()
    isStale = true
    updateSize()
    painter.forget()
    markEnd()
    beginScreen()
    // Output that arrived while a command ran is shown at once, not with the next event; output
    // left by the line before counts as waiting since then.
    waitingSince = waitingSince ?? ContinuousClock.now

    while self.result == nil, !hasEnded, let codes = editLine.run() {
      // A function of libedit that a user has bound has ended the line.
      if self.result == nil, codes.last == 0x0A {
        end(with: .line(codes.dropLast().map { clusters.decode($0) }.joined()))
      }
    }

    let result = self.result ?? .endOfInput
    switch result {
    case .line(let text):
      if isKept { history.append(text) }
    case .interrupted, .endOfInput, .terminated: break
    }
    return result
  }

  private func beginEditing() {
    historyIndex = nil
    edits = [:]
    undo = UndoHistory()
    recalledPrefix = ""
    argumentSource = nil
    mark = nil
    inserted = nil
    lastCommand = nil
    argument.end()
    searchPrompt = nil
    menu = nil
    knownLook = nil
    lastCode = 0
  }

  /// Shows lines above the one being typed, or at the cursor if no line is being typed.
  ///
  /// Call it only on the editor's thread: within the delegate's methods, or between two lines.
  ///
  /// - Parameter lines: The lines; control characters in them are escaped.
  public func printAbove(_ lines: [StyledText]) {
    let lines = lines.flatMap(\.lines)
    guard isReading else {
      send(lines.map { rendered($0) + "\n" }.joined())
      return
    }
    above += lines
    isStale = true
  }

  /// Ends the reading of the line from within one of the delegate's methods.
  public func finish(with result: LineResult) {
    guard isReading else { return }
    end(with: result)
  }

  /// Restores the terminal's original mode; no line can be read afterwards.
  public func close() {
    guard let editLine else { return }
    if isReading { send(Self.pasteOff) }
    restoreTitle()
    self.editLine = nil
    editLine.close()
    TerminalRescue.end()
  }
}

@available(*, unavailable)
extension LineEditor: Sendable {}
