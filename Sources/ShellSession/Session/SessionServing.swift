import OpshLocking
import Operations
import OpshSecrets

/// What shows the session to other programs while it runs, and ends with it.
package protocol SessionServing: AnyObject, Sendable {
  /// Whether a page that has steered the session still follows it.
  var isSteered: Bool { get }

  /// Shows what is left, and stops.
  ///
  /// - Parameter status: The exit status of the run; nil if the session goes on.
  func end(status: Int32?)
}
