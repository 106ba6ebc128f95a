import OpshLocking

/// The record of every transition of an engine's operations.
///
/// An entry is written in the same critical section as the change it describes, so the order of the
/// entries *is* the order of events. Readers take copies by cursor and never hold anything up:
///
/// ```swift
/// var cursor = 0
/// let page = engine.log.entries(from: cursor, limit: 100)
/// for entry in page.entries { print(entry.operation.name, entry.from, entry.to, entry.reason) }
/// cursor = page.next
/// ```
///
/// All members can be used on any thread.
public struct EventLog: Sendable {
  let engine: OperationEngine

  /// Sets the minimum number of entries to keep, and drops older ones now.
  ///
  /// It may be called on any thread, and takes time for each dropped entry.
  ///
  /// - Parameter capacity: The minimum number of entries.
  public func setCapacity(_ capacity: Int) {
    let dropped = engine.state.withLock { state in
      state.steering.setCapacity(capacity)
      return state.entries.setCapacity(capacity)
    }
    // Releasing it may take a while, during which no thread should wait for the lock.
    withExtendedLifetime(dropped) {}
  }

  /// Sets the maximum total size of the texts of all entries: reasons and messages of failures.
  ///
  /// Beyond the limit the texts of the oldest entries are dropped, and a note replaces them; the
  /// entries stay. The latest entry always keeps its texts. The method may be called on any thread.
  /// It takes time for each entry whose texts it drops, but does not hold the lock that long.
  ///
  /// - Parameter limit: The maximum in bytes.
  public func setTextLimit(_ limit: Int) {
    engine.state.withLock { $0.entries.setTextLimit(limit) }
    while engine.state.withLock({ $0.entries.dropTexts() }) {}
  }

  /// Whether every entry and every change since the start of the engine is kept.
  public var isWhole: Bool {
    engine.state.withLock { $0.entries.oldest == 0 && !$0.steering.hasDropped }
  }

  /// How many entries were ever written; also the cursor after the last one.
  public var count: Int { engine.state.withLock { $0.entries.count } }

  /// Returns entries in order, beginning with the one at the cursor.
  ///
  /// Entries that are no longer kept are left out; their absence shows in ``Entry/sequence``.
  /// A reader that got everything up to the end counts as having caught up: the next entry calls
  /// the wake-up handler.
  ///
  /// - Parameters:
  ///   - cursor: The sequence number of the first entry wanted.
  ///   - limit: How many entries to return at most.
  /// - Returns: The entries, and the cursor to go on from.
  public func entries(from cursor: Int, limit: Int) -> (entries: [Entry], next: Int) {
    var (entries, next, isAtEnd): ([Entry], Int, Bool) = ([], cursor, false)
    repeat {
      // In pieces, so that no thread waits for the lock while a million of them are copied.
      let size = min(limit - entries.count, LogChunk.size)
      let page = engine.state.withLock { state in
        let page = state.entries.page(from: next, limit: size)
        isAtEnd = page.next >= state.entries.count
        if isAtEnd { state.isWakeUpArmed = true }
        return page
      }
      next = page.next
      if entries.isEmpty { entries = page.entries } else { entries += page.entries }
    } while !isAtEnd && entries.count < limit
    return (entries, next)
  }

  /// Sets what is called when something is written after a reader had caught up.
  ///
  /// The handler runs on the thread that caused the entry, with no lock held; it should only poke
  /// the reader. It is called once until a reader has again read to the end, and at once if there
  /// are entries already. No wake-up is lost: whatever is written after a reader saw the end
  /// calls the handler. It is also called when ``OperationEngine/isDelivering`` has become false.
  ///
  /// - Parameter handler: What to call, or nil to call nothing any more.
  public func setWakeUp(_ handler: (@Sendable () -> Void)?) { setWakeUp(handler, of: engine) }

  /// Sets what wakes one of several readers.
  func setWakeUp(_ handler: (@Sendable () -> Void)?, of reader: AnyObject) {
    let reader = ObjectIdentifier(reader)
    let (old, isCalledNow) = engine.state.withLock { state in
      let old = state.wakeUps
      state.wakeUps.removeAll { $0.reader == reader }
      // Another reader at the end of the log waits for the next entry.
      if state.wakeUps.isEmpty { state.isWakeUpArmed = state.entries.count == 0 }
      if let handler { state.wakeUps.append(WakeUp(reader: reader, handler: handler)) }
      engine.deliveries.watch(!state.wakeUps.isEmpty)
      return (old, state.entries.count > 0)
    }
    // The old handler is let go here and not under the lock, because what it captured may take it.
    withExtendedLifetime(old) {}
    if isCalledNow { handler?() }
  }
}

extension EventLog {
  /// The number of entries and logged changes that there ever were, which is read without a lock.
  package var newsCount: NewsCount { engine.newsCount }

  /// Whether there are entries from the cursor on, or logged changes.
  ///
  /// - Parameter cursor: Where a reader has come.
  /// - Returns: Whether it has something to read.
  public func hasNews(after cursor: Int) -> Bool {
    engine.state.withLock { $0.entries.count > cursor || !$0.changes.isEmpty }
  }

  /// Takes the logged changes that come before an entry and have not been taken, in the order in
  /// which they happened.
  ///
  /// - Parameter sequence: The sequence number of the entry; without it all changes are taken.
  /// - Returns: The changes; the caller calls ``LoggedChange/tell()`` for each.
  public func takeChanges(before sequence: Int = .max) -> [LoggedChange] {
    engine.state.withLock { $0.changes.take(before: sequence) }
  }
}
