import CSystem
import Foundation

/// Reads lines from a terminal while other output appears above them.
///
/// While a line is read, the editor waits for keys, for signals and for its ``WakeUp``, all at
/// once. Other threads put what they have to show where the delegate finds it and signal the
/// wake-up; the editor asks for it at most once in 33 ms and draws it above the line, which
/// stays whole. Keys come first, and a frame has few lines, so that typing stays quick where
/// thousands of lines come in, or where the terminal is slow.
///
/// All of it, the delegate's methods included, runs on the one thread that calls
/// ``readLine()``. Between two lines the terminal is in the state in which it was found.
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
  /// Other threads' output waits no longer than this, even while keys keep coming.
  static let greatestDelay: Duration = .milliseconds(100)
  /// The most lines of other threads' output in a frame.
  static let linesPerFrame = 20
  /// The most bytes of them, where the lines are of usual length: a slow terminal takes as many in
  /// 20 ms.
  static let bytesPerFrame = 1_000

  weak var delegate: (any LineEditorDelegate)?
  let history: History
  let capabilities: TerminalCapabilities
  let wakeUp: WakeUp
  let signals: SignalReader
  /// What the terminal takes.
  let pace: TerminalPace
  let usesColor: Bool
  let input: Int32
  /// From where `input` is read, if that is a terminal.
  let terminalInput: TerminalInput?
  let output: Int32

  var editLine: EditLine?
  var painter: Painter
  let clusters = ClusterTable()
  var decoder = KeyDecoder()
  /// Keys that are decoded and not yet acted on.
  var keys: [Key] = []
  /// The text of the paste whose code was given to libedit last.
  var pendingPaste: String?
  /// The code given to libedit last, and the one before it.
  var lastCode: Int32 = 0
  var codeBeforeLast: Int32 = 0

  var isReading = false
  var isReleased = false
  var result: LineResult?
  /// Lines that go above the input with the next frame.
  var above: [StyledText] = []
  /// How many bytes a line above the input has, of late.
  var bytesPerLine = 80.0
  /// Whether the screen may not show the input as it is.
  var isStale = true
  /// The prompt on the screen; another one makes the screen stale.
  var paintedPrompt: StyledText?
  var hasBeep = false
  var lastFrame = ContinuousClock.now - .seconds(1)
  var lastPaint = ContinuousClock.now - .seconds(1)
  /// When the delegate has something to do though nothing wakes the editor.
  var nextDeadline: ContinuousClock.Instant?
  /// Since when other threads' output waits; nil where none does.
  var waitingSince: ContinuousClock.Instant?
  var hasEnded = false

  /// The history entry being looked at; nil for the line being typed.
  var historyIndex: Int?
  var draft = ""
  /// What stands in place of the prompt during a search.
  var searchPrompt: StyledText?

  /// Takes over a terminal.
  ///
  /// - Parameters:
  ///   - delegate: The program around the editor; not retained.
  ///   - history: The lines typed before; each new one is added to it.
  ///   - capabilities: What the terminal can do; it must be interactive.
  ///   - wakeUp: Signalled by other threads when they have something to show or to do.
  ///   - signals: Where signals come in.
  ///   - pace: The pace of the terminal, where others write to it between two lines; nil for one
  ///     of its own.
  ///   - color: Whether styles are shown.
  ///   - input: The terminal's descriptor for reading.
  ///   - output: The terminal's descriptor for writing.
  /// - Throws: ``TerminalError`` where libedit cannot use the terminal.
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
    self.usesColor = color
    self.input = input
    terminalInput = TerminalInput(of: input)
    self.output = output
    painter = Painter(columns: capabilities.columns, rows: capabilities.rows)
    TerminalRescue.begin(input: input, output: output)
    editLine = try EditLine(handler: self, input: input, output: output)
  }

  deinit { close() }

  /// Reads a line, or several where the delegate says that the text is not complete.
  ///
  /// - Returns: What was typed, or why there is none.
  public func readLine() -> LineResult {
    guard let editLine, !isReading, !hasEnded else { return .endOfInput }
    isReading = true
    defer { isReading = false }
    result = nil
    historyIndex = nil
    draft = ""
    searchPrompt = nil
    lastCode = 0
    codeBeforeLast = 0
    isStale = true
    updateSize()
    painter.forget()
    beginScreen()
    // What came in while a command ran is shown at once, not with the next event; and what
    // the line before left waiting has waited that long.
    waitingSince = waitingSince ?? ContinuousClock.now

    editLine.run()

    let result = self.result ?? .endOfInput
    switch result {
    case .line(let text):
      history.append(text)
    case .interrupted, .endOfInput, .terminated: break
    }
    return result
  }

  /// Shows lines above the one being typed, or, where none is, at the cursor.
  ///
  /// Call it only on the editor's thread: within the delegate's methods, or between two lines.
  ///
  /// - Parameter lines: The lines; control characters in them become visible.
  public func printAbove(_ lines: [StyledText]) {
    let lines = lines.flatMap(\.lines)
    guard isReading, !isReleased else {
      send(lines.map { rendered($0) + "\n" }.joined())
      return
    }
    above += lines
    isStale = true
  }

  /// Ends the reading of the line from within one of the delegate's methods.
  ///
  /// - Parameter result: What ``readLine()`` returns.
  public func finish(with result: LineResult) {
    guard isReading else { return }
    end(with: result)
  }

  /// Gives the terminal back while a body runs, a program for example.
  ///
  /// - Parameter body: Finds the terminal as it was before the editor took it.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public func withTerminalReleased<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard isReading, !isReleased else { return try body() }
    send(painter.erase() + Self.pasteOff)
    editLine?.prepareTerminal(false)
    isReleased = true
    defer {
      isReleased = false
      editLine?.prepareTerminal(true)
      updateSize()
      painter.forget()
      beginScreen()
      isStale = true
    }
    return try body()
  }

  /// Restores the terminal as it was found; nothing can be read afterwards.
  public func close() {
    guard let editLine else { return }
    if isReading, !isReleased { send(Self.pasteOff) }
    self.editLine = nil
    editLine.close()
    TerminalRescue.end()
  }
}

@available(*, unavailable)
extension LineEditor: Sendable {}
