import Foundation

extension LineEditor {
  /// Handles a signal that arrived while the line was read.
  func handle(_ signal: SignalEvent) {
    switch signal {
    case .interrupt:
      decoder.reset()
      keys = []
      end(with: .interrupted, mark: "^C")
    case .terminate, .hangUp, .alarm, .user1, .user2: end(with: .terminated(signal))
    // Ctrl-\ is easily pressed by mistake; other shells ignore it here, too.
    case .quit: break
    case .windowChange:
      updateSize()
      isStale = true
    case .stop: stop()
    case .resume: resume()
    }
  }

  /// Moves the cursor below the input and ends the reading.
  func end(with result: LineResult, mark: String = "") {
    guard self.result == nil else { return }
    self.result = result
    searchPrompt = nil
    paint(cursorAtEnd: true)
    send(painter.finish(mark: mark) + Self.pasteOff)
    if case .line = result { markOutput() }
  }

  private func stop() {
    paint(cursorAtEnd: true)
    send(painter.finish() + Self.pasteOff)
    editLine?.prepareTerminal(false)
    SignalMask.stopProcess()
    // The signal that continued the process is among these, and is handled next.
    let others = signals.read().filter { $0 != .resume && $0 != .windowChange }
    resume()
    for signal in others where result == nil { handle(signal) }
  }

  /// The shell that continued the process may have changed the terminal's mode, and has written to
  /// it.
  func resume() {
    editLine?.prepareTerminal(false)
    editLine?.prepareTerminal(true)
    updateSize()
    painter.forget()
    beginScreen()
    isStale = true
  }
}
