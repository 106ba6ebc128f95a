import Dispatch
import Foundation
import OpshLocking
import OpshSupport
import Synchronization

/// Threads that do one small thing each at the same moment, round after round.
///
/// Making threads for every round takes longer than what they are to do, and then the first has
/// finished before the last has begun. Here they are made once and, within a batch, meet before
/// each round at a barrier on which they spin: they leave it within a fraction of a microsecond.
final class RaceCrew: Sendable {
  typealias Body = @Sendable () -> Void

  /// One thing to do.
  struct Turn: Sendable {
    /// For how long to spin before, so that each round interleaves in another way.
    let delay: Int
    let body: Body
  }

  let size: Int
  /// What each member does in each round.
  private let batch = Locked<[[Turn]]>([])
  private let begin: [DispatchSemaphore]
  private let done = DispatchSemaphore(value: 0)
  private let arrived = Atomic(0)
  private let isDismissed = Atomic(false)

  init(size: Int) {
    self.size = size
    begin = (0..<size).map { _ in DispatchSemaphore(value: 0) }
    for member in 0..<size {
      Thread { [self] in serve(member) }.start()
    }
  }

  /// Runs a batch of rounds, each of as many turns as there are members.
  ///
  /// - Returns: Whether all came to an end in time. If not, the crew is of no use any more.
  func run(_ rounds: [[Turn]], timeout: DispatchTimeInterval = .seconds(60)) -> Bool {
    batch.withLock { $0 = rounds }
    arrived.store(0, ordering: .sequentiallyConsistent)
    for semaphore in begin { semaphore.signal() }
    let deadline = DispatchTime.now() + timeout
    for _ in begin where done.wait(timeout: deadline) != .success {
      dismiss()
      return false
    }
    // Let go of what the bodies hold.
    batch.withLock { $0 = [] }
    return true
  }

  /// Lets the threads end.
  func dismiss() {
    isDismissed.store(true, ordering: .sequentiallyConsistent)
    for semaphore in begin { semaphore.signal() }
  }

  private func serve(_ member: Int) {
    let processors = Processors()
    while true {
      begin[member].wait()
      if isDismissed.load(ordering: .acquiring) { return }
      processors.moveThread(to: member)
      do {
        let rounds = batch.withLock { $0 }
        for (number, round) in rounds.enumerated() {
          guard meet(number) else { return }
          spin(round[member].delay)
          round[member].body()
        }
      }
      done.signal()
    }
  }

  /// Waits until all members have come to a round.
  private func meet(_ round: Int) -> Bool {
    let all = (round + 1) * size
    arrived.add(1, ordering: .acquiringAndReleasing)
    var looks = 0
    while arrived.load(ordering: .acquiring) < all {
      looks += 1
      // There may be fewer processors than members.
      if looks.isMultiple(of: 100) {
        if isDismissed.load(ordering: .acquiring) { return false }
        sched_yield()
      }
    }
    return true
  }

  private func spin(_ count: Int) {
    for _ in 0..<count { _ = arrived.load(ordering: .relaxed) }
  }
}

extension RandomSource {
  /// Draws a delay: mostly none or short, at times as long as a whole transaction takes.
  mutating func delay() -> Int {
    let scale = below(14)
    return scale == 0 ? 0 : below(1 << scale)
  }
}
