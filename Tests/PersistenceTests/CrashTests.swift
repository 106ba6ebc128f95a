import Foundation
import Networking
import TestSupport
import Testing

@testable import Persistence

@Suite("A store whose process is killed", .timeLimit(.minutes(15)))
struct CrashTests {
  @Test("Killed at any moment of a merge, it holds the old quotes or the new ones, whole")
  func killedWhileMerging() throws {
    let count = 500
    let folder = try StoreFolder()
    var generations: Set<Int> = []
    var last = 1
    let start = ContinuousClock.now
    _ = try folder.store().quotes.merge(generation(1, count: count), syncedAt: nil)
    // Long enough for some merges, however busy the machine is.
    let span = UInt32(min(max((.now - start) / .microseconds(1) * 5, 10_000), 2_000_000))
    for _ in 0..<TestScale.count(30, long: 200) {
      let worker = try folder.worker("merge", count)
      #expect(worker.read { output, _ in output.contains("\n") })
      usleep(UInt32.random(in: 0..<span))
      worker.send(signal: SIGKILL)
      let outcome = worker.communicate(timeout: .seconds(60))
      #expect(outcome.signal == SIGKILL)
      #expect(outcome.output == "open ok \(count)\n")

      let store = folder.store()
      let quotes = try store.quotes.list()
      #expect(quotes.count == count)
      #expect(Set(quotes.map(\.author)).count == 1)
      #expect(Set(quotes.map(\.readCount)).count == 1)
      #expect(Set(quotes.map { $0.text.prefix { $0 != " " } }).count == 1)
      let number = try #require(quotes.first?.readCount)
      // The time of the sync belongs to the same change.
      let lastSync = try store.quotes.summary().lastSync
      if number > 1 { #expect(lastSync == Date(timeIntervalSince1970: Double(number))) }
      #expect(try store.findDamage().isEmpty)
      generations.insert(number)
      last = number
      store.close()
    }
    // Otherwise all were killed before they had done anything.
    #expect(generations.count > 1, "the last one was \(last)")
  }

  @Test("Killed while it is being made, it can be made by the next")
  func killedWhileOpening() throws {
    for _ in 0..<TestScale.count(10, long: 70) {
      let folder = try StoreFolder()
      let worker = try folder.worker("merge", 5)
      usleep(UInt32.random(in: 0..<40_000))
      worker.send(signal: SIGKILL)
      _ = worker.communicate(timeout: .seconds(60))
      let store = folder.store()
      #expect([0, 5].contains(try store.quotes.summary().count))
      #expect(try store.findDamage().isEmpty)
      #expect(try store.quotes.merge(generation(1, count: 5), syncedAt: nil).rejected.isEmpty)
    }
  }
}
