import Foundation
import OpshJSON
import OpshNetworking
import Operations
import ShellOutput
import OpshTerminal

/// Reads a session as the lines of a recording, from its beginning to the present and on.
///
/// ```swift
/// var lines = RecordingLines(of: run)
/// file.write(lines.next())  // again and again
/// file.write(lines.end(status: 0))
/// ```
///
/// It reads the log by cursors of its own and holds nothing up. Every text is masked. A value may be
/// used on any thread, by one at a time.
package struct RecordingLines {
  /// How many entries are read at a time.
  private static let pageSize = 1024

  private let run: Run
  /// The sequence number of the next entry of the log.
  private(set) var entryCursor = 0
  /// The number of the next change of the log.
  private(set) var changeCursor = 0
  /// Changes that were read and are not in a line yet.
  private var changes: ArraySlice<EventLog.Change> = []
  /// The number of the next item of what was typed.
  private var typedCursor = 0
  private var sequence: Int64 = 0
  /// The operations that a line has described.
  private var described: Set<Int> = []
  private var queueNames: [Int: String] = [:]
  /// How many operations were held when it was looked last which are.
  private var holdCount = 0
  /// Operations that were cancelled or over their time, and finished before their transfer did.
  private var outrun: [ObservableOperation] = []
  /// Since when a line waits for an operation that another thread builds.
  private var heldSince: ContinuousClock.Instant?
  /// How long it waits.
  private static let patience = Duration.seconds(1)

  /// What gives the spans, for a page; nil for a recording.
  private let spans: (any SpanSource)?
  /// The time of the latest line.
  private var latest: ContinuousClock.Instant
  /// What is said after the header; nil for nothing.
  private let notice: String?
  /// The speed of the clock that a page knows.
  private var knownSpeed = 1.0

  /// Creates a reader at the beginning of a session.
  ///
  /// - Parameters:
  ///   - run: The run of the session.
  ///   - spans: What gives the spans that stand among the lines, as a page needs them; with it, lines
  ///     also tell that time has passed on the virtual clock, and how fast the real one is.
  ///   - notice: What is said first, of a session that has taken the place of another.
  package init(of run: Run, spans: (any SpanSource)? = nil, notice: String? = nil) {
    (self.run, self.spans, self.notice) = (run, spans, notice)
    latest = run.clock.startInstant
  }

  /// Whether something is not in a line yet; takes almost no time.
  package var hasNews: Bool {
    sequence == 0 || run.jobs.engine.log.count > entryCursor
      || run.jobs.engine.log.changeCount > changeCursor || !changes.isEmpty
      || run.jobs.operations.holdCount > holdCount || run.screen.typed.count > typedCursor
      || outrun.contains { !Self.isTransferring($0) } || virtualTimeHasPassed
      || speedHasChanged
  }

  /// Whether a page, which lets time pass between lines, does not know how fast.
  private var speedHasChanged: Bool { spans != nil && run.jobs.engine.speed != knownSpeed }

  /// Whether time has passed on the virtual clock of which a page does not know.
  private var virtualTimeHasPassed: Bool {
    spans != nil && run.clock.isVirtual && run.clock.now > latest
  }

  /// Whether the last call left something of the log for the next, because of its limit.
  package var isBehind: Bool { run.jobs.engine.log.count > entryCursor && heldSince == nil }

  /// Returns the lines of what happened since the last call, each without a line break.
  ///
  /// - Parameter limit: About how many lines to return at most; what is left comes next time.
  /// - Returns: The lines; the first time with the header.
  package mutating func next(limit: Int = .max) -> [String] {
    lines(limit: limit, before: .max, canWait: true)
  }

  /// The lines of the entries before one, and of the changes before that.
  private mutating func lines(limit: Int, before end: Int, canWait: Bool) -> [String] {
    var lines: [String] = []
    if sequence == 0 {
      add(&lines, "recording", at: run.clock.startInstant, header)
      if let notice {
        let fields: JSONFields = ["command": .string("back"), "text": .string(notice)]
        add(&lines, "message", at: run.clock.startInstant, fields)
      }
    }
    let log = run.jobs.engine.log
    while lines.count < limit {
      let cursor = entryCursor
      let (entries, next) = log.entries(
        from: cursor, limit: min(Self.pageSize, limit, max(0, end - cursor)))
      if let first = entries.first, first.sequence > cursor {
        addGap(&lines, first.sequence - cursor, at: first.time)
      }
      for entry in entries {
        guard takeChanges(before: entry.sequence, canWait: canWait, &lines) else {
          entryCursor = entry.sequence
          return lines
        }
        addTyped(before: entry.sequence, .max, &lines)
        add(entry, &lines)
        addSpans(after: .log(.entry(entry)), &lines)
      }
      entryCursor = next
      guard takeChanges(before: next, canWait: canWait, &lines) else { return lines }
      if entries.isEmpty { break }
    }
    if lines.count < limit {
      addTyped(before: entryCursor, changeCursor - changes.count, &lines)
      addHeld(&lines)
      addLateEnds(&lines)
      addSpans(after: .time(run.clock.now), &lines)
      if virtualTimeHasPassed { add(&lines, "clock", at: run.clock.now, [:]) }
      if speedHasChanged {
        knownSpeed = run.jobs.engine.speed
        add(&lines, "clock", at: run.clock.now, ["speed": .literal("\(knownSpeed)")])
      }
    }
    return lines
  }

  /// Whether the transport is about to report the end of a transfer of an operation that has finished.
  var awaitsTransfers: Bool { outrun.contains(where: Self.isTransferring) }

  /// Returns the last lines: what has not finished, the queues, and the summary.
  ///
  /// - Parameter status: The exit status of the run; nil while it goes on.
  /// - Returns: The lines.
  package mutating func end(status: Int32?) -> [String] {
    // Not what is written meanwhile, which may never end.
    var lines = lines(limit: .max, before: run.jobs.engine.log.count, canWait: false)
    addLateEnds(&lines)
    let now = run.clock.now
    let operations = run.jobs.operations.all
    for operation in operations where operation.state != .finished {
      add(&lines, "operation", at: now, fields(of: operation))
      addAttempts(of: operation, at: now, &lines)
      described.insert(operation.id)
    }
    for queue in run.jobs.queues.all {
      var fields = queue.fields
      fields.append("queueID", .number(queue.id))
      fields.append("inUse", .boolean(queue === run.jobs.queues.inUse))
      fields.append("adapts", .optional(run.jobs.adapting.state(of: queue)))
      add(&lines, "queue", at: now, fields)
    }
    add(&lines, "summary", at: now, summary(of: operations, status))
    return lines
  }

  // MARK: Lines

  private mutating func add(
    _ lines: inout [String], _ type: String, at instant: ContinuousClock.Instant,
    _ fields: JSONFields
  ) {
    var line: JSONFields = [
      "type": .string(type), "sequence": .integer(sequence),
      "time": .string(run.clock.timestamp(instant)), "elapsed": seconds(instant),
    ]
    line.members += fields.members.map {
      .init(name: $0.name, value: run.screen.secrets.mask($0.value))
    }
    sequence += 1
    latest = max(latest, instant)
    lines.append(line.value.text)
  }

  /// Adds the changes before an entry.
  ///
  /// - Returns: False if one is about an operation that another thread is building at this moment,
  ///   and of which nothing can be said yet.
  private mutating func takeChanges(
    before sequence: Int, canWait: Bool, _ lines: inout [String]
  ) -> Bool {
    while let change = nextChange, change.position <= sequence {
      guard canDescribe(change) || !canWait else { return false }
      addTyped(before: change.position, changeCursor - changes.count, &lines)
      changes.removeFirst()
      if !isOfDiscarded(change) { add(change, &lines) }
      addSpans(after: .log(.change(change)), &lines)
    }
    return true
  }

  /// The next change, read after the entries before which it may stand.
  private var nextChange: EventLog.Change? {
    mutating get {
      if changes.isEmpty {
        let (read, next) = run.jobs.engine.log.changes(from: changeCursor, limit: Self.pageSize)
        (changes, changeCursor) = (read[...], next)
      }
      return changes.first
    }
  }

  /// Whether a change is about an operation that was not built after all, or about the queue of such
  /// a group.
  private mutating func isOfDiscarded(_ change: EventLog.Change) -> Bool {
    var operations = change.operations
    if case .width(old: nil, _) = change.event, let next = nextChange,
      next.subject == change.subject, case .group(let id) = next.event
    {
      operations.append(id)
    }
    return operations.contains(where: isUnknown)
  }

  /// Whether an operation is not built yet, or was not built after all.
  private func isUnknown(_ id: Int) -> Bool {
    !described.contains(id) && run.jobs.operations.operation(id: id) == nil
      && !run.jobs.operations.wasDropped(id)
  }

  private mutating func canDescribe(_ change: EventLog.Change) -> Bool {
    guard change.operations.contains(where: isUnknown) else {
      heldSince = nil
      return true
    }
    heldSince = heldSince ?? .now
    return heldSince.map { ContinuousClock.now - $0 > Self.patience } ?? true
  }

  private mutating func add(_ change: EventLog.Change, _ lines: inout [String]) {
    let (keyPath, old, new) = change.event.recorded
    var (operation, queue, queueID) = (JSONValue.null, JSONValue.null, JSONValue.null)
    for id in change.operations {
      describe(id, nil, isGroup: change.event == .group(id), at: change.time, &lines)
    }
    switch change.subject {
    case .operation(let id): operation = reference(to: id)
    case .queue(let id): (queue, queueID) = (.optional(name(ofQueue: id)), .number(id))
    }
    add(
      &lines, "change", at: change.time,
      [
        "operation": operation, "queue": queue, "queueID": queueID, "keyPath": .string(keyPath),
        "initial": .boolean(false), "prior": .boolean(false), "old": old, "new": new,
      ])
  }

  private mutating func add(_ entry: EventLog.Entry, _ lines: inout [String]) {
    let isEnd = entry.event == .transition && entry.to == .finished
    describe(entry.operation.id, entry, isAgain: isEnd, at: entry.time, &lines)
    var fields = EventFeed.fields(of: entry)
    fields.append("event", .string(entry.event.rawValue))
    fields.append("queueID", .optional(entry.queueID))
    add(&lines, "transition", at: entry.time, fields)
  }

  /// Adds what was typed before an entry and a change, with the first lines of the output.
  private mutating func addTyped(before entry: Int, _ change: Int, _ lines: inout [String]) {
    guard run.screen.typed.count > typedCursor else { return }
    for item in run.screen.typed.items(from: typedCursor) {
      guard item.entry <= entry, item.change <= change else { return }
      typedCursor += 1
      add(&lines, "typed", at: item.time, item.fields)
    }
  }

  private mutating func addGap(
    _ lines: inout [String], _ count: Int, at instant: ContinuousClock.Instant
  ) {
    add(
      &lines, "message", at: instant,
      [
        "command": .string("record"),
        "text": .string("\(count) entries of the log were dropped before they were recorded"),
      ])
  }

  // MARK: Operations

  /// Adds the line of an operation before the first line about it, and before that of its end.
  private mutating func describe(
    _ id: Int, _ entry: EventLog.Entry?, isAgain: Bool = false, isGroup: Bool = false,
    at instant: ContinuousClock.Instant, _ lines: inout [String]
  ) {
    guard described.insert(id).inserted || isAgain else { return }
    if let operation = run.jobs.operations.operation(id: id) {
      add(&lines, "operation", at: instant, fields(of: operation))
      if isAgain {
        addAttempts(of: operation, at: instant, &lines)
        if Self.isTransferring(operation) { outrun.append(operation) }
      }
    } else {
      // Its record was dropped, or it has none.
      add(
        &lines, "operation", at: instant,
        [
          "id": .number(id), "name": .optional(entry?.operation.name),
          "kind": .string(entry?.operation.kind ?? (isGroup ? "group" : "operation")),
          "isGroup": .boolean(isGroup),
          "state": .optional(entry?.to.rawValue), "outcome": .optional(entry?.outcome?.name),
          "error": .failure(entry?.outcome?.failure),
        ])
    }
  }

  /// Adds the held operations, which the log does not have.
  private mutating func addHeld(_ lines: inout [String]) {
    let count = run.jobs.operations.holdCount
    guard count > holdCount else { return }
    holdCount = count
    for id in run.jobs.operations.held { describe(id, nil, at: run.clock.now, &lines) }
  }

  private static func isTransferring(_ operation: ObservableOperation) -> Bool {
    operation.networkMetrics?.isTransferring == true
  }

  /// Adds again, and complete, what was written of operations whose transfers have ended since.
  private mutating func addLateEnds(_ lines: inout [String]) {
    let ended = outrun.filter { !Self.isTransferring($0) }
    guard !ended.isEmpty else { return }
    outrun.removeAll { one in ended.contains { $0 === one } }
    for operation in ended {
      let now = run.clock.now
      add(&lines, "operation", at: now, fields(of: operation))
      addAttempts(of: operation, at: now, &lines)
      addSpans(after: .transfers(operation), &lines)
    }
  }

  /// Adds the spans that begin with an event.
  private mutating func addSpans(after event: SpanEvent, _ lines: inout [String]) {
    for span in spans?.spans(after: event) ?? [] {
      var fields: JSONFields
      switch span.subject {
      case .operation(let id): fields = ["operation": reference(to: id)]
      case .queue(let id): fields = ["queue": .optional(name(ofQueue: id)), "queueID": .number(id)]
      }
      fields.members += span.fields.members
      add(&lines, "span", at: span.time, fields)
    }
  }

  /// Adds what was sent and received: when the operation has finished, or at the end.
  private mutating func addAttempts(
    of operation: ObservableOperation, at instant: ContinuousClock.Instant, _ lines: inout [String]
  ) {
    for attempt in operation.networkMetrics?.requestAttempts ?? [] {
      add(
        &lines, "attempt", at: instant,
        attempt.fields(
          of: operation, since: run.clock.startInstant, seconds: RecordingFormat.seconds))
    }
  }

  private func reference(to id: Int) -> JSONValue {
    let name = run.jobs.operations.operation(id: id)?.displayName
    return JSONValue.members(["id": .number(id), "name": .optional(name)])
  }

  /// The name of a queue; of one that is gone, the one that it had.
  private mutating func name(ofQueue id: Int) -> String? {
    if let known = queueNames[id] { return known }
    let queue = run.jobs.queues.all.first { $0.id == id }
    let group = run.jobs.operations.groups.first { $0.innerQueue.id == id }
    queueNames[id] = queue?.name ?? group?.displayName
    return queueNames[id]
  }

  private func seconds(_ instant: ContinuousClock.Instant) -> JSONValue {
    RecordingFormat.seconds(instant - run.clock.startInstant)
  }
}

