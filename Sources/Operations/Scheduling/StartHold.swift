import OpshLocking

/// Keeps the free slots of an engine from being given until what follows from one event is settled.
///
/// One end can have others follow in the same instant: a dependency's failure skips operations, a
/// cancelled operation passes through its slot, a group ends with its last member. Where that calls
/// client code it takes several transactions, and between them a slot would be given to an operation
/// that is not the first of all that are ready in the end.
struct StartHold: Sendable {
  let engine: OperationEngine
  /// How often all holds had been ended before this one was taken.
  let generation: Int

  /// Gives the slots that were held back, unless others hold them back too.
  func end() {
    engine.transact { $0.end(self) }
  }

  /// A hold that ends by itself if that takes long.
  struct Lease: Sendable {
    let hold: StartHold
    /// The number that the ``SlowCallWatchdog`` knows it by; nil on the virtual clock, where a hold
    /// ends when nothing else can happen.
    let number: Int?

    /// Ends the hold, if it has not ended by itself.
    func end() {
      if let number, SlowCallWatchdog.shared.withdraw(number) == nil { return }
      hold.end()
    }
  }
}

extension OperationEngine {
  /// Holds slots back, but not for ever.
  func leaseHold() -> StartHold.Lease {
    let hold = state.withLock { $0.takeHold(of: self) }
    guard !virtualClock.isInUse else { return StartHold.Lease(hold: hold, number: nil) }
    return StartHold.Lease(hold: hold, number: SlowCallWatchdog.shared.hold(hold))
  }

  /// Changes several things as if they changed in one instant: free slots are given afterwards, to
  /// those that come first then.
  ///
  /// If the changes take longer than a tenth of a second, because an observer of one blocks, slots
  /// are given before.
  ///
  /// - Parameter changes: Makes the changes; it must not wait for an operation.
  /// - Returns: What `changes` returns.
  /// - Throws: What `changes` throws.
  package func withoutStarting<Result, Failure: Error>(
    _ changes: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let lease = leaseHold()
    defer { lease.end() }
    return try changes()
  }
}
