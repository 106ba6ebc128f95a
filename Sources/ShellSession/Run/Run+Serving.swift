import OpshLocking
import Operations
package import ShellLanguage

extension Run {
  /// Whether what nothing in a script can end may still be ended by a page.
  ///
  /// A page that has paused a queue can resume it. Without this, pausing what a script waits for would
  /// end the script. At the prompt the user can wait again.
  var mayBeSteered: Bool {
    guard !screen.isInteractive, isOnInterpreterThread else { return false }
    return serving.withLock { $0 }?.isSteered ?? false
  }

  /// Until when to sleep before looking whether the page is still there, which wakes no thread.
  var nextLookAtSteering: ContinuousClock.Instant { .now + .milliseconds(200) }

  /// Ends what serves the session, if it is served.
  ///
  /// - Parameter status: The exit status of the run; nil if the session goes on.
  /// - Returns: What has ended; nil if nothing was served.
  @discardableResult
  package func endServing(status: Int32?) -> (any SessionServing)? {
    let ended = serving.withLock { serving in
      defer { serving = nil }
      return serving
    }
    ended?.end(status: status)
    return ended
  }

  /// Runs a command that another program asks for, as if it had been typed.
  ///
  /// Only the interpreter's thread calls this. Definitions and aliases of the session don't replace
  /// commands in it, and an error of it ends nothing else.
  ///
  /// - Parameters:
  ///   - text: The command.
  ///   - source: What asks for it, for the line that shows it.
  ///   - host: What gives the language its commands.
  /// - Returns: The error; nil if there was none.
  /// - Throws: What ends the session.
  package func runSteering(
    _ text: String, from source: String, host: any CommandHost
  ) throws -> Diagnostic? {
    willTake(command: text, from: source)
    screen.tell(source, "\(source): \(text)")
    noteTyped(text)
    let position = jobs.engine.log.count
    let endedAt = screen.state.withLock { $0.endedAt }
    do {
      try Interpreter(host: host).run(Parser.parse(SourceText(name: source, text: text)))
    } catch let diagnostic as Diagnostic {
      screen.state.withLock { $0.endedAt = endedAt }
      screen.tell(source, "\(source): \(diagnostic.message)")
      return diagnostic
    }
    note(TypedLine(text: text, completed: text, isSteering: true, position: position))
    return nil
  }
}
