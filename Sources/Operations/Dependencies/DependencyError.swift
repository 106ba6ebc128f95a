/// Why a dependency was refused; nothing has changed then.
public enum DependencyError: CodedError, Sendable, Equatable {
  /// An operation cannot wait for itself.
  case selfDependency(name: String)
  /// The dependency would close a cycle; the path begins and ends with the dependent.
  case cycle(path: [String])
  /// The waiting operation already runs or has ended.
  case tooLate(name: String, state: OperationState)
  /// The waiting operation was given its slot, and its observers are called before it executes.
  case alreadyStarting(name: String)
  /// The two operations belong to different engines, so no lock covers both.
  case differentLogs(name: String, other: String)
  /// The operation was to be given a value that ``ObservableOperation/dropValue()`` has dropped.
  case valueDropped(name: String, other: String)

  /// The stable code.
  public var code: String {
    switch self {
    case .selfDependency: "self-dependency"
    case .cycle: "dependency-cycle"
    case .tooLate: "too-late"
    case .alreadyStarting: "already-starting"
    case .differentLogs: "different-logs"
    case .valueDropped: "value-dropped"
    }
  }

  /// One sentence for people, without a full stop at its end.
  public var message: String {
    switch self {
    case .selfDependency(let name):
      "'\(name)' cannot depend on itself"
    case .cycle(let path):
      "the dependency would close a cycle: \(Wording.path(path))"
    case .tooLate(let name, let state):
      "it is too late to change what '\(name)' depends on: it is \(state.rawValue)"
    case .alreadyStarting(let name):
      "'\(name)' is already starting, so what it depends on can no longer change"
    case .differentLogs(let name, let other):
      "'\(name)' and '\(other)' keep different logs and cannot depend on each other"
    case .valueDropped(let name, let other):
      "'\(name)' cannot be given the value of '\(other)', which was dropped"
    }
  }
}
