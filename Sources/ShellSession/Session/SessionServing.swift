import OpshLocking
import Operations
import OpshSecrets
package import ShellLanguage

/// What shows the session to other programs while it runs, and ends with it.
package protocol SessionServing: AnyObject, Sendable {
  /// Whether a page that has steered the session still follows it.
  var isSteered: Bool { get }

  /// Shows another session from now on, which has taken the place of the first.
  ///
  /// - Parameters:
  ///   - run: The run of the other session.
  ///   - jobs: Its operations.
  ///   - reason: What has happened, in words.
  ///   - host: What gives the language its commands.
  func goOn(in run: Run, _ jobs: Jobs, because reason: String, host: any CommandHost)

  /// Shows what is left, and stops.
  ///
  /// - Parameter status: The exit status of the run; nil if the session goes on.
  func end(status: Int32?)
}
