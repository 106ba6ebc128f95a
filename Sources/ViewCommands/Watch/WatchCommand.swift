import Foundation
import OpshLocking
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// A command that a key of `watch` runs: the ordinary one, as if it had been typed.
struct WatchCommand {
  /// What came of it.
  struct Result {
    var message: String
    var isError: Bool
  }

  let text: String
  /// Whether what it prints is its message; what handlers print while it waits is not.
  var waits = false

  /// Runs it, and records it for `save` and `history`.
  ///
  /// - Returns: What it printed, or its error.
  /// - Throws: What ends the session, and Ctrl-C.
  func run(_ invocation: Invocation) throws -> Result {
    let context = invocation.context
    let script = Parser.parse(SourceText(name: SourceText.promptName, text: text))
    var result = Result(message: "", isError: false)
    func run() throws -> Bool {
      let found = invocation.run.check(script, isWhole: false, in: context)
      if let error = found.first(where: { $0.severity == .error }) {
        result = Self.result(of: error)
        return false
      }
      let lines = LineCollector()
      do {
        if waits {
          try context.run(script)
        } else {
          // What handlers print because of it is not its text.
          try invocation.jobs.eventHandlers.holding {
            _ = try invocation.screen.sink.with(lines) { try context.run(script) }
          }
        }
        result.message = lines.joined
        return true
      } catch let diagnostic as Diagnostic {
        result = Self.result(of: diagnostic)
        return false
      }
    }
    // The lines of a script are those of its file.
    guard invocation.screen.isInteractive else {
      _ = try run()
      return result
    }
    invocation.run.willTake(command: text, from: "watch")
    invocation.run.state.withLock { $0.history }?.append(text)
    try invocation.run.noting(typed: text) { try run() ? .whole : .nothing }
    return result
  }

  /// Runs a command that only shows something; returns its lines, or its error.
  static func output(of text: String, _ invocation: Invocation) -> [StyledText] {
    let lines = LineKeeper()
    do {
      try invocation.jobs.eventHandlers.holding {
        _ = try invocation.screen.sink.with(lines) {
          try invocation.context.run(
            Parser.parse(SourceText(name: SourceText.promptName, text: text)))
        }
      }
    } catch let diagnostic as Diagnostic {
      return [StyledText(result(of: diagnostic).message, style: TextStyle(color: .red))]
    } catch {
      // Ctrl-C, which comes as a key, too.
    }
    return lines.lines
  }

  static func result(of error: Diagnostic) -> Result {
    let help = error.help.map { "; \($0)" } ?? ""
    return Result(message: "\(error.message) [\(error.code)]\(help)", isError: true)
  }
}

/// Keeps the lines that a command prints.
private final class LineKeeper: TextSink {
  private let kept = Locked<[StyledText]>([])

  var lines: [StyledText] { kept.withLock { $0 } }

  func write(_ line: StyledText) { kept.withLock { $0.append(line) } }

  func write(bytes: [UInt8]) { write(StyledText(String(decoding: bytes, as: UTF8.self))) }
}

/// Collects what a command prints, as far as a line on the screen has room for it.
private final class LineCollector: TextSink {
  private let text = Locked("")

  /// The lines as one.
  var joined: String {
    text.withLock { $0 }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  func write(bytes: [UInt8]) {
    text.withLock { text in
      guard text.utf8.count < 4_000 else { return }
      text += String(decoding: bytes.prefix(4_000), as: UTF8.self)
    }
  }
}
