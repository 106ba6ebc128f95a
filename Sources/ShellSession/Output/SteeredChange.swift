import OpshJSON
package import Operations
import ShellLanguage
package import ShellOutput

/// A change by which something was steered, as the log keeps it: of a priority, a quality of service or
/// dependencies, or of the width, pause or pace of a queue.
///
/// What an operation or queue was built with is none, nor is what no longer had an effect.
package struct SteeredChange: Sendable {
  /// The operation or queue that changed.
  package enum Subject: Sendable {
    /// With its state at that moment.
    case operation(OperationIdentity, OperationState)
    case queue(String)
  }

  package let time: ContinuousClock.Instant
  package let subject: Subject
  /// What changed, in a word, such as `priority`.
  package let name: String
  /// The change in words, such as `normal → high`.
  package let text: String
  /// What changed and how, as a line of the log says it.
  package var sentence: String {
    name == Self.dependency ? text : text.isEmpty ? name : "\(name) \(text)"
  }
  private static let dependency = "deps"

  private let (keyPath, old, new): (String, JSONValue, JSONValue)

  /// Reads a change of the log; nil for one that steers nothing.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - operations: The operations that the log has told of, with their states.
  ///   - dependencies: Those of the operation after the change.
  ///   - jobs: The operations and queues of the session.
  fileprivate init?(
    _ change: EventLog.Change, _ operations: [Int: (OperationIdentity, OperationState)],
    dependencies: [Int], in jobs: Jobs
  ) {
    switch change.subject {
    case .operation(let id):
      guard let (identity, state) = operations[id], state != .finished else { return nil }
      subject = .operation(identity, state)
    case .queue(let id):
      guard let queue = jobs.allQueues.first(where: { $0.id == id }) else { return nil }
      subject = .queue(queue.name)
    }
    let name = { (id: Int) in
      operations[id]?.0.name ?? jobs.operations.operation(id: id)?.displayName ?? "operation \(id)"
    }
    switch change.event {
    case .priority(let old, let new):
      (self.name, text) = ("priority", "\(old.shellName) → \(new.shellName)")
    case .dependency(let id, old: nil, _):
      (self.name, text) = (Self.dependency, "depends on \(name(id))")
    case .dependency(let id, _, new: nil):
      (self.name, text) = (Self.dependency, "no longer depends on \(name(id))")
    case .dependency(let id, let old?, let new?):
      (self.name, text) = (
        Self.dependency, "on failure of \(name(id)): \(old.rawValue) → \(new.rawValue)"
      )
    case .width(let old?, let new):
      (self.name, text) = ("width", "\(Self.text(width: old)) → \(Self.text(width: new))")
    case .suspended(let isSuspended):
      (self.name, text) = (isSuspended ? "paused" : "resumed", "")
    case .pace(let old, let new):
      (self.name, text) = ("pace", "\(Value.duration(old).text) → \(Value.duration(new).text)")
    case .quality(let old, let new):
      (self.name, text) = ("qos", "\(old.shellName) → \(new.shellName)")
    default: return nil
    }
    time = change.time
    guard case .dependency(let id, let before, let after) = change.event else {
      (keyPath, old, new) = change.event.recorded
      return
    }
    // As the command shows it: all dependencies by their names.
    let others = dependencies.filter { $0 != id }
    func names(_ policy: FailurePolicy?) -> JSONValue {
      .array((policy == nil ? others : others + [id]).map { .string(name($0)) })
    }
    (keyPath, old, new) = ("dependencies", names(before), names(after))
  }

  private static func text(width: Int) -> String { width < 0 ? "unlimited" : String(width) }

  /// The keys of its `change` object, after the keys of every object.
  package var fields: JSONFields {
    let member: JSONValue.Member =
      switch subject {
      case .operation(let identity, _):
        .init(name: "operation", value: OperationDescription.reference(to: identity).value)
      case .queue(let name): .init(name: "queue", value: .string(name))
      }
    // What followed from it is not kept.
    return SteeringEffect.changeFields(of: member, keyPath, from: old, to: new, reason: "")
  }
}

/// The log as people read it: its entries, and among them the changes by which something was steered.
package struct ToldLog {
  /// One line of it.
  package enum Line: Sendable {
    case entry(EventLog.Entry)
    case change(SteeredChange)

    /// The operation that it is about; nil for a queue.
    package var operation: OperationIdentity? {
      switch self {
      case .entry(let entry): entry.operation
      case .change(let change):
        if case .operation(let identity, _) = change.subject { identity } else { nil }
      }
    }

    /// Returns whether it is about one of the operations of these numbers.
    package func isAbout(_ ids: Set<Int>) -> Bool {
      operation.map { ids.contains($0.id) } ?? false
    }
  }

  private static let pageSize = 4096

  private let jobs: Jobs
  private var entryCursor = 0
  private var changeCursor = 0
  /// Changes that were read and come after entries that were not.
  private var changes: ArraySlice<EventLog.Change> = []
  private var operations: [Int: (OperationIdentity, OperationState)] = [:]
  private var dependencies: [Int: [Int]] = [:]
  /// The queue whose creation the change before has told.
  private var created: EventLog.Change.Subject?

  /// Begins at the first entry that is kept.
  package init(of jobs: Jobs) { self.jobs = jobs }

  /// Returns the lines since the last call, some at a time; nil where there are none any more.
  package mutating func nextPage() -> [Line]? {
    let (entries, next) = jobs.engine.log.entries(from: entryCursor, limit: Self.pageSize)
    var lines: [Line] = []
    for entry in entries {
      takeChanges(before: entry.sequence, &lines)
      lines.append(.entry(entry))
      operations[entry.operation.id] = (entry.operation, entry.to)
    }
    entryCursor = next
    takeChanges(before: next, &lines)
    return entries.isEmpty && lines.isEmpty ? nil : lines
  }

  private mutating func takeChanges(before sequence: Int, _ lines: inout [Line]) {
    while true {
      if changes.isEmpty {
        let (read, next) = jobs.engine.log.changes(from: changeCursor, limit: Self.pageSize)
        (changes, changeCursor) = (read[...], next)
      }
      guard let change = changes.first, change.position <= sequence else { return }
      changes.removeFirst()
      let known = follow(change)
      guard !isOfCreation(change) else { continue }
      SteeredChange(change, operations, dependencies: known, in: jobs)
        .map { lines.append(.change($0)) }
    }
  }

  /// Returns the dependencies of the operation after a change.
  private mutating func follow(_ change: EventLog.Change) -> [Int] {
    guard case .operation(let id) = change.subject,
      case .dependency(let other, let old, let new) = change.event
    else { return [] }
    if old == nil { dependencies[id, default: []].append(other) }
    if new == nil { dependencies[id]?.removeAll { $0 == other } }
    return dependencies[id] ?? []
  }

  /// Returns whether a change belongs to the creation of a queue.
  private mutating func isOfCreation(_ change: EventLog.Change) -> Bool {
    switch (change.subject, change.event) {
    case (.queue, .width(old: nil, _)), (.queue, .renamed(old: nil, _)): created = change.subject
    case (_, .quality) where created == change.subject: break
    default: created = nil
    }
    return created != nil
  }
}
