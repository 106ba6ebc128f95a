import Foundation
import Networking
import Operations
import ShellLanguage
import Terminal

/// Looks at expressions after every event, in the order of the log, and whenever something that the
/// log does not tell of changes: bytes, progress, a priority, a queue.
final class ExpectationWatch {
  private let invocation: Invocation
  private let expressions: [ShellLanguage.Expression]
  private let moment: LogMoment
  private var cursor: Int
  private var tokens: [String: [ObservationToken]] = [:]
  private var receiving: [(request: any NetworkOperationMetrics, handler: Int)] = []
  /// Whether anything is read that no entry of the log tells of.
  private let readsUnlogged: Bool

  /// What entries of the log tell of, or what never changes.
  private static let logged: Set<String> = [
    "state", "outcome", "error", "cancelled", "created", "ready", "started", "finished", "result",
    "id", "kind",
  ]
  /// Of a batch so much time goes to looking after each entry; then only its end is looked at.
  ///
  /// It is long, for what is not looked at is missed: only counts over very many operations take so
  /// much.
  private static let budget = Duration.seconds(2)

  init(_ expressions: [ShellLanguage.Expression], _ invocation: Invocation) {
    self.expressions = expressions
    self.invocation = invocation
    let session = invocation.session
    cursor = session.log.count
    // Each transition has a time of its own, so that the last may be ahead of a clock that stands.
    let last = session.log.entries(from: max(0, cursor - 1), limit: 1).entries.first?.time
    moment = LogMoment(at: max(session.clock.now, last ?? session.clock.now))
    let names = expressions.reduce(into: Set<String>()) { $0.formUnion($1.propertyNames) }
    readsUnlogged = !names.isSubset(of: Self.logged)
  }

  deinit {
    for (request, handler) in receiving { request.removeReceiveHandler(handler) }
  }

  /// Whether an expression holds at the moment.
  ///
  /// A property of what is null yet, such as the code of an error that may still come, does not
  /// hold: it is looked at again after the next event.
  func holds(_ expression: ShellLanguage.Expression) throws -> Bool {
    do {
      return try invocation.context.evaluate(expression).isTruthy
    } catch let missing as Diagnostic where missing.code == "no-value" {
      return false
    }
  }

  /// What was true at the moment that was looked at last.
  func atMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    try CurrentMoment.with(moment, body)
  }

  /// Walks along what has happened since the last call, and looks at the end at what is now.
  ///
  /// - Parameter look: Looks; true ends the walk.
  /// - Returns: Whether `look` has ended it.
  /// - Throws: What `look` throws.
  func walk(_ look: () throws -> Bool) throws -> Bool {
    watchUnlogged()
    let start = ContinuousClock.now
    var isFirst = cursor == 0
    while true {
      let (entries, next) = invocation.session.log.entries(from: cursor, limit: 1024)
      guard let first = entries.first else { break }
      if first.sequence > cursor, !isFirst { moment.reset(at: first.time) }
      isFirst = false
      cursor = next
      moment.begin(entries)
      for entry in entries {
        moment.pass(entry)
        guard invocation.session.isVirtual || ContinuousClock.now - start < Self.budget
        else { continue }
        if try atMoment(look) { return true }
      }
    }
    return try atMoment(look)
  }

  /// Wakes the wait when something changes that is not in the log.
  private func watchUnlogged() {
    let session = invocation.session
    let wakeUp = session.wakeUp
    for name in Set(expressions.flatMap(\.objectNames)) where tokens["queue " + name] == nil {
      guard let queue = session.queue(named: name) else { continue }
      tokens["queue " + name] = ["isSuspended", "maxConcurrentOperationCount"].compactMap {
        queue.observe(named: $0) { _, _ in wakeUp?.signal() }
      }
    }
    guard readsUnlogged else { return }
    for operation in ExpectedOperations(expressions, invocation).all
    where tokens[String(operation.id)] == nil && operation.state != .finished {
      tokens[String(operation.id)] = [
        "progress", "queuePriority", "qualityOfService", "dependencies", "name",
      ].compactMap { operation.observe(named: $0) { _, _ in wakeUp?.signal() } }
      guard let request = operation as? any NetworkOperationMetrics else { continue }
      receiving.append((request, request.addReceiveHandler { wakeUp?.signal() }))
    }
  }
}

@available(*, unavailable)
extension ExpectationWatch: Sendable {}

/// The operations that expressions are about.
struct ExpectedOperations {
  /// Those named before a dot, or kept in a variable.
  private(set) var named: [ObservableOperation] = []
  /// Those that are counted, whether they fit or not.
  private(set) var counted: [ObservableOperation] = []

  init(_ expressions: [ShellLanguage.Expression], _ invocation: Invocation) {
    let (session, context) = (invocation.session, invocation.context)
    for expression in expressions {
      for name in expression.objectNames {
        Self.collect(session.object(named: name, in: context) ?? .null, into: &named)
      }
      for name in expression.variableNames {
        Self.collect(context.variable(name) ?? .null, into: &named)
      }
      for clause in expression.countClauses {
        guard case .bareWord(let word) = clause.things.kind,
          let things = session.collection(named: word, in: context)
        else { continue }
        things.forEach { Self.collect($0, into: &counted) }
      }
    }
  }

  /// All of them, each once.
  var all: [ObservableOperation] {
    var seen: Set<Int> = []
    return (named + counted).filter { seen.insert($0.id).inserted }
  }

  /// Those that a met expectation accounts for: the named ones, and those that were counted by how
  /// they ended.
  static func accounted(
    _ expression: ShellLanguage.Expression, _ invocation: Invocation
  ) throws -> [ObservableOperation] {
    var found = ExpectedOperations([expression], invocation).named
    for clause in expression.countClauses {
      guard let condition = clause.condition else { continue }
      let words = condition.words
      guard words.contains("outcome") || words.contains("error") else { continue }
      for value in try invocation.context.counted(clause) { collect(value, into: &found) }
    }
    return found
  }

  private static func collect(_ value: Value, into found: inout [ObservableOperation]) {
    switch value {
    case .object(let object as OperationObject): found.append(object.operation)
    case .list(let elements): elements.forEach { collect($0, into: &found) }
    default: break
    }
  }
}
