import Locking
import Operations
import Secrets
package import ShellLanguage

/// What shows the session to other programs while it runs, and ends with it.
package protocol SessionServing: AnyObject, Sendable {
  /// Whether a page that has steered the session still follows it.
  var isSteered: Bool { get }

  /// Shows what is left, and stops.
  ///
  /// - Parameter status: The exit status of the run; nil if the session goes on.
  func end(status: Int32?)
}

extension Session {
  /// Whether what nothing in a script can end may still be ended by a page.
  ///
  /// A page that has paused a queue can resume it. Without this, pausing what a script waits for would
  /// end the script. At the prompt the user can wait again.
  var mayBeSteered: Bool {
    guard !isInteractive, isOnInterpreterThread else { return false }
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

  /// Masks texts in all output and files from now on.
  package func noteSecrets(_ texts: [String]) { secrets.known.remember(texts) }

  /// Runs a command that another program asks for, as if it had been typed.
  ///
  /// Only the interpreter's thread calls this. Definitions and aliases of the session don't replace
  /// commands in it, and an error of it ends nothing else.
  ///
  /// - Parameters:
  ///   - text: The command.
  ///   - source: What asks for it, for the line that shows it.
  /// - Returns: The error; nil if there was none.
  /// - Throws: What ends the session.
  package func runSteering(_ text: String, from source: String) throws -> Diagnostic? {
    tell(source, "\(source): \(text)")
    let position = engine.log.count
    let endedAt = state.withLock { $0.endedAt }
    do {
      try Interpreter(host: self).run(Parser.parse(SourceText(name: source, text: text)))
    } catch let diagnostic as Diagnostic {
      state.withLock { $0.endedAt = endedAt }
      tell(source, "\(source): \(diagnostic.message)")
      return diagnostic
    }
    note(TypedLine(text: text, completed: text, isSteering: true, position: position))
    return nil
  }
}
