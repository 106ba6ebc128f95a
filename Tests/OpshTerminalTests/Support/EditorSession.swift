import Foundation
import OpshLocking
import OpshSystemCalls
import TestSupport
import Testing

@testable import OpshTerminal

/// A line editor on its own thread, in a pseudo terminal that the test controls.
final class EditorSession {
  /// The actions of the program that uses the editor; runs on the editor's thread.
  struct Program: Sendable {
    var prompt: StyledText = "opsh> "
    var isComplete: @Sendable (String) -> Bool = { _ in true }
    var completions: @Sendable (String, Int) -> CompletionResult = { _, _ in .none }
    var look: @Sendable (String, Int?) -> LineLook = { _, _ in .plain }
    var color = false
    var entries: [String] = []
    var bindings: [[String]] = []
  }

  let terminal: PseudoTerminal
  let queue: OutputQueue
  private let signals: SignalPipe
  private let results = Locked<[LineResult]>([])
  private let hasEnded = Locked(false)
  private let failure = Locked<String?>(nil)
  private let programSide: Int32

  init(
    columns: Int = 80, rows: Int = 24, joinsClusters: Bool = true, capacity: Int = 200,
    _ program: Program = Program()
  ) throws {
    terminal = try PseudoTerminal(columns: columns, rows: rows, joinsClusters: joinsClusters)
    programSide = try terminal.openProgramSide()
    let wakeUp = try WakeUp()
    queue = OutputQueue(wakeUp: wakeUp, capacity: capacity)
    signals = try SignalPipe()
    start(program, wakeUp: wakeUp)
  }

  private func start(_ program: Program, wakeUp: WakeUp) {
    let (queue, results, hasEnded, failure) = (queue, results, hasEnded, failure)
    let (descriptor, signalDescriptor) = (programSide, signals.readEnd)
    let thread = Thread {
      defer { hasEnded.withLock { $0 = true } }
      do {
        let delegate = SessionDelegate(program: program, queue: queue)
        let history = History(file: nil)
        for entry in program.entries { history.append(entry) }
        let editor = try LineEditor(
          delegate: delegate, history: history,
          capabilities: TerminalCapabilities(isInteractive: true, usesColor: false, isUTF8: true),
          wakeUp: wakeUp, signals: SignalReader(adopting: signalDescriptor),
          color: program.color, input: descriptor, output: descriptor)
        for words in program.bindings {
          let result = editor.bind(words)
          if result.failed { failure.withLock { $0 = result.text } }
        }
        var isRunning = true
        while isRunning {
          let result = editor.readLine()
          results.withLock { $0.append(result) }
          switch result {
          case .line, .interrupted: break
          case .endOfInput, .terminated: isRunning = false
          }
        }
        editor.close()
        withExtendedLifetime(delegate) {}
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
    }
    thread.stackSize = 4 << 20
    thread.start()
  }

  deinit {
    signals.send(SIGTERM)
    let deadline = ContinuousClock.now + .seconds(20)
    while !hasEnded.withLock({ $0 }), ContinuousClock.now < deadline {
      terminal.pump(for: .milliseconds(10))
    }
    close(programSide)
  }

  /// Waits for the prompt of an empty line.
  func waitForPrompt(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(
      terminal.wait { $0.cursorLine == "opsh>" && $0.marksPastes },
      "no prompt in: \(terminal.screen.text)", sourceLocation: sourceLocation)
  }

  func send(_ signal: SignalEvent) {
    signals.send(signal.number)
  }

  /// Waits for the result of reading a line.
  func result(
    _ index: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) -> LineResult? {
    let results = results
    let isThere = terminal.wait { _ in results.withLock { $0.count > index } }
    #expect(
      isThere, "nothing was read; \(failure.withLock { $0 } ?? "") screen: \(terminal.screen.text)",
      sourceLocation: sourceLocation)
    return isThere ? results.withLock { $0[index] } : nil
  }
}

private final class SessionDelegate: LineEditorDelegate {
  private let program: EditorSession.Program
  private let queue: OutputQueue

  init(program: EditorSession.Program, queue: OutputQueue) {
    self.program = program
    self.queue = queue
  }

  func prompt() -> StyledText { program.prompt }
  func isComplete(_ text: String) -> Bool { program.isComplete(text) }
  func completions(for text: String, cursor: Int) -> CompletionResult {
    program.completions(text, cursor)
  }
  func look(of text: String, cursor: Int?) -> LineLook { program.look(text, cursor) }
  func pendingOutput(limit: Int) -> PendingOutput { queue.take(limit: limit) }
}