// MARK: Objects

extension RecordingLines {
  private var header: JSONFields {
    [
      "format": .number(RecordingFormat.version), "version": .string(Version.number),
      "started": .string(run.clock.timestamp(run.clock.startInstant)),
      "clock": .string(run.clock.isVirtual ? "virtual" : "real"),
      "seed": run.seed.map { .literal(String($0)) } ?? .null,
      "options": JSONValue.members([
        "arguments": .array(run.configuration.arguments.map { .string($0) }),
        "endpoint": .string(run.outside.network.services.common.selection.text),
        "keepGoing": .boolean(run.configuration.keepsGoing),
        "timeout": run.configuration.timeout.map(RecordingFormat.seconds) ?? .null,
      ]),
    ]
  }

  private func fields(of operation: ObservableOperation) -> JSONFields {
    var fields = JSONFields(
      OperationProperty.keys.map {
        .init(name: $0.name, value: $0.json(of: operation, seconds: seconds))
      })
    fields.append("group", .optional(operation.group?.id))
    fields.append("isGroup", .boolean(operation is GroupOperation))
    fields.append("isAsynchronous", .boolean(operation.isAsynchronous))
    fields.append("outcomeSummary", .optional(operation.outcomeSummary))
    fields.append(
      "activity",
      .optional(
        ActivityText.text(
          of: operation, in: run.jobs, masking: run.screen.secrets)))
    let metrics = operation.networkMetrics
    fields.append(
      "request",
      metrics.map { RecordedRequest.json(of: $0, since: run.clock.startInstant) } ?? .null)
    fields.append("settings", RecordedSettings(of: operation).json)
    fields.append("isEssential", .boolean(run.jobs.app.isEssential(operation)))
    fields.append("rest", OperationRemainder(of: operation).json)
    // The queue that one which is held is to be added to.
    let isHeld = operation.state == .created
    let destination = isHeld ? run.jobs.operations.destination(of: operation)?.id : nil
    fields.append("destination", .optional(destination))
    let facts =
      OperationProperty.facts(of: operation)
      + (metrics.map { RequestFacts.rows(of: $0).map { ($0.name, $0.text.plain) } } ?? [])
      + PauseText.past(of: operation, clock: run.clock).map { ("paused", $0) }
    fields.append(
      "facts",
      .array(
        facts.map { JSONValue.members(["name": .string($0.name), "text": .string($0.text)]) }))
    return fields
  }

  private func summary(of operations: [ObservableOperation], _ status: Int32?) -> JSONFields {
    let dropped = run.jobs.operations.droppedTallies.values
    func count(_ outcome: String) -> JSONValue {
      let kept = operations.count { $0.outcome?.name == outcome }
      return .number(dropped.reduce(kept) { $0 + ($1.outcomes[outcome] ?? 0) })
    }
    return [
      "operations": .number(run.jobs.operations.count), "succeeded": count("succeeded"),
      "failed": count("failed"), "cancelled": count("cancelled"), "skipped": count("skipped"),
      "unfinished": .number(operations.count { $0.state != .finished }),
      "status": .optional(status.map { Int($0) }),
    ]
  }
}

extension EventLog.Change {
  /// The operations that it is about or names.
  fileprivate var operations: [Int] {
    var operations: [Int] = []
    if case .operation(let id) = subject { operations.append(id) }
    switch event {
    case .group(let id), .dependency(let id, _, _): operations.append(id)
    case .awaited(let ids, _): operations += ids
    default: break
    }
    return operations
  }
}
