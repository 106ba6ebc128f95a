import Foundation
import OpshLocking
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls
import OpshTerminal

/// One use of `watch`: draws, reads keys, and meanwhile does what a wait does.
///
/// All of it runs on the interpreter's thread.
final class Watching {
  /// The time between two frames, unless they are costly.
  private static let frame = Duration.milliseconds(100)
  /// Drawing takes at most this part of the time.
  private static let costLimit = 8
  /// Events are handled this often, and so many at once: keys come first.
  private static let pumpInterval = Duration.milliseconds(10)
  private static let entriesPerPump = 1024

  let invocation: Invocation
  let screen: FullScreen
  var view = WatchView()
  var picture: WatchPicture
  private var keys = TerminalKeyReader()
  private var lastByte = ContinuousClock.now
  private var lastPump = ContinuousClock.now
  private var nextFrame = ContinuousClock.now
  /// Whether a key was pressed after the last frame.
  private var isUrgent = true

  init(_ invocation: Invocation, _ screen: FullScreen) {
    self.invocation = invocation
    self.screen = screen
    picture = WatchPicture(invocation.jobs, on: invocation.screen, invocation.run) {
      WatchCommand.output(of: $0, invocation)
    }
  }

  /// Shows the operations until the user leaves.
  func run() throws {
    invocation.screen.output.printPage()
    invocation.run.beginTypingInside()
    invocation.screen.output.beginEditing(keepingLatest: true)
    invocation.screen.feed.hidesLines = true
    invocation.screen.state.withLock { $0.fullScreen = screen }
    screen.enter()
    defer {
      screen.leave()
      invocation.screen.state.withLock { $0.fullScreen = nil }
      _ = invocation.screen.feed.skip()
      invocation.screen.feed.hidesLines = false
      invocation.screen.output.endEditing()
    }
    do {
      while try step() {}
    } catch is Interruption {
      // Ctrl-C during the work of a handler or a key.
    }
  }

  /// Does what is due, and waits for more; returns whether to go on.
  private func step() throws -> Bool {
    guard try !pump(), let bytes = screen.read() else { return false }
    let now = ContinuousClock.now
    var pressed: [TerminalKey] = []
    if !bytes.isEmpty {
      lastByte = now
      pressed = keys.feed(bytes)
    } else if keys.isInsideKey, now - lastByte >= TerminalKeyReader.patience {
      pressed = keys.endKey()
    }
    for key in pressed {
      isUrgent = true
      guard try handle(key) else { return false }
    }
    screen.flush()
    if isUrgent || now >= nextFrame { draw() }
    rest()
    return true
  }

  /// Handles events, handlers and signals; an error of a handler at the prompt is shown.
  ///
  /// - Returns: Whether the user pressed Ctrl-C.
  private func pump() throws -> Bool {
    lastPump = .now
    do {
      let isInterrupted = try invocation.screen.live.with(self) {
        try invocation.run.pump(limit: Self.entriesPerPump)
      }
      if isInterrupted { return true }
    } catch let diagnostic as Diagnostic where invocation.screen.isInteractive {
      invocation.screen.report(diagnostic)
      show(WatchCommand.result(of: diagnostic))
    }
    return false
  }

  private func draw() {
    let start = ContinuousClock.now
    // What a slow terminal does not take is left out, not queued.
    guard screen.isReady(isUrgent: isUrgent) else {
      nextFrame = start + Self.pumpInterval
      return
    }
    let size = screen.size
    screen.draw(picture.lines(&view, columns: size.columns, rows: size.rows), size: size)
    isUrgent = false
    let end = ContinuousClock.now
    nextFrame = end + max(Self.frame, (end - start) * Self.costLimit)
  }

  private func rest() {
    let input = [screen.inputDescriptor, invocation.run.signals?.fileDescriptor].compactMap { $0 }
    let pumpTime = lastPump + Self.pumpInterval
    var due = min(nextFrame, screen.hasPendingOutput || isUrgent ? pumpTime : nextFrame)
    if keys.isInsideKey { due = min(due, lastByte + TerminalKeyReader.patience) }
    if !invocation.screen.feed.hasNews {
      let ready = try? Poller.wait(
        fileDescriptors: input + [invocation.run.wakeUp.fileDescriptor],
        timeout: max(.zero, due - .now))
      let isAwake = ready?.contains(where: input.contains) == true
      guard !isAwake, ready?.isEmpty == false else { return }
    }
    // Events alone are handled together.
    _ = try? Poller.wait(
      fileDescriptors: input, timeout: max(.zero, min(due, pumpTime) - .now))
  }
}

extension Watching: LiveScreen {
  func drawDue() {
    screen.flush()
    if ContinuousClock.now >= nextFrame { draw() }
  }
}
