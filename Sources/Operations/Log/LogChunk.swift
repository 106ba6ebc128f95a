/// A stretch of the log, packed: 32 bytes for an entry, and beside them what some entries need more.
///
/// The entries hold numbers only. Names are in tables of the chunk and are released with it, so
/// that nothing remains of operations that the log has dropped.
struct LogChunk {
  static let size = 4096

  private struct Packed {
    let time: Int64
    let id: Int
    /// What the cause needs: numbers, or where its parts stand in a table.
    let payload: Int64
    let label: UInt16
    let queue: UInt16
    let states: UInt8
    let event: UInt8
    let outcome: OperationCore.Ending
    let cause: CauseCode
  }

  private enum CauseCode: UInt8 {
    case added, addedWithDelay, noDependencies, dependenciesMet, cancelledWhilePending, slot, spent
    case text, failure, cancelling
  }

  /// Stands for "on no queue"; a chunk has fewer entries than that.
  private static let noQueue = UInt16.max
  private static let cancelledBit: UInt8 = 0x80

  private var entries: [Packed] = []
  private var labels: [OperationLabel] = []
  private var queues: [QueueLabel] = []
  private var texts: [String] = []
  /// Who cancelled, once for all that were cancelled together.
  private var requests: [CancelRequest] = []
  private var identities: [OperationIdentity] = []
  /// How each of them had ended.
  private var endings: [OperationCore.Ending] = []
  /// By position, because failures are the exception.
  private var failures: [Int: OperationFailure] = [:]

  /// What the texts that ``dropText(at:)`` can drop take, in bytes.
  private(set) var textBytes = 0

  /// What stands in place of a text that was dropped.
  private static let droppedText = "(these words were dropped: the log keeps the latest only)"

  var count: Int { entries.count }

  /// Makes room for all its entries; a log that stays short grows as it fills instead.
  mutating func reserve() {
    entries.reserveCapacity(Self.size)
  }

  mutating func append(
    _ operation: ObservableOperation, _ event: EventLog.Entry.Event, from: OperationState,
    at time: Int64, cause: EventLog.Cause
  ) {
    if labels.last !== operation.core.label { labels.append(operation.core.label) }
    let (code, payload) = pack(cause, of: operation)
    entries.append(
      Packed(
        time: time, id: operation.id, payload: payload, label: UInt16(labels.count - 1),
        queue: index(of: operation.core.queue?.core.label),
        states: from.ordinal << 4 | operation.core.state.ordinal,
        event: event.ordinal | (operation.core.isCancelled ? Self.cancelledBit : 0),
        outcome: packOutcome(of: operation), cause: code))
  }

  private mutating func index(of queue: QueueLabel?) -> UInt16 {
    guard let queue else { return Self.noQueue }
    // The last few are those of the queues that work at the moment.
    var index = queues.count - 1
    while index >= 0, index >= queues.count - 8 {
      if queues[index] === queue { return UInt16(index) }
      index -= 1
    }
    queues.append(queue)
    return UInt16(queues.count - 1)
  }

  private mutating func packOutcome(of operation: ObservableOperation) -> OperationCore.Ending {
    guard operation.core.state == .finished else { return .none }
    if operation.core.ending == .failed, let failure = operation.core.extras?.failure {
      failures[entries.count] = failure
      textBytes += Self.bytes(of: failure.message)
    }
    return operation.core.ending
  }

  private mutating func pack(
    _ cause: EventLog.Cause, of operation: ObservableOperation
  ) -> (CauseCode, Int64) {
    switch cause {
    case .added:
      return (.added, 0)
    case .addedWithDelay:
      return (.addedWithDelay, 0)
    case .noDependencies:
      return (.noDependencies, 0)
    case .cancelledWhilePending:
      return (.cancelledWhilePending, 0)
    case .cancelling(let request):
      return (.cancelling, request.map { add($0) } ?? -1)
    case .dependenciesMet:
      let start = identities.count
      let count = operation.core.upstream.count
      // By position, because a slice would be a copy that counts references.
      for position in 0..<min(count, Wording.longestList) {
        identities.append(operation.core.upstream[position].operation.identityInTransaction)
        endings.append(operation.core.upstream[position].operation.core.ending)
      }
      return (.dependenciesMet, Int64(start) << 40 | Int64(count))
    case .slot(let slot, let width):
      return (.slot, Int64(slot) << 32 | Int64(UInt32(bitPattern: Int32(clamping: width))))
    case .spent(let nanoseconds):
      return (.spent, nanoseconds)
    case .text(let text):
      return (.text, add(text))
    case .failure(let note):
      return (.failure, note.map { add($0) } ?? -1)
    }
  }

