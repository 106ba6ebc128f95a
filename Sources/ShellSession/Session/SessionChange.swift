package import ShellLanguage

/// Asks the shell to go on in another session; thrown by a statement at the top level.
///
/// `try` in a script does not catch it.
package enum SessionChange: Error {
  /// `reset`: in a new one.
  case reset
  /// `source --fresh`: in a new one, in which a script runs first.
  case freshRun(FreshRun)
  /// `back`: in one that takes the inputs up to a stop again.
  case back(InputLog.Stop)
}

/// The script of `source --fresh`.
package struct FreshRun: Sendable {
  package let script: Script
  /// The folder that it stands in.
  package let folder: String
  package let arguments: [String]
  /// Whether each statement waits for Enter.
  package let steps: Bool

  package init(_ script: Script, folder: String, arguments: [String], steps: Bool) {
    (self.script, self.folder, self.arguments, self.steps) = (script, folder, arguments, steps)
  }
}

extension Invocation {
  /// Whether the call is a statement of its own at the top level of what was typed or of the program.
  package var isAtTopLevel: Bool { run.inputs.isRunning(context.source, context.currentRange) }

  /// Refuses a call that goes on in another session from inside of a statement.
  ///
  /// - Throws: A diagnostic where it is no statement of its own at the top level.
  package func requireTopLevel() throws {
    guard !isAtTopLevel else { return }
    throw call.failure(
      .notAtTopLevel,
      "'\(call.signature.fullName)' must be a statement of its own at the top level",
      help: "not in a block, a handler, a 'def' or a script that is sourced")
  }
}

extension ObjectKind {
  package static let back = ObjectKind(
    type: "back", commands: "`back`",
    keys: [
      ("statement", "the statement that is the last one now, or null at the beginning"),
      ("now", "the time there, in seconds"),
      ("files", "the files that were written after that, and stay"),
    ])
}
