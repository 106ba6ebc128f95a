import COpshSystem
import Foundation
import OpshSystemCalls

extension LineEditor {
  /// Waits for a key and returns its code to libedit, or nil if reading ends.
  func nextCode() -> Int32? {
    noteEdit()
    while let key = nextKey() {
      guard let code = code(of: key) else { continue }
      argument.read(code, after: lastCode)
      lastCode = code
      isStale = true
      return code
    }
    return nil
  }

  /// Handles that libedit beeps.
  func beep() {
    hasBeep = true
    isStale = true
  }

  private func code(of key: Key) -> Int32? {
    let isQuoted = lastCode == 0x16
    switch key {
    case .scalar(let scalar): return code(of: scalar, isLiteral: isQuoted || lastCode == 0x1B)
    case .escape: return 0x1B
    // After Ctrl-V libedit would insert the code that stands for the key.
    case .special(let special): return isQuoted ? nil : EditCommand.code(of: special)
    case .paste(let text):
      if isQuoted, let first = text.first {
        // libedit inserts one character literally; the rest is pasted after it.
        keys.insert(.paste(String(text.dropFirst())), at: 0)
        return clusters.code(for: String(first))
      }
      pendingPaste = text
      return EditCommand.pasteCode
    }
  }

  /// A scalar that continues the cluster before the cursor extends that cluster.
  private func code(of scalar: Unicode.Scalar, isLiteral: Bool) -> Int32? {
    guard scalar.value >= 0x80 else { return Int32(scalar.value) }
    if !isLiteral, scalar.value >= 0x300, let editLine, let before = editLine.codeBeforeCursor,
      before != 0x0A, before >= 0x20
    {
      var joined = clusters.decode(before)
      joined.unicodeScalars.append(scalar)
      if joined.count == 1, let code = clusters.code(for: joined) {
        editLine.deleteBackward(1)
        return code
      }
    }
    return clusters.code(for: String(Character(scalar))) ?? 0xFFFD
  }

  /// Waits for a key, and meanwhile draws pending output; nil if reading ends.
  func nextKey() -> Key? {
    while true {
      guard result == nil else { return nil }
      if !keys.isEmpty { return keys.removeFirst() }
      guard waitForInput() else { continue }
      readInput()
    }
  }

  private func readInput() {
    var bytes = [UInt8](repeating: 0, count: decoder.greatestRead)
    let count = read(terminalInput?.fileDescriptor ?? input, &bytes, bytes.count)
    if count > 0 {
      for byte in bytes[..<count] { decoder.feed(byte, into: &keys) }
    } else if count == 0 || ![EINTR, EAGAIN].contains(opsh_errno()) {
      hasEnded = true
      end(with: .endOfInput)
    }
  }

  /// Waits for input, and draws what becomes due; false after another event that may have ended the
  /// reading.
  private func waitForInput() -> Bool {
    let now = ContinuousClock.now
    let ready: [Int32]
    do {
      ready = try Poller.wait(
        fileDescriptors: [input, signals.fileDescriptor, wakeUp.fileDescriptor],
        timeout: timeLeft(at: now))
    } catch {
      hasEnded = true
      end(with: .endOfInput)
      return false
    }
    if ready.contains(signals.fileDescriptor) {
      for signal in signals.read() where result == nil { handle(signal) }
      if result != nil { return false }
    }
    if ready.contains(wakeUp.fileDescriptor) {
      wakeUp.drain()
      if waitingSince == nil { waitingSince = ContinuousClock.now }
    }
    let hasInput = ready.contains(input)
    if !hasInput, awaitsEscape, ContinuousClock.now - now >= TerminalKeyReader.patience {
      decoder.reset()
      keys.append(.escape)
    }
    runDueFrame(hasInput: hasInput)
    if result != nil { return false }
    // Keys that arrive in a burst, such as a paste without marks, are drawn together.
    if isStale, !hasInput || ContinuousClock.now - lastPaint >= Self.frameInterval { repaint() }
    return hasInput
  }

  private func repaint() {
    paint()
    lastPaint = ContinuousClock.now
  }

  /// Whether Escape alone has a meaning, and may have been pressed.
  private var awaitsEscape: Bool {
    (menu != nil || historySearch != nil || keyMap == .vi) && decoder.isAtEscape
  }

  /// The longest time to wait: zero if the screen is stale, nil if nothing is due.
  private func timeLeft(at now: ContinuousClock.Instant) -> Duration? {
    if isStale { return .zero }
    let frame = waitingSince.map { _ in max(.zero, lastFrame + Self.frameInterval - now) }
    guard awaitsEscape else { return frame }
    return min(frame ?? TerminalKeyReader.patience, TerminalKeyReader.patience)
  }

  private func runDueFrame(hasInput: Bool) {
    let now = ContinuousClock.now
    guard let since = waitingSince, now - lastFrame >= Self.frameInterval else { return }
    guard !hasInput || now - since >= Self.greatestDelay else { return }
    takePending(at: now)
    delegate?.idle()
    noteChangedSize()
    noteChangedPrompt()
  }

  private func takePending(at now: ContinuousClock.Instant) {
    lastFrame = now
    waitingSince = nil
    let pending = delegate?.pendingOutput(limit: frameLimit) ?? .none
    above += pending.lines.flatMap(\.lines)
    if pending.hasMore { waitingSince = now }
    if !pending.lines.isEmpty {
      isStale = true
      // Names may mean something else now.
      knownLook = nil
    }
  }

  /// Checks the size of the terminal: the program also reads signals while it works, and may have
  /// taken the one for a new size.
  private func noteChangedSize() {
    let columns = painter.columns
    updateSize()
    if painter.columns != columns { isStale = true }
  }

  private func noteChangedPrompt() {
    if let paintedPrompt, let delegate, delegate.prompt() != paintedPrompt { isStale = true }
    if let title = delegate?.title() { setTitle(title) }
  }

  /// Draws pending output above the line at most once per frame, while the work of
  /// ``LineEditorDelegate/idle()`` takes long; does nothing while no line is read.
  ///
  /// Keys that are pressed meanwhile are handled after it.
  public func drawPending() {
    let now = ContinuousClock.now
    guard isReading, result == nil, now - lastFrame >= Self.frameInterval else { return }
    takePending(at: now)
    noteChangedSize()
    noteChangedPrompt()
    if isStale { repaint() }
  }

  /// The number of lines that the terminal accepts now without delaying the echo of a key.
  private var frameLimit: Int {
    let room = min(pace.room, Self.bytesPerFrame)
    return room == 0 ? 0 : min(Self.linesPerFrame, max(1, Int(Double(room) / bytesPerLine)))
  }
}
