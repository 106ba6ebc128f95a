import Foundation

/// Keeps the changes of the log in chunks: 24 bytes for a dependency or a priority, of which there may
/// be millions, and more for the others.
struct ChangeStore {
  private struct Packed {
    let time: Int64
    /// The kind in two bits, and in the others what it needs.
    let payload: Int64
    /// The number, and whether it is a queue's.
    let subject: UInt32
    /// How many entries were written since the first change of the chunk.
    let position: UInt32
  }

  private struct Chunk {
    var position = 0
    var packed: [Packed] = []
    var events: [EventLog.Change.Event] = []
  }

  static let chunkSize = 4096
  private var chunks: [Chunk] = []
  private var last = Chunk()
  /// How many chunks were dropped.
  private var dropped = 0
  private var chunkLimit: Int
  private(set) var count = 0
  var hasDropped: Bool { dropped > 0 }

  init(capacity: Int) { chunkLimit = Self.limit(for: capacity) }

  private static func limit(for capacity: Int) -> Int { max(0, capacity) / chunkSize + 1 }

  /// Sets how many changes are kept at least.
  mutating func setCapacity(_ capacity: Int) {
    chunkLimit = Self.limit(for: capacity)
    dropExcess()
  }

  private mutating func dropExcess() {
    let excess = chunks.count - chunkLimit
    guard excess > 0 else { return }
    chunks.removeFirst(excess)
    dropped += excess
  }

  mutating func append(
    _ event: EventLog.Change.Event, of subject: EventLog.Change.Subject, at time: Int64,
    position: Int
  ) {
    if last.packed.count == Self.chunkSize {
      chunks.append(last)
      last = Chunk()
      last.packed.reserveCapacity(Self.chunkSize)
      dropExcess()
    }
    if last.packed.isEmpty { last.position = position }
    let number =
      switch subject {
      case .operation(let id): UInt32(truncatingIfNeeded: id) << 1
      case .queue(let id): UInt32(truncatingIfNeeded: id) << 1 | 1
      }
    let payload = pack(event)
    last.packed.append(
      Packed(
        time: time, payload: payload, subject: number,
        position: UInt32(truncatingIfNeeded: position - last.position)))
    count += 1
  }

  private mutating func pack(_ event: EventLog.Change.Event) -> Int64 {
    switch event {
    case .dependency(let id, let old, let new):
      return Int64(id) << 6 | Self.bits(of: old) << 4 | Self.bits(of: new) << 2 | 1
    case .priority(let old, let new):
      return Int64(old.rawValue) << 16 | Int64(new.rawValue & 0xff) << 8 | 2
    case .setAside(nil):
      return 3
    default:
      last.events.append(event)
      return Int64(last.events.count - 1) << 2
    }
  }

  private static func bits(of policy: FailurePolicy?) -> Int64 {
    switch policy {
    case nil: 0
    case .run: 1
    case .skip: 2
    case .fail: 3
    }
  }

  private static func policy(ofBits bits: Int64) -> FailurePolicy? {
    switch bits {
    case 1: .run
    case 2: .skip
    case 3: .fail
    default: nil
    }
  }

  private static func event(of packed: Packed, in chunk: Chunk) -> EventLog.Change.Event {
    let payload = packed.payload
    switch payload & 3 {
    case 1:
      return .dependency(
        Int(payload >> 6), old: policy(ofBits: payload >> 4 & 3),
        new: policy(ofBits: payload >> 2 & 3))
    case 2:
      let new = Int(Int8(truncatingIfNeeded: payload >> 8))
      return .priority(
        old: .init(rawValue: Int(payload >> 16)) ?? .normal,
        new: .init(rawValue: new) ?? .normal)
    case 3:
      return .setAside(nil)
    default:
      return chunk.events[Int(payload >> 2)]
    }
  }

  func page(
    from cursor: Int, limit: Int, _ start: EngineStart
  ) -> (changes: [EventLog.Change], next: Int) {
    let first = min(max(cursor, dropped * Self.chunkSize), count)
    let end = first + min(max(limit, 0), count - first)
    let changes = (first..<end).map { sequence in
      let (index, place) = (sequence - dropped * Self.chunkSize)
        .quotientAndRemainder(dividingBy: Self.chunkSize)
      let chunk = index == chunks.count ? last : chunks[index]
      let packed = chunk.packed[place]
      let id = Int(packed.subject >> 1)
      return EventLog.Change(
        sequence: sequence, position: chunk.position + Int(packed.position),
        time: start.instant(at: packed.time),
        subject: packed.subject & 1 == 1 ? .queue(id) : .operation(id),
        event: Self.event(of: packed, in: chunk))
    }
    return (changes, end)
  }
}
