package import Operations
import OpshSupport

/// The life of an operation as `diagram` and the picture of `export --life` draw it, from top to
/// bottom: the states, and between them what lay there.
///
/// The entries of the log make the steps, one after the other, so that a life can be drawn while it
/// lasts.
package struct LifeCycle {
  /// What is drawn below the last step.
  package enum Step: Equatable {
    /// A state that the operation came into; the time is nil where the log no longer has it.
    case state(
      OperationState, at: ContinuousClock.Instant?, reason: String, outcome: OperationOutcome?)
    /// A state that it passed over, or has not reached.
    case unreached(OperationState)
    /// What happened within a state, such as a cancellation.
    case note(String, at: ContinuousClock.Instant, reason: String)
    /// What lies between two states: how long the upper one lasted, and the key-value notifications
    /// that the change sent.
    case wire(Duration?, lasts: Bool, changes: [EventLog.Entry.Notification])
  }

  private let operation: ObservableOperation
  /// The state that was drawn last, and since when the operation was in it.
  private var state: OperationState?
  private var since: ContinuousClock.Instant?

  /// Begins the life of an operation.
  package init(of operation: ObservableOperation) { self.operation = operation }

  /// Returns what an entry adds; the entries of the operation have to come in their order.
  package mutating func steps(for entry: EventLog.Entry) -> [Step] {
    let changes = entry.notifications(defects: operation.defects)
    guard entry.event == .transition else {
      return [.note(Self.name(of: entry.event), at: entry.time, reason: entry.reason)]
        + (changes.isEmpty ? [] : [.wire(nil, lasts: false, changes: changes)])
    }
    var steps: [Step] = []
    if state == nil {
      let isWhole = entry.from == .created
      since = isWhole ? operation.timestamps.created : nil
      steps.append(
        .state(
          entry.from, at: since,
          reason: isWhole ? "" : "earlier entries are no longer in the log", outcome: nil))
    }
    steps += OperationState.allCases.drop { $0 != entry.from }.dropFirst()
      .prefix { $0 != entry.to }.map { .unreached($0) }
    let duration = since.map { $0.duration(to: entry.time) }
    if duration != nil || !changes.isEmpty {
      steps.append(.wire(duration, lasts: false, changes: changes))
    }
    steps.append(
      .state(entry.to, at: entry.time, reason: entry.reason, outcome: entry.outcome))
    (state, since) = (entry.to, entry.time)
    return steps
  }

  /// Returns the time in the present state, and the states that have not been reached.
  package func end(now: ContinuousClock.Instant) -> [Step] {
    guard state != .finished else { return [] }
    let present = state ?? .created
    let created = state == nil ? operation.timestamps.created : nil
    var steps: [Step] = []
    if state == nil { steps.append(.state(present, at: created, reason: "", outcome: nil)) }
    if let since = since ?? created {
      steps.append(.wire(max(.zero, since.duration(to: now)), lasts: true, changes: []))
    }
    return steps
      + OperationState.allCases.drop { $0 != present }.dropFirst().map { .unreached($0) }
  }

  private static func name(of event: EventLog.Entry.Event) -> String {
    switch event {
    case .transition: ""
    case .cancelling: "cancelled"
    case .attempt: "attempt"
    case .pause: "pause"
    case .refusal: "refused"
    case .awaitsFinish: "waits"
    case .completion: "callback"
    case .phase: "phase"
    }
  }
}

extension LifeCycle.Step {
  /// The words of a wire: the time, and each change of a property.
  package static func words(
    of time: Duration?, lasts: Bool, _ changes: [EventLog.Entry.Notification]
  ) -> [String] {
    let time = time.map { "\(DurationText($0))\(lasts ? " until now" : "")" }
    return [time].compactMap { $0 } + changes.map { "\($0.key) \($0.old) → \($0.new)" }
  }
}
