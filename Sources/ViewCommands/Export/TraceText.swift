import CommandParts
import OpshJSON
import Operations
import ShellOutput

/// The session as a trace for Perfetto and Chrome: the JSON object format of the Trace Event Format
/// (<https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>).
///
/// A queue is a process, and each of its slots a thread, on which executions are complete events
/// (`X`) with their phases nested in them. Waiting is a nestable asynchronous event (`b`, `e`), and a
/// dependency is a flow (`s`, `f`) from the end of one operation to the start of the other. Times
/// are microseconds since the start of the session.
struct TraceText {
  let text: String

  private typealias Member = JSONValue.Member

  init(of session: ExportedSession) {
    var events: [JSONValue] = []
    let queues = Dictionary(grouping: session.rows.filter { $0.times.pending != nil }) {
      $0.queue ?? ""
    }
    var slots: [Int: (process: Int, thread: Int)] = [:]
    for (index, queue) in queues.sorted(by: { ($0.value[0].id) < ($1.value[0].id) }).enumerated() {
      let process = index + 1
      let placed = Self.slots(of: queue.value, session)
      for (id, thread) in placed.threads { slots[id] = (process, thread) }
      events.append(
        Self.metadata("process_name", name: queue.key.isEmpty ? "no queue" : queue.key, process, 0))
      for thread in 0..<placed.count {
        events.append(Self.metadata("thread_name", name: "slot \(thread + 1)", process, thread + 1))
      }
      for row in queue.value {
        events += Self.waiting(of: row, session, process)
        if let thread = placed.threads[row.id] {
          events += Self.execution(of: row, session, process, thread)
        }
      }
    }
    events += Self.flows(in: session, slots)
    text =
      JSONValue.object([
        Member(name: "displayTimeUnit", value: .string("ms")),
        Member(name: "traceEvents", value: .array(events)),
      ]).text + "\n"
  }

  /// Gives each execution a thread on which no other one overlaps it.
  private static func slots(
    of rows: [ExportedSession.Row], _ session: ExportedSession
  ) -> (threads: [Int: Int], count: Int) {
    var ends: [ContinuousClock.Instant] = []
    var threads: [Int: Int] = [:]
    let started = rows.filter { $0.times.executing != nil }.sorted {
      ($0.times.executing ?? session.now, $0.id) < ($1.times.executing ?? session.now, $1.id)
    }
    for row in started {
      guard let start = row.times.executing else { continue }
      let slot = ends.firstIndex { $0 <= start } ?? ends.count
      if slot == ends.count { ends.append(start) }
      ends[slot] = row.times.finished ?? session.now
      threads[row.id] = slot + 1
    }
    return (threads, ends.count)
  }

  // MARK: Events

  private static func waiting(
    of row: ExportedSession.Row, _ session: ExportedSession, _ process: Int
  ) -> [JSONValue] {
    let waits = row.phases.filter { !$0.cause.isExecuting }
    return waits.flatMap { phase in
      [("b", phase.start), ("e", phase.end)].map { kind, time in
        event(
          phase.cause.look.words, kind, at: time, session, process, 0,
          [
            Member(name: "cat", value: .string("waiting")),
            Member(name: "id", value: .number(row.id)), arguments(of: row),
          ])
      }
    }
  }

  private static func execution(
    of row: ExportedSession.Row, _ session: ExportedSession, _ process: Int, _ thread: Int
  ) -> [JSONValue] {
    guard let start = row.times.executing else { return [] }
    let end = row.times.finished ?? session.now
    func complete(
      _ name: String, _ start: ContinuousClock.Instant, _ end: ContinuousClock.Instant,
      _ category: String
    ) -> JSONValue {
      event(
        name, "X", at: start, session, process, thread,
        [
          Member(name: "dur", value: microseconds(session.seconds(end) - session.seconds(start))),
          Member(name: "cat", value: .string(category)), arguments(of: row),
        ])
    }
    let phases = row.phases.filter { $0.start >= start }
    // A single phase would say the same again.
    let nested = phases.count > 1 ? phases : []
    return [complete(row.name, start, end, "operation")]
      + nested.map { complete($0.cause.look.words, $0.start, $0.end, "phase") }
  }

  private static func flows(
    in session: ExportedSession, _ slots: [Int: (process: Int, thread: Int)]
  ) -> [JSONValue] {
    let known = session.rowsByID
    var number = 0
    return session.rows.flatMap { row -> [JSONValue] in
      row.dependencies.flatMap { edge -> [JSONValue] in
        guard let source = known[edge.id], let ended = source.times.finished,
          let begun = row.times.executing, let from = slots[edge.id], let to = slots[row.id]
        else { return [] }
        number += 1
        let shared = [
          Member(name: "cat", value: .string("dependency")),
          Member(name: "id", value: .number(number)),
        ]
        return [
          event("dependency", "s", at: ended, session, from.process, from.thread, shared),
          event(
            "dependency", "f", at: begun, session, to.process, to.thread,
            shared + [Member(name: "bp", value: .string("e"))]),
        ]
      }
    }
  }

  private static func arguments(of row: ExportedSession.Row) -> Member {
    Member(
      name: "args",
      value: .object([
        Member(name: "operation", value: .number(row.id)),
        Member(name: "name", value: .string(row.name)),
        Member(name: "kind", value: .string(row.kind)),
        Member(name: "outcome", value: .optional(row.outcome)),
        Member(name: "error", value: .optional(row.error)),
        Member(name: "attempts", value: .number(row.attempts)),
        Member(name: "bytes", value: row.bytes.map { .number($0) } ?? .null),
        Member(name: "status", value: row.status.map { .number($0) } ?? .null),
      ]))
  }

  private static func event(
    _ name: String, _ kind: String, at time: ContinuousClock.Instant, _ session: ExportedSession,
    _ process: Int, _ thread: Int, _ further: [Member]
  ) -> JSONValue {
    .object(
      [
        Member(name: "name", value: .string(name)), Member(name: "ph", value: .string(kind)),
        Member(name: "ts", value: microseconds(session.seconds(time))),
        Member(name: "pid", value: .number(process)), Member(name: "tid", value: .number(thread)),
      ] + further)
  }

  private static func metadata(
    _ what: String, name: String, _ process: Int, _ thread: Int
  ) -> JSONValue {
    .object([
      Member(name: "name", value: .string(what)), Member(name: "ph", value: .string("M")),
      Member(name: "ts", value: .number(0)), Member(name: "pid", value: .number(process)),
      Member(name: "tid", value: .number(thread)),
      Member(name: "args", value: .object([Member(name: "name", value: .string(name))])),
    ])
  }

  private static func microseconds(_ seconds: Double) -> JSONValue {
    .real((seconds * 1_000_000_000).rounded() / 1_000)
  }
}
