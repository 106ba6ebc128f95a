import Dispatch
import Locking
import Support

/// Limits how long a slow observer or handler holds up operations that were started, which
/// `SlowObserverTests` tests.
///
/// A thread that has changed something first calls the observers of the change and then starts what
/// the change has started, mostly on itself, which saves a hand-over to another thread. Observers
/// should not block, and mostly do not; but one that waits for an operation which the same change
/// has started would wait for ever. So during such calls the starts are held here, and if the calls
/// take long, they are handed over to other threads.
final class SlowCallWatchdog: Sendable {
  static let shared = SlowCallWatchdog()

  /// Held starts are handed over if two checks, this time apart, both find them.
  private static let interval = DispatchTimeInterval.milliseconds(2)

  private struct HeldStarts {
    let number: Int
    var starts: FIFO<Start>
    var isOld = false
  }

  private struct State {
    var heldStarts: [HeldStarts] = []
    var lastNumber = 0
    var timer: (any DispatchSourceTimer)?
    /// Whether the timer is set, or about to be set.
    var isTimerSet = false

    func index(of number: Int?) -> Int? {
      number.flatMap { number in heldStarts.lastIndex { $0.number == number } }
    }
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "opsh.operations.runners")

  /// Keeps starts for the time of a call.
  ///
  /// - Parameters:
  ///   - starts: What to keep.
  ///   - number: Held starts to add them to, if those were not handed over.
  /// - Returns: The number to withdraw them with.
  func hold(_ starts: FIFO<Start>, addingTo number: Int?) -> Int {
    let (number, isTimerSet) = state.withLock { state -> (Int, Bool) in
      if let number, let index = state.index(of: number) {
        state.heldStarts[index].starts.append(starts)
        return (number, true)
      }
      state.lastNumber += 1
      state.heldStarts.append(HeldStarts(number: state.lastNumber, starts: starts))
      defer { state.isTimerSet = true }
      return (state.lastNumber, state.isTimerSet)
    }
    // A timer may start threads of libdispatch.
    if !isTimerSet { ThreadStarter.perform { [self] in setTimer() } }
    return number
  }

  /// Takes held starts back; empty if they were handed over.
  func withdraw(_ number: Int) -> FIFO<Start> {
    state.withLock { state in
      guard let index = state.index(of: number) else { return FIFO() }
      return state.heldStarts.remove(at: index).starts
    }
  }

  private func setTimer() {
    state.withLock { state in
      let timer: any DispatchSourceTimer
      if let existing = state.timer {
        timer = existing
      } else {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [self] in look() }
        state.timer = timer
      }
      timer.schedule(deadline: .now() + Self.interval)
      timer.activate()
    }
  }

  private func look() {
    var (old, isTimerSet) = state.withLock { state in
      let old = state.heldStarts.filter(\.isOld)
      state.heldStarts.removeAll(where: \.isOld)
      for index in state.heldStarts.indices { state.heldStarts[index].isOld = true }
      state.isTimerSet = !state.heldStarts.isEmpty
      return (old, state.isTimerSet)
    }
    if isTimerSet { setTimer() }
    for index in old.indices {
      while let start = old[index].starts.popFirst() { start.handOver() }
    }
  }
}
