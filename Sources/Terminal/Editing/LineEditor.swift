/// Reads lines from a terminal while other output appears above them.
public final class LineEditor {
  weak var delegate: (any LineEditorDelegate)?

  /// Takes over a terminal.
  public init(
    delegate: any LineEditorDelegate, history: History, capabilities: TerminalCapabilities,
    wakeUp: WakeUp, signals: SignalReader, color: Bool, input: Int32 = 0, output: Int32 = 1
  ) throws {
    self.delegate = delegate
  }

  /// Reads a line.
  public func readLine() -> LineResult { .endOfInput }

  /// Shows lines above the one being typed.
  public func printAbove(_ lines: [StyledText]) {}

  /// Gives the terminal back while a body runs, a program for example.
  public func withTerminalReleased<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body()
  }

  /// Restores the terminal.
  public func close() {}
}

@available(*, unavailable)
extension LineEditor: Sendable {}
