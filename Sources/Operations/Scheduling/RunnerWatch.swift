import Dispatch
import Locking

/// Sees to it that nobody's observer holds up an operation.
///
/// A ``SlotRunner`` that has an operation to go on with first calls the observers of the one that
/// has ended. They are asked not to block, and mostly do not; but one that waits for that very next
/// operation would wait for ever. So for the time of such a call the operation lies here, and if
/// that takes long it is handed over to another thread after all.
final class RunnerWatch: Sendable {
  static let shared = RunnerWatch()

  /// Two looks apart by this time must find an operation before it is handed over.
  private static let interval = DispatchTimeInterval.milliseconds(2)

  private struct Deposit {
    let number: Int
    let operation: ObservableOperation
    let place: SlotRunner.Place
    var isOld = false
  }

  private struct State {
    var deposits: [Deposit] = []
    var lastNumber = 0
    var timer: (any DispatchSourceTimer)?
    var isTimerSet = false
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "opsh.operations.runners")

  /// Keeps an operation for the time of a call.
  ///
  /// - Returns: What to take it back with.
  func deposit(_ operation: ObservableOperation, at place: SlotRunner.Place) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.deposits.append(
        Deposit(number: state.lastNumber, operation: operation, place: place))
      if !state.isTimerSet { setTimer(&state) }
      return state.lastNumber
    }
  }

  /// Takes an operation back, unless it was handed over.
  func withdraw(_ number: Int) -> ObservableOperation? {
    state.withLock { state in
      guard let index = state.deposits.lastIndex(where: { $0.number == number }) else { return nil }
      return state.deposits.remove(at: index).operation
    }
  }

  private func setTimer(_ state: inout State) {
    state.isTimerSet = true
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

  private func look() {
    let old = state.withLock { state in
      let old = state.deposits.filter(\.isOld)
      state.deposits.removeAll(where: \.isOld)
      for index in state.deposits.indices { state.deposits[index].isOld = true }
      state.isTimerSet = false
      if !state.deposits.isEmpty { setTimer(&state) }
      return old
    }
    for deposit in old { SlotRunner.hand(deposit.operation, at: deposit.place) }
  }
}
