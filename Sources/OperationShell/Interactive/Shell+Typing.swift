import Foundation
import Operations
import ShellLanguage
import ShellSession
import OpshTerminal

/// The run of what is typed, and what its end waits for.
extension Shell {
  /// Returns what is wrong with a typed text.
  func check(typed script: Script) -> [Diagnostic] {
    session.run.check(script, isWhole: false, in: interpreter.makeContext(source: script.source))
  }

  private static let fewOperations = 100

  /// The work that the end of the session waits for, by its names; nil if nothing takes time.
  var awaitedAtEnd: String? {
    // On the virtual clock it takes no time.
    guard !session.run.mode.isRepeatable else { return nil }
    var awaited = session.jobs.operations.unfinished.filter { !$0.isHeldBack }
    // Each costs a search; the names of so many are not listed anyway.
    if awaited.count <= Self.fewOperations {
      awaited = awaited.filter { session.run.canFinish(anyOf: [$0]) }
    }
    let bodies = session.jobs.bodies.ofFinished
    var names = session.run.canFinish(anyOf: awaited) ? [OperationList.names(awaited)] : []
    if !bodies.isEmpty { names.append("the body of \(OperationList.names(bodies))") }
    return names.isEmpty ? nil : names.joined(separator: " and ")
  }

  /// Says at the prompt what its end waits for, and how not to wait.
  func tellOfWait() {
    guard let awaitedAtEnd else { return }
    session.screen.remark("waiting for \(awaitedAtEnd); Ctrl-C cancels, as 'quit --now' does")
  }

  /// Runs the typed text.
  ///
  /// Errors are shown and end only the rest of the text; so does Ctrl-C. One line says what did not
  /// run because of it.
  ///
  /// - Returns: How much of it ended without an error.
  /// - Throws: What ends the session.
  @discardableResult
  func runAtPrompt(
    _ script: Script, found: [Diagnostic]? = nil
  ) throws -> TypedLine.Completed {
    let found = found ?? check(typed: script)
    found.forEach(session.screen.report)
    lineStatus = 0
    guard !found.contains(where: { $0.severity == .error }) else {
      lineStatus = 2
      let count = script.statements.count
      if count > 1 {
        session.screen.remark("none of the \(count) statements ran: all are checked first")
      }
      return .nothing
    }
    var completed = 0
    var part = TypedLine.Completed.nothing
    do {
      try runStatements(
        of: script, notesTyped: false,
        completed: { [self] index in
          completed = index + 1
          let end = script.statements[index].range.upper
          part = .part(
            script.source.text(in: SourceRange(0, end)),
            operationCount: session.jobs.operations.count)
        })
      if try session.run.pump() { throw Interruption() }
      session.run.drainFeed()
      return .whole
    } catch let diagnostic as Diagnostic {
      lineStatus = diagnostic.exitStatus
      report(diagnostic)
      session.run.drainFeed()
    } catch let interruption as Interruption {
      lineStatus = 128 + SIGINT
      session.screen.remark(interruption.message)
    }
    let rest = script.statements.dropFirst(completed + 1)
    if !rest.isEmpty { session.screen.remark("not run: " + names(of: rest, in: script.source)) }
    return completed == script.statements.count ? .whole : part
  }

  /// The first words of statements, on one line.
  private func names(of statements: ArraySlice<Statement>, in source: SourceText) -> String {
    let shown = statements.prefix(3).map { statement -> String in
      let text = session.screen.secrets.mask(source.text(in: statement.range))
      let line = text.prefix { !$0.isNewline }
      let start = TextWidth.truncate(String(line), to: 32, ellipsis: "…")
      return "'\(start)\(line.count < text.count && start == line ? " …" : "")'"
    }
    let more = statements.count - shown.count
    return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}
