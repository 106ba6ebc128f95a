import Foundation
import OpshLocking
import OpshSupport

extension GraphRun {
  /// How many threads add operations at once.
  private static var threadCount: Int { 8 }

  /// The time from adding a block to an idle queue until it runs.
  func runIdleStarts() -> Figures {
    let started = DispatchSemaphore(value: 0)
    let start = Locked(ContinuousClock.now)
    var times: [Double] = []
    times.reserveCapacity(count)
    for _ in 0..<count {
      // So that the threads of the queue sleep again.
      engine.waitUntilIdle()
      usleep(300)
      let added = ContinuousClock.now
      engine.enqueue {
        let now = ContinuousClock.now
        start.withLock { $0 = now }
        started.signal()
      }
      started.wait()
      times.append(added.duration(to: start.withLock { $0 }).seconds)
    }
    times.sort()
    return [("start-p50", times[count / 2]), ("start-p99", times[count * 99 / 100])]
  }

  /// Some threads create operations and add them to a queue that runs.
  func runThreads() throws -> Figures {
    let group = DispatchGroup()
    let share = count / Self.threadCount
    let start = ContinuousClock.now
    for _ in 0..<Self.threadCount {
      group.enter()
      Thread.detachNewThread { [engine] in
        for _ in 0..<share { try? engine.enqueue(engine.makeItem()) }
        group.leave()
      }
    }
    group.wait()
    let added = start.duration(to: .now).seconds
    engine.waitUntilIdle()
    return [("threads-add", added), ("threads-total", start.duration(to: .now).seconds)]
  }

  /// The memory of operations that are on no queue.
  func createAll() -> Figures {
    // What the first one loads is not counted.
    var items = [engine.makeItem()]
    items.reserveCapacity(count)
    let before = Memory.peakMegabytes
    while items.count < count { items.append(engine.makeItem()) }
    return withExtendedLifetime(items) { [("created-memory", Memory.peakMegabytes - before)] }
  }
}
