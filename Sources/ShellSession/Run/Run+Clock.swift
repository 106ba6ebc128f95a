import Operations
import PracticeServer
package import ShellLanguage
import ShellOutput

extension Run {
  /// Switches to the virtual clock, or back to the system's.
  ///
  /// - Throws: An `UnplacedError` if something in progress uses the present clock.
  package func setClock(isVirtual: Bool) throws {
    guard isVirtual != mode.isRepeatable else { return }
    guard isOnInterpreterThread else { throw UnplacedError.clockInBody }
    let unfinished = jobs.operations.unfinished
    guard unfinished.isEmpty else {
      throw UnplacedError(
        .clockInUse,
        "the clock can't be changed while something uses it: "
          + "\(OperationList.names(unfinished)) unfinished")
    }
    if isVirtual, let queue = jobs.allQueues.first(where: { $0.driver is FoundationLink }) {
      throw UnplacedError(
        .notVirtual, "queue '\(queue.name)' is one of Foundation's, which takes real time",
        help: "'queue remove \(queue.name)' comes before it")
    }
    if isVirtual, jobs.engine.speed < 1 {
      throw UnplacedError(
        .clockInUse, "the virtual clock has no speed: it jumps to what is next",
        help: "'set speed 1' comes before it")
    }
    // All that it counted on has finished.
    jobs.app.endIdleCountdown()
    if isVirtual { try beginVirtualTime() } else { try endVirtualTime() }
  }

  private func beginVirtualTime() throws {
    let services = outside.network.services
    let selections = [services.common.selection] + services.own.values.map(\.selection)
    if let other = selections.first(where: { $0 != .practice }) {
      let error = NetworkEnvironment.notVirtual(other)
      throw UnplacedError(error.page, error.message, help: "'endpoint practice' comes before it")
    }
    do {
      try outside.detach(engine: jobs.engine)
    } catch {
      throw UnplacedError(
        .clockInUse,
        "the clock can't be changed any more: the practice server listens already, "
          + "and uses the system's clock")
    }
    // Earlier times by the system's clock must not be later than virtual times.
    let isFirst = jobs.operations.count == 0
    if !isFirst {
      inputs.setObstacle("operations ran on the real clock before 'set clock virtual'")
    }
    jobs.engine.virtualClock.begin(at: isFirst ? nil : clock.now)
    if isFirst { screen.typed.setTimes(to: clock.now) }
    if seed == nil { setSeed(1) }
  }

  private func endVirtualTime() throws {
    guard !jobs.engine.virtualClock.hasBegun else {
      throw UnplacedError(
        .clockAhead, "the virtual clock is ahead of the system's by now, and time can't go back")
    }
    jobs.engine.virtualClock.end()
    outside.attach()
  }
}

extension UnplacedError {
  fileprivate static let clockInBody = UnplacedError(
    .clockInUse, "the clock can't be changed by a body, which uses it")
}

extension Invocation {
  /// Throws the error of a call that the clock of the session refuses.
  package func refuseWrongClock() throws {
    switch call.signature.shellCommand?.clockUse(of: call) {
    case .needsRealTime(let refusal)? where run.mode.isVirtual: throw refusal
    case .needsVirtualTime(let refusal)? where !run.mode.isVirtual: throw refusal
    default: break
    }
  }
}

extension ErrorPage {
  package static let clockInUse = ErrorPage(
    "clock-in-use", "The clock can't be changed while something uses it",
    "Unfinished operations, and a practice server that listens, use the present clock.",
    help: "'set clock virtual' belongs at the beginning of a script",
    wrong: "delay 10s\nset clock virtual", right: "set clock virtual\ndelay 10s", proof: .running)

  package static let clockAhead = ErrorPage(
    "clock-ahead", "The virtual clock is ahead of the system's",
    "What happens next would have an earlier time than what has happened already.",
    help: "start opsh again: it begins with the system's clock",
    wrong: "set clock virtual\nsleep 10m\nset clock real", right: "set clock virtual\nsleep 10m",
    proof: .running)
}