  private mutating func add(_ request: CancelRequest) -> Int64 {
    if requests.last !== request { requests.append(request) }
    return Int64(requests.count - 1)
  }

  private mutating func add(_ text: String) -> Int64 {
    texts.append(text)
    textBytes += Self.bytes(of: text)
    return Int64(texts.count - 1)
  }

  /// What a text takes beside the room that each has: short ones nothing.
  private static func bytes(of text: String) -> Int {
    let count = text.utf8.count
    return count > 15 ? count : 0
  }

  /// Drops the long texts of the entry at a position: its reason, and the message of its failure.
  ///
  /// - Returns: How many bytes that frees here.
  mutating func dropText(at position: Int) -> Int {
    let packed = entries[position]
    var freed = 0
    if packed.cause == .text || packed.cause == .failure, packed.payload >= 0 {
      let bytes = Self.bytes(of: texts[Int(packed.payload)])
      if bytes > 0 { texts[Int(packed.payload)] = Self.droppedText }
      freed += bytes
    }
    if let failure = failures[position] {
      let bytes = Self.bytes(of: failure.message)
      if bytes > 0 { failures[position]?.message = Self.droppedText }
      freed += bytes
    }
    textBytes -= freed
    return freed
  }

  /// Unpacks the entry at a position.
  func entry(at position: Int, sequence: Int, start: EngineStart) -> EventLog.Entry {
    let packed = entries[position]
    let queue = packed.queue == Self.noQueue ? nil : queues[Int(packed.queue)]
    return EventLog.Entry(
      sequence: sequence, time: start.instant(at: packed.time),
      operation: OperationIdentity(id: packed.id, label: labels[Int(packed.label)]),
      queue: queue?.name, queueID: queue?.id,
      event: EventLog.Entry.Event(ordinal: packed.event & ~Self.cancelledBit),
      from: OperationState(ordinal: packed.states >> 4),
      to: OperationState(ordinal: packed.states & 0xf),
      isCancelled: packed.event & Self.cancelledBit != 0,
      outcome: outcome(packed.outcome, at: position), cause: cause(packed),
      dependencies: dependencies(packed), endings: endings(packed))
  }

  private func outcome(_ outcome: OperationCore.Ending, at position: Int) -> OperationOutcome? {
    switch outcome {
    case .none: nil
    case .succeeded: .succeeded
    case .cancelled: .cancelled
    case .skipped: .skipped
    case .failed: failures[position].map { .failed($0) }
    }
  }

  private func cause(_ packed: Packed) -> EventLog.Cause {
    let payload = packed.payload
    switch packed.cause {
    case .added: return .added
    case .addedWithDelay: return .addedWithDelay
    case .noDependencies: return .noDependencies
    case .cancelledWhilePending: return .cancelledWhilePending
    case .cancelling: return .cancelling(by: payload < 0 ? nil : requests[Int(payload)])
    case .dependenciesMet: return .dependenciesMet
    case .slot:
      return .slot(Int(payload >> 32), width: Int(Int32(truncatingIfNeeded: payload)))
    case .spent:
      return .spent(payload)
    case .text:
      return .text(texts[Int(payload)])
    case .failure:
      return .failure(note: payload < 0 ? nil : texts[Int(payload)])
    }
  }

  private func endings(_ packed: Packed) -> [OperationCore.Ending] {
    guard packed.cause == .dependenciesMet else { return [] }
    let start = Int(packed.payload >> 40)
    let count = Int(packed.payload & 0xff_ffff_ffff)
    return Array(endings[start..<start + min(count, Wording.longestList)])
  }

  /// The first of the dependencies that were met, and how many there were.
  private func dependencies(_ packed: Packed) -> (first: [OperationIdentity], count: Int) {
    guard packed.cause == .dependenciesMet else { return ([], 0) }
    let start = Int(packed.payload >> 40)
    let count = Int(packed.payload & 0xff_ffff_ffff)
    return (Array(identities[start..<start + min(count, Wording.longestList)]), count)
  }
}
