import Foundation
import OpshLocking
import OpshNetworking
import TestSupport
import Testing

@testable import OpshPersistence

@Suite("Concurrent use of the store", .timeLimit(.minutes(15)))
struct StoreConcurrencyTests {
  @Test("Eight threads share a store without losing changes")
  func threads() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    _ = try store.quotes.merge(generation(0, count: 10), syncedAt: nil)
    let errors = Locked([String]())
    let rounds = TestScale.count(40)
    let ended = onThreads(8) { index in
      for round in 0..<rounds {
        let result = code {
          _ = try store.quotes.raiseReadCount(id: "q\(round % 10)", by: 1)
          try store.tags.add("\(index) \(round)")
          try store.responses.store("http://a/\(round % 7)", size: 200)
          _ = try store.responses.lookup("http://a/\(round % 7)")
          _ = try store.quotes.list(order: .reads, limit: 3, offset: 0)
          if round % 10 == 0 { try store.tags.remove("\(index) \(round)") }
        }
        if result != "ok" { errors.withLock { $0.append(result) } }
      }
    }
    #expect(ended)
    #expect(errors.withLock { $0 } == [])
    #expect(try store.quotes.summary().readTotal == 8 * rounds)
    #expect(try store.tags.list().count == 8 * (rounds - (rounds + 9) / 10))
    let statistics = try store.responses.statistics()
    #expect(statistics.hitCount + statistics.missCount == 8 * rounds)
    #expect(try store.findDamage().isEmpty)
  }

  @Test(
    "While another process writes, requests continue soon, and calls wait until they are cancelled")
  func goingOn() throws {
    let folder = try StoreFolder()
    let store = folder.store(busyTimeout: .seconds(120))
    try store.responses.store("http://a/1", size: 100)
    let other = try Connection(path: folder.file, library: SQLiteLibrary.shared.get())
    defer { other.close() }
    try other.run("BEGIN IMMEDIATE")
    let start = ContinuousClock.now
    for index in 2..<200 {
      #expect(code { try store.responses.store("http://a/\(index)", size: 100) } == "store-busy")
    }
    #expect(code { _ = try store.responses.lookup("http://a/1") } == "ok")
    let looks = Locked(0)
    let isAbandoned: @Sendable () -> Bool = {
      looks.withLock { looks in
        looks += 1
        return looks > 3
      }
    }
    let result = StoreWait.endsEarly(when: isAbandoned) { code { try store.tags.add("x") } }
    #expect(result == "store-busy")
    #expect(looks.withLock { $0 } == 4)
    #expect(.now - start < .seconds(60))
    try other.run("ROLLBACK")
    try store.tags.add("x")
  }

  @Test("A write that waits for another process does not block readers")
  func waitingAlone() throws {
    let folder = try StoreFolder()
    let store = folder.store(busyTimeout: .seconds(120))
    try store.tags.add("x")
    let other = try Connection(path: folder.file, library: SQLiteLibrary.shared.get())
    defer { other.close() }
    try other.run("BEGIN IMMEDIATE")
    let (waits, isDone) = (Locked(false), Locked(false))
    let ended = onThreads(2) { index in
      if index == 0 {
        StoreWait.endsEarly(when: {
          waits.withLock { $0 = true }
          return isDone.withLock { $0 }
        }) { #expect(code { try store.tags.add("y") } == "store-busy") }
      } else {
        while !waits.withLock({ $0 }) { usleep(1_000) }
        #expect(code { _ = try store.tags.list() } == "ok")
        isDone.withLock { $0 = true }
      }
    }
    #expect(ended)
    try other.run("ROLLBACK")
  }

  @Test("Eight stores on one file wait for one another without losing changes")
  func stores() throws {
    let folder = try StoreFolder()
    let rounds = TestScale.count(20)
    let errors = Locked([String]())
    let ended = onThreads(8) { index in
      let store = folder.store(busyTimeout: .seconds(30))
      for round in 0..<rounds {
        let result = code {
          try store.tags.add("\(index) \(round)")
          _ = try store.quotes.merge(generation(index, count: 20), syncedAt: nil)
        }
        if result != "ok" { errors.withLock { $0.append(result) } }
        if round % 5 == 0 { store.close() }
      }
    }
    #expect(ended)
    #expect(errors.withLock { $0 } == [])
    let store = folder.store()
    #expect(try store.tags.list().count == 8 * rounds)
    // All quotes are from the same, last writer.
    #expect(try Set(store.quotes.list().map(\.author)).count == 1)
    #expect(try store.findDamage().isEmpty)
  }

  @Test("Concurrent opens of a new store all succeed")
  func opening() throws {
    for _ in 0..<TestScale.count(10) {
      let folder = try StoreFolder()
      let results = Locked([String]())
      let ended = onThreads(8) { index in
        let store = folder.store(busyTimeout: .seconds(30))
        let result = code { try store.tags.add("\(index)") }
        results.withLock { $0.append(result) }
      }
      #expect(ended)
      #expect(results.withLock { $0 } == Array(repeating: "ok", count: 8))
      #expect(try folder.store().tags.list().count == 8)
    }
  }

  @Test("Two processes create the store and write to it at the same time")
  func processes() throws {
    for _ in 0..<TestScale.count(3) {
      let folder = try StoreFolder()
      let count = 50
      let workers = try (0..<3).map { _ in try folder.worker("add", count) }
      for worker in workers {
        let outcome = worker.communicate(timeout: .seconds(60))
        #expect(outcome.output == "add ok \n")
      }
      #expect(try folder.store().tags.list().count == 3 * count)
      #expect(try folder.store().findDamage().isEmpty)
    }
  }

  @Test("Reading and incrementing a count is atomic, also between processes")
  func readCounts() throws {
    let folder = try StoreFolder()
    let store = folder.store()
    _ = try store.quotes.merge(generation(0, count: 1), syncedAt: nil)
    let workers = try (0..<2).map { _ in try folder.worker("raise", 100) }
    for _ in 0..<100 { _ = try store.quotes.raiseReadCount(id: "q0", by: 1) }
    for worker in workers {
      #expect(worker.communicate(timeout: .seconds(60)).output.hasPrefix("raise ok"))
    }
    #expect(try store.quotes.quote(id: "q0")?.readCount == 300)
  }

  // MARK: Waiting

  @Test("A write waits for another up to its limit, then fails; reading does not wait")
  func busy() throws {
    let folder = try StoreFolder()
    let holder = folder.store()
    try holder.tags.add("before")
    let other = folder.store(busyTimeout: .milliseconds(150))
    #expect(try other.tags.list().count == 1)
    try holder.database.write { connection throws(StoreError) in
      try connection.run("DELETE FROM tags")
      let start = ContinuousClock.now
      #expect(code { try other.tags.add("x") } == "store-busy")
      let waited = ContinuousClock.now - start
      #expect(waited >= .milliseconds(140))
      #expect(waited < .seconds(10))
      // An unfinished transaction is invisible.
      #expect(try other.tags.list().map(\.text) == ["before"])
    }
    try other.tags.add("after")
    #expect(try other.tags.list().map(\.text) == ["after"])
  }

  @Test("A store that another process writes to can be opened and read")
  func readingFirst() throws {
    let folder = try StoreFolder()
    let holder = folder.store()
    try holder.tags.add("before")
    try holder.responses.store("http://a/1", size: 100)
    try holder.database.write { connection throws(StoreError) in
      try connection.run("DELETE FROM tags")
      let other = folder.store(busyTimeout: .zero)
      #expect(try other.tags.list().map(\.text) == ["before"])
      #expect(try other.quotes.list().isEmpty)
      #expect(try other.responses.statistics().entryCount == 1)
      #expect(try other.responses.entries(limit: nil).count == 1)
      other.close()
    }
  }

  @Test("A waiting write continues when the other one has finished")
  func waiting() throws {
    let folder = try StoreFolder()
    let holder = folder.store()
    let other = folder.store(busyTimeout: .seconds(30))
    _ = try other.tags.list()
    let begun = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let result = Locked("")
    try holder.database.write { connection throws(StoreError) in
      Thread {
        begun.signal()
        let outcome = code { try other.tags.add("waited") }
        result.withLock { $0 = outcome }
        ended.signal()
      }.start()
      #expect(begun.wait(timeout: .now() + 10) == .success)
      // The write is blocked, however long this takes.
      #expect(ended.wait(timeout: .now() + 0.05) == .timedOut)
    }
    #expect(ended.wait(timeout: .now() + 30) == .success)
    #expect(result.withLock { $0 } == "ok")
  }

  @Test("A cache lookup does not wait; its statistics are written later")
  func lookupDoesNotWait() throws {
    let folder = try StoreFolder()
    let holder = folder.store()
    let other = folder.store(busyTimeout: .seconds(30))
    try other.responses.store("http://a/", size: 10)
    let cached = try CacheTesting.request("http://a/")
    let missing = try CacheTesting.request("http://b/")
    try holder.database.write { _ throws(StoreError) in
      let start = ContinuousClock.now
      let freshness = [cached, missing].map { request in
        (try? other.responses.lookup(request, now: CacheTesting.start))?.freshness
      }
      #expect(freshness == [.fresh, .notStored])
      #expect(ContinuousClock.now - start < .seconds(10))
    }
    other.close()
    let statistics = try holder.responses.statistics()
    #expect(statistics.hitCount == 1)
    #expect(statistics.missCount == 1)
    #expect(try holder.responses.entries(limit: 1).first?.hitCount == 1)
  }
}
