package import Operations
package import OpshProcesses
import OpshSupport
package import ShellOutput
import Synchronization
import OpshSystemCalls

/// What runs: the operations of a session, their queues, groups, bodies and failures, and the
/// handlers of their events.
///
/// It knows neither what is outside, nor what is shown, nor the run; those use it.
package final class Jobs: Sendable {
  package let engine: OperationEngine
  /// The time of the engine.
  package let clock: SessionClock
  package let operations: OperationRegistry
  package let queues: QueueRegistry
  package let failures: FailureLedger
  package let eventHandlers: EventHandlers
  package let bodies: Bodies
  package let adapting: AdaptingQueues
  package let app: AppLife
  package let processes: ProcessMonitor
  let engineResources: EngineResources
  /// The earlier moment that these jobs show; nil for the present, in which they run.
  let past: PastWorld?
  private let conditionChecks = Atomic(0)

  /// Creates an engine without operations.
  ///
  /// - Parameters:
  ///   - wakeUp: Wakes the interpreter's thread when something has happened.
  ///   - paced: The system's clock with its speed.
  ///   - offset: How much time passed on the virtual clock before, which dates count.
  init(wakeUp: WakeUp, clock paced: PacedClock = PacedClock(), offset: Duration = .zero) {
    operations = OperationRegistry()
    failures = FailureLedger()
    engine = OperationEngine(
      clock: paced,
      logCapacity: OperationRegistry.logCapacity(keeping: OperationRegistry.defaultLimit),
      logTextLimit: OperationRegistry.logTextLimit(keeping: OperationRegistry.defaultSizeLimit))
    clock = SessionClock(engine: engine, offset: offset)
    eventHandlers = EventHandlers(wakeUp: wakeUp)
    (bodies, adapting, processes) = (Bodies(engine: engine), AdaptingQueues(), ProcessMonitor())
    (engineResources, past) = (EngineResources(), nil)
    queues = QueueRegistry(engine: engine, mainExecutor: eventHandlers.runMain)
    app = AppLife(engine: engine, operations: operations, wakeUp: wakeUp)
    engine.log.setWakeUp { [weak wakeUp] in wakeUp?.signal() }
  }

  /// Creates the jobs of a moment of others, which they are like apart from what is given.
  init(
    of past: PastWorld, engine: OperationEngine, operations: OperationRegistry,
    queues: QueueRegistry, bodies: Bodies, like jobs: Jobs
  ) {
    (self.past, self.engine, self.operations) = (past, engine, operations)
    (self.queues, self.bodies) = (queues, bodies)
    clock = SessionClock(engine: engine)
    (failures, eventHandlers, app) = (jobs.failures, jobs.eventHandlers, jobs.app)
    (processes, engineResources) = (jobs.processes, jobs.engineResources)
    adapting = AdaptingQueues()
  }

  /// Ends the programs of operations, and the virtual clock with what rests on it.
  func shutDown() {
    engine.log.setWakeUp(nil)
    processes.shutDown()
    engine.virtualClock.end()
  }

  /// Counts one evaluation of the condition of a `count of`.
  package func noteConditionCheck() { conditionChecks.add(1, ordering: .relaxed) }

  /// How often `count of` conditions were evaluated, which bounds the time that expectations take.
  var conditionCheckCount: Int { conditionChecks.load(ordering: .relaxed) }

  // MARK: What executes

  /// Whether any operation executes that does not itself wait for others, as a group and a body in
  /// a `wait` do, or whether a body runs whose operation has finished.
  ///
  /// Takes time proportional to the number of queues and groups.
  ///
  /// - Parameter owner: An executing operation that does not count, whose body asks.
  /// - Returns: Whether one does.
  package func isExecutingAnything(except owner: ObservableOperation? = nil) -> Bool {
    var waiting = engine.waitingBodyCount + (owner == nil ? 0 : 1)
    let groups = operations.groups.filter { $0.state == .executing }
    waiting += groups.count
    var executing = 0
    for queue in queues.all + groups.map(\.innerQueue) {
      executing += queue.executingOperationCount
      if executing > waiting { return true }
    }
    return executing + bodies.ofFinished.count > waiting
  }

  /// Whether there are unfinished bodies, which may still run any command.
  package var hasBodies: Bool {
    operations.unfinished.contains {
      $0 is BlockingOperation && $0.finishWait != .signal
        || ($0 as? any FinishableOperation)?.mayRunBody == true
    } || !bodies.running.isEmpty
  }

  /// Whether something will change without an action from outside although nothing may be able to
  /// finish: an operation does, or the time in the background ends.
  package var changesByItself: Bool {
    app.remaining != nil || operations.unfinished.contains(where: \.changesByItself)
  }

  /// Cancels the operations that were not yet.
  func cancelRest(by requester: String) {
    ObservableOperation.cancelAll(
      operations.unfinished.filter { !$0.isCancelled }, by: requester)
  }
}
