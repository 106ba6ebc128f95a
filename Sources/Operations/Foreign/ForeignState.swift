import Foundation
import OpshLocking

/// What one has to know of Foundation's operations, and is not told.
///
/// Starting or adding an operation that is on a queue already ends the process there, and there is
/// no way to ask. So this looks at the variable in which Foundation keeps that. Where a later
/// version has none of that name the answer is what can be asked for.
enum ForeignState {
  /// Whether a Foundation queue has it, or it was started.
  static func isTaken(_ operation: Operation) -> Bool {
    if operation.isExecuting || operation.isFinished { return true }
    guard let position, let mirror = mirror(of: operation) else { return false }
    // Only this one variable is read: others change on other threads, and reading counts references.
    let children = mirror.children
    let state = children[children.index(children.startIndex, offsetBy: position)].value
    return String(describing: state) != initialState
  }

  private static let initialState = "initialized"

  /// Where the state stands among the variables of an operation.
  private static let position: Int? = mirror(of: Operation()).flatMap { mirror in
    mirror.children.enumerated().first { _, child in
      child.label == "__state" && String(describing: child.value) == initialState
    }?.offset
  }

  private static func mirror(of operation: Operation) -> Mirror? {
    var mirror: Mirror? = Mirror(reflecting: operation)
    while let current = mirror, current.subjectType != Operation.self {
      mirror = current.superclassMirror
    }
    return mirror
  }

  /// Those that one of ours is starting, on whichever log.
  private static let starting = Locked<Set<ObjectIdentifier>>([])

  /// Claims the right to start it: two at the same time end the process.
  static func claimStart(of operation: Operation) -> Bool {
    starting.withLock { $0.insert(ObjectIdentifier(operation)).inserted }
  }

  /// Gives the right back, when it has finished.
  static func endClaim(on operation: Operation) {
    _ = starting.withLock { $0.remove(ObjectIdentifier(operation)) }
  }
}
