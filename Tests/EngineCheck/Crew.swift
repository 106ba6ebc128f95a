import Dispatch
import Foundation
import Synchronization

/// Threads that do one small thing each at the same moment, round after round.
final class Crew: Sendable {
  typealias Body = @Sendable () -> Void

  private let bodies = Shared<[Body]>([])
  private let begin: [DispatchSemaphore]
  private let done = DispatchSemaphore(value: 0)
  private let arrived = Atomic(0)

  init(size: Int) {
    begin = (0..<size).map { _ in DispatchSemaphore(value: 0) }
    for member in 0..<size { Thread { [self] in serve(member) }.start() }
  }

  /// Has each thread run one of the bodies, and waits for all of them.
  func run(_ bodies: [Body]) {
    self.bodies.set(bodies)
    arrived.store(0, ordering: .sequentiallyConsistent)
    for semaphore in begin { semaphore.signal() }
    for _ in begin { done.wait() }
    self.bodies.set([])
  }

  private func serve(_ member: Int) {
    while true {
      begin[member].wait()
      do {
        let body = bodies.value[member]
        // They leave this within a fraction of a microsecond of one another.
        arrived.add(1, ordering: .acquiringAndReleasing)
        var looks = 0
        while arrived.load(ordering: .acquiring) < begin.count {
          looks += 1
          // There may be fewer processors than members.
          if looks.isMultiple(of: 200) { sched_yield() }
        }
        body()
      }
      done.signal()
    }
  }
}
