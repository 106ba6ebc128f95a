import Foundation
import OpshJSON
import Operations
package import ShellLanguage

extension Run {
  /// Rebuilds a recorded session in this one, which must not have built anything.
  ///
  /// - Parameters:
  ///   - bytes: The recording.
  ///   - origin: The statement that replays it, in place of those that built the operations.
  /// - Returns: What the recording says of the session as a whole.
  /// - Throws: ``Recording/Problem`` for a line that is wrong, or cannot follow those before it, and
  ///   `Interruption`; the session is as it was before then.
  package func replay(
    _ bytes: [UInt8], origin: OperationRegistry.Origin
  ) throws -> Recording {
    var recording = Recording()
    var player: RecordingPlayer?
    do {
      try recording.read(bytes, since: jobs.engine.startInstant) {
        line, elapsed, event, recording in
        if player == nil { player = RecordingPlayer(recording, engine: jobs.engine) }
        try checkSignals()
        try player?.play(event, line, at: elapsed)
      }
      if player == nil { player = RecordingPlayer(recording, engine: jobs.engine) }
      try player?.end(at: recording.length)
    } catch {
      player?.undo()
      throw error
    }
    guard let player else { return recording }
    jobs.queues.replace(by: player.lastingQueues, inUse: player.queueInUse)
    player.adapting.forEach(jobs.adapting.show)
    screen.typed.replace(by: player.typed)
    jobs.operations.limit = nil
    jobs.operations.sizeLimit = nil
    for operation in player.operations {
      jobs.operations.add(operation, origin: origin)
      if let queue = player.destination(of: operation) {
        jobs.operations.hold(operation, for: queue)
      }
      if player.isEssential(operation) { jobs.app.noteEssential(operation) }
    }
    _ = jobs.operations.noteAllFinished()
    screen.feed.skipAll()
    outside.keepInMemory()
    return recording
  }
}

extension Invocation {
  /// Throws an error for what a session that shows a recording cannot do.
  package func refuseInReplay() throws {
    guard run.mode.isRecorded else { return }
    throw call.failure(
      .inReplay, "this session shows a recording, in which nothing runs and nothing changes")
  }
}

/// Applies the events of a recording to an engine.
private struct RecordingPlayer {
  private let known: Descriptions
  private let replay: WorldFold
  private let engine: OperationEngine
  /// What was typed.
  private(set) var typed: [TypedLog.Item] = []
  /// The lines about the queues that the session had at its end, by the queues' ids; none if the
  /// recording was not ended.
  private var lastQueues: [Int: JSONValue] = [:]

  /// The latest line about each operation.
  private final class Descriptions {
    var latest: [Int: JSONValue] = [:]
  }

  init(_ recording: Recording, engine: OperationEngine) {
    let known = Descriptions()
    self.known = known
    self.engine = engine
    replay = WorldFold(
      engine: engine,
      recorded: RecordedStart(date: recording.started, isVirtual: recording.isVirtual),
      makeOperation: { identity in
        guard let line = known.latest[identity.id] else { return nil }
        if case .object? = line["request"] { return RecordedRequest(line, engine: engine) }
        return RecordedOperation(line, engine: engine)
      },
      makeGroup: { identity, queue in
        guard let line = known.latest[identity.id] else { return nil }
        return GroupOperation(
          folded: OperationIdentity(recorded: line), queue: queue, engine: engine)
      })
  }

  var operations: [ObservableOperation] {
    replay.operations.values.sorted { $0.id < $1.id }
  }

  /// The queue that an operation is held for.
  func destination(of operation: ObservableOperation) -> InspectableQueue? {
    guard operation.state == .created else { return nil }
    return known.latest[operation.id]?["destination"]?.exactInteger().flatMap {
      replay.queues[$0]
    }
  }

  /// Whether an operation had time to finish in the background.
  func isEssential(_ operation: ObservableOperation) -> Bool {
    known.latest[operation.id]?["isEssential"] == .boolean(true)
  }

