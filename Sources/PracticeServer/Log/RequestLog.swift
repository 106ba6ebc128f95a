import Foundation

/// Keeps the latest requests, in a bounded amount of memory.
struct RequestLog {
  /// A stored request; its text is created when it is read.
  struct Entry {
    /// Nanoseconds since 1970.
    var time: UInt64
    var method: String
    var target: MaskedTarget
    var status: Int?
    var bytes = 0
    var faults: [String] = []
    /// When it had arrived, by the monotonic clock.
    var arrival: UInt64 = 0
    /// How long it took; only of one that has ended.
    var nanoseconds: UInt64 = 0
    var stage = Stage.answering
  }

  /// What happens to a request.
  enum Stage {
    /// A fault holds its answer back until a time of the monotonic clock; nil until the client leaves.
    case held(by: String, until: UInt64?)
    case answering
    case ended
    /// The client has closed the connection before the end of the answer.
    case cut
  }

  static let capacity = 2_000

  private var entries: [Entry] = []
  /// Where the oldest entry stands once the storage is full.
  private var start = 0
  /// How many entries there were before the oldest one that is kept.
  private var dropped = 0

  /// The number of the newest entry; 0 for none.
  var last: Int { dropped + entries.count }

  /// Adds an entry.
  mutating func append(_ entry: Entry) -> Int {
    if entries.count < Self.capacity {
      entries.append(entry)
    } else {
      entries[start] = entry
      start = (start + 1) % Self.capacity
      dropped += 1
    }
    return last
  }

  /// Changes an entry, unless it is no longer kept.
  mutating func update(_ number: Int, _ change: (inout Entry) -> Void) {
    guard number > dropped, number <= last else { return }
    change(&entries[(start + number - dropped - 1) % entries.count])
  }

  /// Takes out what follows a number, as it is stored.
  ///
  /// - Parameters:
  ///   - cursor: The number of the last entry that is not wanted.
  ///   - limit: The most entries to give.
  /// - Returns: The entries, the number of the first one, and how many are lost.
  func entries(after cursor: Int, limit: Int) -> (first: Int, entries: [Entry], missed: Int) {
    let wanted = max(0, min(cursor, last))
    let skipped = max(wanted, dropped)
    let count = max(0, min(limit, last - skipped))
    let found = (0..<count).map { entries[(start + skipped - dropped + $0) % entries.count] }
    return (skipped + 1, found, skipped - wanted)
  }
}

extension RequestRecord {
  /// - Parameters:
  ///   - number: The number of the entry.
  ///   - entry: The entry.
  ///   - now: The present time of the monotonic clock.
  init(number: Int, entry: RequestLog.Entry, now: UInt64) {
    self.number = number
    time = Date(timeIntervalSince1970: Double(entry.time) / 1e9)
    method = entry.method
    (path, query) = entry.target.text
    bytes = entry.bytes
    faults = entry.faults
    (progress, status) = (Progress(entry.stage, now: now), entry.shownStatus(now: now))
    let nanoseconds = progress.isEnd ? entry.nanoseconds : now - min(now, entry.arrival)
    milliseconds = Double(nanoseconds) / 1e6
  }
}

extension RequestLog.Entry {
  /// The status that was sent by now, if any was.
  func shownStatus(now: UInt64) -> Int? {
    if case .held = RequestRecord.Progress(stage, now: now) { nil } else { status }
  }
}

extension RequestRecord.Progress {
  fileprivate init(_ stage: RequestLog.Stage, now: UInt64) {
    switch stage {
    case .held(let fault, let end?):
      self =
        end > now
        ? .held(by: fault, left: .nanoseconds(Int64(clamping: end - now))) : .answering
    case .held(let fault, nil): self = .held(by: fault, left: nil)
    case .answering: self = .answering
    case .ended: self = .ended
    case .cut: self = .cut
    }
  }
}
