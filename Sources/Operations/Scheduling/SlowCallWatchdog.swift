import Foundation
import OpshLocking
import OpshSupport

/// Limits how long a slow observer or handler holds up operations that were started, which
/// `SlowObserverTests` tests.
///
/// A thread that has changed something first calls the observers of the change and then starts what
/// the change has started, mostly on itself, which saves a hand-over to another thread. Observers
/// should not block, and mostly do not; but one that waits for an operation which the same change
/// has started would wait for ever. So during such calls the starts are held here, and if the calls
/// take long, they are handed over to other threads. The same goes for a ``StartHold``, which ends
/// then.
final class SlowCallWatchdog: Sendable {
  static let shared = SlowCallWatchdog()

  /// Held starts are handed over if two checks, this time apart, both find them.
  private static let interval = DispatchTimeInterval.milliseconds(2)
  /// How many checks find a hold before the next one ends it.
  ///
  /// They are many, because a thread that merely has to wait for a processor must not change what
  /// starts first.
  private static let patience = 50

  private struct HeldStarts {
    let number: Int
    var starts: StartList
    let hold: StartHold?
    /// After how many checks they are handed over.
    var checksLeft: Int
  }

  private struct State {
    var heldStarts: [HeldStarts] = []
    var lastNumber = 0
    var timer: (any DispatchSourceTimer)?
    /// Whether the timer is set, or about to be set.
    var isTimerSet = false

    mutating func add(_ starts: StartList, _ hold: StartHold?, checks: Int) -> Int {
      lastNumber += 1
      heldStarts.append(
        HeldStarts(number: lastNumber, starts: starts, hold: hold, checksLeft: checks))
      return lastNumber
    }

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
  func hold(_ starts: StartList, addingTo number: Int?) -> Int {
    add { state in
      if let index = state.index(of: number) {
        state.heldStarts[index].starts.append(starts)
        return state.heldStarts[index].number
      }
      return state.add(starts, nil, checks: 1)
    }
  }

  /// Ends a hold if it is not withdrawn in time.
  ///
  /// - Parameter hold: The hold.
  /// - Returns: The number to withdraw it with.
  func hold(_ hold: StartHold) -> Int {
    add { $0.add(StartList(), hold, checks: Self.patience) }
  }

  private func add(_ body: (inout State) -> Int) -> Int {
    let (number, isTimerSet) = state.withLock { state -> (Int, Bool) in
      let number = body(&state)
      defer { state.isTimerSet = true }
      return (number, state.isTimerSet)
    }
    // A timer may start threads of libdispatch.
    if !isTimerSet { ThreadStarter.perform { [self] in setTimer() } }
    return number
  }

  /// Takes held starts or a hold back; nil if they were handed over.
  func withdraw(_ number: Int) -> StartList? {
    state.withLock { state in
      guard let index = state.index(of: number) else { return nil }
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
      let old = state.heldStarts.filter { $0.checksLeft == 0 }
      state.heldStarts.removeAll { $0.checksLeft == 0 }
      for index in state.heldStarts.indices { state.heldStarts[index].checksLeft -= 1 }
      state.isTimerSet = !state.heldStarts.isEmpty
      return (old, state.isTimerSet)
    }
    if isTimerSet { setTimer() }
    for index in old.indices {
      while let start = old[index].starts.popFirst() { start.handOver() }
      guard let hold = old[index].hold else { continue }
      // On another thread, because what follows may call client code.
      BodyThreadPool.of(.default).run { hold.end() }
    }
  }
}
