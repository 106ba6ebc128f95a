import Locking
import Operations
import ShellLanguage

/// Every operation of the session, finished ones too, by id and by name.
///
/// Ids rise from 1; names are unique. Both look-ups take constant time.
final class OperationRegistry: Sendable {
  private struct State {
    var operations: [ObservableOperation] = []
    var byID: [Int: ObservableOperation] = [:]
    var byName: [String: ObservableOperation] = [:]
    var reserved: Set<String> = []
    var counters: [String: Int] = [:]
    /// The queue that a held operation is for.
    var heldFor: [Int: InspectableQueue] = [:]
    var origins: [Int: Origin] = [:]
  }

  /// The statement that built an operation: where an error about it points.
  struct Origin: Sendable {
    let source: SourceText
    let range: SourceRange
  }

  private let state = Locked(State())

  /// Names that mean something else wherever an operation can stand.
  static let reservedNames: [String] = ["all", "last", "on", "off", "queue"]

  /// All operations in the order they were built.
  var all: [ObservableOperation] { state.withLock { $0.operations } }

  var unfinished: [ObservableOperation] { all.filter { $0.state != .finished } }

  var last: ObservableOperation? { state.withLock { $0.operations.last } }

  /// Those that were built after the first `count` ones.
  func added(after count: Int) -> [ObservableOperation] {
    state.withLock { Array($0.operations.dropFirst(count)) }
  }

  func origin(of operation: ObservableOperation) -> Origin? {
    state.withLock { $0.origins[operation.id] }
  }

  var count: Int { state.withLock { $0.operations.count } }

  func operation(id: Int) -> ObservableOperation? { state.withLock { $0.byID[id] } }

  func operation(named name: String) -> ObservableOperation? { state.withLock { $0.byName[name] } }

  var names: [String] { state.withLock { $0.operations.map(\.displayName) } }

  /// Takes a name for an operation about to be built: the one asked for, or the last word of its
  /// kind with a counter.
  ///
  /// The name is taken at once, so that two threads never get the same.
  ///
  /// - Throws: `NameError` where the name is no name, reserved, or taken.
  func reserveName(_ wanted: String?, kind: String) throws(NameError) -> String {
    if let wanted { try NameError.check(wanted, reserved: Self.reservedNames) }
    return try state.withLock { state throws(NameError) in
      if let wanted {
        guard state.byName[wanted] == nil, !state.reserved.contains(wanted) else {
          throw .taken(wanted)
        }
        state.reserved.insert(wanted)
        return wanted
      }
      let word = kind.split(separator: " ").last.map(String.init) ?? kind
      var number = state.counters[word, default: 0]
      var name: String
      repeat {
        number += 1
        name = "\(word)-\(number)"
      } while state.byName[name] != nil || state.reserved.contains(name)
      state.counters[word] = number
      state.reserved.insert(name)
      return name
    }
  }

  /// Gives back a name whose operation could not be built.
  func releaseName(_ name: String) {
    _ = state.withLock { $0.reserved.remove(name) }
  }

  func add(_ operation: ObservableOperation, origin: Origin) {
    state.withLock { state in
      state.origins[operation.id] = origin
      state.operations.append(operation)
      state.byID[operation.id] = operation
      state.byName[operation.displayName] = operation
      state.reserved.remove(operation.displayName)
    }
  }

  // MARK: Held operations

  /// Keeps the operation off its queue until `start` asks for it.
  func hold(_ operation: ObservableOperation, for queue: InspectableQueue) {
    state.withLock { $0.heldFor[operation.id] = queue }
  }

  /// The queue that a held operation is for; it is not held any more.
  func releaseHold(of operation: ObservableOperation) -> InspectableQueue? {
    state.withLock { $0.heldFor.removeValue(forKey: operation.id) }
  }

  func heldCount(for queue: InspectableQueue) -> Int {
    state.withLock { $0.heldFor.values.filter { $0 === queue }.count }
  }
}

/// Why a name can't be given to an operation or a queue.
enum NameError: Error {
  case malformed(String)
  case reserved(String)
  case taken(String)

  var message: String {
    switch self {
    case .malformed(let name):
      "'\(name)' is no name: names begin with a letter and hold letters, digits, '-' and '_'"
    case .reserved(let name): "'\(name)' is reserved"
    case .taken(let name): "the name '\(name)' is taken"
    }
  }

  static func check(_ name: String, reserved: [String]) throws(NameError) {
    guard let first = name.first, first.isLetter,
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    else { throw .malformed(name) }
    guard !reserved.contains(name) else { throw .reserved(name) }
  }
}
