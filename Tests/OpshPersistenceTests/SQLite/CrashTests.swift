import Foundation
import OpshNetworking
import TestSupport
import Testing

@testable import OpshPersistence

@Suite("A store whose process is killed", .timeLimit(.minutes(15)))
struct CrashTests {
  @Test("A store killed at any moment of a merge has the old quotes or the new ones, complete")
  func killedWhileMerging() throws {
    let count = 500
    let folder = try StoreFolder()
    let start = ContinuousClock.now
    _ = try folder.store().quotes.merge(generation(1, count: count), syncedAt: nil)
    // About as long as a merge takes.
    let span = UInt32(min(max((.now - start) / .microseconds(1), 10_000), 2_000_000))
    for round in 0..<TestScale.count(30, long: 200) {
      let worker = try folder.worker("merge", count)
      // In every other round a merge has completed before; the others may hit the first steps.
      let awaited = round.isMultiple(of: 2) ? 0 : Int.random(in: 1...3)
      #expect(worker.read { output, _ in output.split(separator: "\n").count > awaited })
      usleep(UInt32.random(in: 0..<span))
      worker.send(signal: SIGKILL)
      let outcome = worker.communicate(timeout: .seconds(60))
      #expect(outcome.signal == SIGKILL)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.first == "open ok \(count)")
      let merges = lines.count - 1

      let store = folder.store()
      let quotes = try store.quotes.list()
      #expect(quotes.count == count)
      #expect(Set(quotes.map(\.author)).count == 1)
      #expect(Set(quotes.map(\.readCount)).count == 1)
      #expect(Set(quotes.map { $0.text.prefix { $0 != " " } }).count == 1)
      let number = try #require(quotes.first?.readCount)
      // Reported merges are complete; the next one may be complete, too.
      if merges > 0 { #expect([merges + 1, merges + 2].contains(number)) }
      // The time of the sync is in the same transaction.
      let lastSync = try store.quotes.summary().lastSync
      if number > 1 { #expect(lastSync == Date(timeIntervalSince1970: Double(number))) }
      #expect(try store.findDamage().isEmpty)
      store.close()
    }
  }

  @Test("After a kill during its creation, the next process can create the store")
  func killedWhileOpening() throws {
    for _ in 0..<TestScale.count(10, long: 70) {
      let folder = try StoreFolder()
      let worker = try folder.worker("merge", 5)
      usleep(UInt32.random(in: 0..<40_000))
      worker.send(signal: SIGKILL)
      _ = worker.communicate(timeout: .seconds(60))
      let store = folder.store()
      // The kill may come before or after the first merge.
      #expect([0, 5].contains(try store.quotes.summary().count))
      #expect(try store.findDamage().isEmpty)
      #expect(try store.quotes.merge(generation(1, count: 5), syncedAt: nil).rejected.isEmpty)
    }
  }
}
