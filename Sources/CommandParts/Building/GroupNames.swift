package import ShellLanguage
import ShellSession

/// Which names a group can have.
package enum GroupNames {
  /// The queue of a group is called like the group, so it must not be called like a queue's words.
  package static let reservedNames: [String] = Array(
    Set(OperationRegistry.reservedNames + QueueRegistry.reservedNames)
  ).sorted()

  /// The error of a group with the name of a queue.
  package static func takenByQueue(_ name: String) -> UnplacedError {
    UnplacedError(
      .badName, "there is a queue '\(name)', and the queue of a group has the name of the group",
      help: "choose another name")
  }
}