  /// The queue to which operations were added; nil if the recording was not ended.
  var queueInUse: InspectableQueue? {
    lastQueues.first { $0.value["inUse"] == .boolean(true) }.flatMap { replay.queues[$0.key] }
  }

  /// The queues that adapted to the network, and what their limits were.
  var adapting: [(queue: InspectableQueue, limits: String)] {
    lastQueues.compactMap { id, line in
      guard let queue = replay.queues[id], let limits = line["adapts"]?.string else { return nil }
      return (queue, limits)
    }
  }

  /// The queues of the session, without those of groups.
  var lastingQueues: [InspectableQueue] {
    let groups = Set(
      replay.operations.values.compactMap { ($0 as? GroupOperation)?.innerQueue.id })
    return replay.queues.values.sorted { $0.id < $1.id }
      .filter { !groups.contains($0.id) && (lastQueues.isEmpty || lastQueues[$0.id] != nil) }
  }

  mutating func play(
    _ event: Recording.Event, _ line: Int, at elapsed: Duration
  ) throws(Recording.Problem) {
    do throws(WorldFold.Mismatch) {
      try apply(event, at: elapsed)
    } catch {
      throw .line(line, error.message)
    }
  }

  /// Ends the replay at a time, and sets what the log does not have about the operations.
  mutating func end(at elapsed: Duration) throws(Recording.Problem) {
    replay.end(at: elapsed)
    for (id, description) in known.latest {
      guard let operation = replay.operations[id] else { continue }
      do throws(WorldFold.Mismatch) {
        try replay.set(OperationRemainder(description), of: id)
      } catch {
        throw .line(1, error.message)
      }
      if let name = description["name"]?.string, operation.displayName != name {
        operation.name = name
      }
    }
  }

  /// Makes the engine what it was before.
  func undo() { replay.undo() }

  private mutating func apply(
    _ event: Recording.Event, at elapsed: Duration
  ) throws(WorldFold.Mismatch) {
    switch event {
    case .operation(let description):
      let id = description["id"]?.exactInteger(Int.self) ?? 0
      known.latest[id] = description
      (replay.operations[id] as? RecordedOperation)?.update(description)
      // One that is held is in no other line.
      if description["state"]?.string == "created", description["isGroup"] != .boolean(true) {
        _ = try replay.operation(id)
      }
    case .attempt(let attempt, let id):
      guard let request = try replay.operation(id) as? RecordedRequest else {
        throw WorldFold.Mismatch(message: "operation \(id) sends no request")
      }
      request.add(attempt)
    case .change(let change, let subject, let name):
      try replay.apply(change, of: subject, named: name, at: elapsed)
    case .entry(var entry):
      if case .failed? = entry.outcome {
        let error = known.latest[entry.operation]?["error"]
        entry.outcome = .failed(
          OperationFailure(
            code: error?["code"]?.string ?? "error", message: error?["message"]?.string ?? ""))
      }
      try replay.apply(entry, at: elapsed)
    case .queue(let line):
      if let id = line["queueID"]?.exactInteger(Int.self) { lastQueues[id] = line }
    case .typed(let line):
      let time = engine.startInstant + elapsed
      if let item = TypedLog.Item(recorded: line, at: time, in: engine.log) { typed.append(item) }
    }
  }
}

extension ErrorPage {
  package static let inReplay = ErrorPage(
    "in-replay", "The session shows a recording, in which nothing runs",
    "Commands that build, steer or wait need operations that can run. Those of a recording are as "
      + "they were when it ended.",
    help: "a session of its own, without 'replay', runs them",
    wrong: "record a.opshrec\nrecord off\nreplay a.opshrec\ndelay 1ms",
    right: "record a.opshrec\nrecord off\nreplay a.opshrec\nops", proof: .running)

  package static let notRecorded = ErrorPage(
    "not-recorded", "A recording does not keep this",
    "Values of operations and bodies of requests are not recorded.",
    help: "'show' has what was recorded",
    wrong: "(opsh --replay a.opshrec -c 'result last')",
    right: "record a.opshrec\nblock { (6 * 7) }\nwait\nresult last")
}
