import Foundation
import OpshLocking
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls
import OpshTerminal

/// Standard input as a program: read and run statement by statement, as it arrives.
///
/// Also used for a terminal that the line editor does not support (`TERM=dumb`), with a plain
/// prompt.
struct StandardInput {
  let shell: Shell
  var prompts = false

  private var session: Session { shell.session }

  func run() throws {
    let streams = session.screen.output.streams
    let terminal = TerminalInput(of: streams.input)
    var lines = InputLines(
      descriptor: terminal?.fileDescriptor ?? streams.input, isTerminal: prompts)
    var reader = StatementReader(name: prompts ? SourceText.promptName : "<stdin>")
    if prompts {
      session.screen.beginPacing()
      show(prompt: session.run.plainPromptText)
    }
    while let line = try lines.next(waiting: waitForInput) {
      let script: Script?
      switch line {
      case .text(let text): script = reader.append(text)
      case .undecodable(let bytes):
        // The line is lost, together with its statement; the line count continues.
        let line = reader.lineNumber
        _ = reader.append("")
        reader.discard()
        do throws(Diagnostic) {
          _ = try SourceText.decoding(
            bytes: bytes, name: prompts ? SourceText.promptName : "<stdin>", firstLine: line)
        } catch {
          try refuse(error)
        }
        script = nil
      }
      if let script { try run(script) }
      if prompts { show(prompt: script == nil ? "... " : session.run.plainPromptText) }
    }
    withExtendedLifetime(terminal) {}
    if let script = reader.finish() { try run(script) }
  }

  private func run(_ script: Script) throws {
    guard prompts else {
      let run = session.run
      try shell.run(script, isWhole: false)
      let text = script.source.text
      let ran = session.run.state.withLock { $0.completedStatements }?.indices
      // A statement that went back is no part of the session.
      guard session.run === run || shell.returnPlace == nil else { return }
      session.run.note(
        TypedLine(
          text: text,
          completed: ran.map { ran in script.text { !ran.contains($0) } } ?? text))
      return
    }
    let (meant, found) = shell.expanded(script, found: shell.check(typed: script))
    try shell.noting(meant) { try shell.runAtPrompt(meant, found: found) }
  }

  private func refuse(_ diagnostic: Diagnostic) throws {
    guard prompts || session.run.configuration.keepsGoing else { throw diagnostic }
    session.screen.report(diagnostic)
    session.jobs.failures.note(status: diagnostic.exitStatus)
  }

  private func show(prompt: String) {
    // Standard output may be a file or a program, and with `--json` it is for objects only.
    let output = session.screen.output
    let isForEyes = output.terminals.contains(.standardOutput) && !output.isJSON
    _ = writeFully(prompt, to: output.streams[isForEyes ? .standardOutput : .standardError])
  }

  /// Waits for input, and meanwhile shows events, runs handlers and answers signals.
  ///
  /// At a plain prompt the typed part of the next line is unknown, and nothing can be written above
  /// it: output waits until the line is complete.
  private func waitForInput(_ descriptor: Int32) throws {
    if prompts { session.screen.output.beginEditing() }
    defer { if prompts { session.screen.output.endEditing() } }
    while true {
      if try session.run.pump(), prompts {
        // The terminal has echoed '^C' and discarded the line.
        show(prompt: "\n")
        session.screen.output.endEditing()
        show(prompt: session.run.plainPromptText)
        session.screen.output.beginEditing()
      }
      let signals = session.run.signals?.fileDescriptor
      let descriptors = [descriptor, session.run.wakeUp.fileDescriptor, signals].compactMap { $0 }
      var left = session.run.runDeadline.map { max($0 - .now, .zero) }
      if let patience = session.run.patience { left = min(left ?? patience, patience) }
      let ready = try Poller.wait(fileDescriptors: descriptors, timeout: left)
      // A signal does not apply to a line that came after it.
      if ready.contains(descriptor), !(signals.map(ready.contains) ?? false) { return }
    }
  }
}

/// The lines of a descriptor, read as they arrive.
struct InputLines {
  enum Line {
    case text(String)
    case undecodable([UInt8])
  }

  let descriptor: Int32
  private var pending: [UInt8] = []
  private var searched = 0
  private var hasEnded = false
  /// Whether what comes up to the next line feed belongs to a line that was too long.
  private var discards = false
  private let isTerminal: Bool

  /// Creates the lines of a descriptor; an unreadable terminal was hung up.
  init(descriptor: Int32, isTerminal: Bool = false) {
    self.descriptor = descriptor
    self.isTerminal = isTerminal
  }

  /// - Parameter waiting: Called before each read; returns when there is something to read.
  /// - Returns: The next line without its line feed, nil at the end.
  /// - Throws: `ScriptFile.Unreadable` if it can't be read, and what `waiting` throws.
  mutating func next(waiting: (Int32) throws -> Void) throws -> Line? {
    while true {
      if let end = pending[searched...].firstIndex(of: 0x0A) {
        let line = Array(pending[..<end])
        pending.removeSubrange(...end)
        searched = 0
        if discards {
          discards = false
          continue
        }
        return Self.decode(line)
      }
      if discards { pending = [] }
      searched = pending.count
      // A line that is too long for a script is refused before it has ended, if it ever does.
      if pending.count > SourceText.maximumByteCount {
        defer { (pending, searched, discards) = ([], 0, true) }
        return .text(String(decoding: pending, as: UTF8.self))
      }
      if hasEnded {
        guard !pending.isEmpty else { return nil }
        defer {
          pending = []
          searched = 0
        }
        return Self.decode(pending)
      }
      try waiting(descriptor)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        pending += buffer[..<count]
      } else if count == 0 || (isTerminal && errno != EINTR && errno != EAGAIN) {
        hasEnded = true
      } else if errno != EINTR, errno != EAGAIN {
        throw ScriptFile.Unreadable(name: "<stdin>", error: errno)
      }
    }
  }

  private static func decode(_ bytes: [UInt8]) -> Line {
    guard let text = String(validating: bytes, as: UTF8.self) else { return .undecodable(bytes) }
    return .text(text)
  }
}
