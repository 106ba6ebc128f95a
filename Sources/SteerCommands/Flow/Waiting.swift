import CommandParts
import Foundation
import Operations
import ShellLanguage
import ShellOutput
import ShellSession

/// One wait for operations: what it covers, when it is over, and what comes of it.
struct Waiting {
  enum Subject {
    case all
    case operations
    case queue(InspectableQueue)
  }

  let invocation: Invocation
  let subject: Subject
  /// What is waited for; with `all` and a queue, what is added meanwhile joins it.
  let targets: WaitTargets

  /// The time limit; nil where there is none.
  private let timeout: Duration?
  /// Whether a failure is expected.
  private let acceptsAnyOutcome: Bool

  private static let fewEnoughToLookAt = 64
  /// A look at whether the wait can end that takes longer than this is not taken at each event.
  private static let costlyLook = Duration.milliseconds(20)

  /// - Parameters:
  ///   - invocation: The command that waits.
  ///   - subject: What it waits for.
  ///   - targets: The operations that are known at the beginning.
  ///   - registryCount: How many operations the session had when these were looked for.
  init(
    invocation: Invocation, subject: Subject, targets: [ObservableOperation],
    registryCount: Int = 0
  ) {
    self.invocation = invocation
    self.subject = subject
    timeout = invocation.call[Wait.timeout]
    self.targets = WaitTargets(
      targets, registryCount: registryCount,
      of: invocation.run.ownOperation(of: invocation.context), withTimeLimit: timeout != nil)
    acceptsAnyOutcome = invocation.call[Wait.anyOutcome]
  }

  func run() throws -> Value {
    let call = invocation.call
    try refuseOwnOperation()
    let deadline = timeout.map { invocation.run.clock.now + $0 }
    var covered: [WaitTargets.Covered] = []
    var isCostly = false
    // The reasons include that this body waits, as long as it does.
    var jam = Jam(of: [], in: invocation)
    let end = try targets.whileAwaited {
      let end = try invocation.run.waitWarningAtPrompt(
        until: deadline, progress: targets,
        isStuck: { isStuck(&isCostly) },
        stuckMessage: {
          Jam(of: targets.unfinished, in: invocation).lines("the wait can't end by itself")
        },
        { isOver(&covered) })
      if end == .stuck { jam = Jam(of: targets.unfinished, in: invocation) }
      return end
    }
    switch end {
    case .met: break
    case .timedOut:
      throw call.failure(
        .timedOut,
        "still unfinished after \(Value.duration(timeout ?? .zero).text): "
          + OperationList.names(targets.unfinished), at: Wait.timeout)
    case .interrupted:
      let unfinished = targets.unfinished
      guard !unfinished.isEmpty else { throw Interruption("stopped waiting; all have finished") }
      let names = OperationList.names(unfinished)
      throw Interruption(
        "stopped waiting; not finished yet: \(names) ('cancel' cancels, 'wait' waits on)")
    case .stuck:
      throw call.failure(.neverEnds, "the wait can never end: " + jam.text, help: jam.help)
    }
    return try report(covered + targets.covered)
  }

  // MARK: While it waits

  private func isOver(_ covered: inout [WaitTargets.Covered]) -> Bool {
    switch subject {
    case .operations:
      return hasFinished(&covered)
    case .queue(let queue):
      targets.add(queue.operations)
      return queue.operationCount == 0 && hasFinished(&covered)
    case .all:
      targets.addBuilt(of: invocation.jobs.operations)
      // A held operation that was never started is not waited for.
      return hasFinished(&covered, orElse: \.isHeldBack)
    }
  }

  private func hasFinished(
    _ covered: inout [WaitTargets.Covered],
    orElse isLeftOut: (ObservableOperation) -> Bool = { _ in false }
  ) -> Bool {
    targets.allHaveFinished(orElse: isLeftOut) { operation in
      WaitTargets.Covered(operation).map { covered.append($0) }
    }
  }

  private func isStuck(_ isCostly: inout Bool) -> Bool {
    let own = invocation.run.ownOperation(of: invocation.context)
    if own?.hangsInDeadlock == true, own?.state == .executing { return false }
    // Looking at each of many after each event would take quadratic time; as long as anything
    // executes, the wait may well end.
    if isCostly || targets.hasUnfinished(moreThan: Self.fewEnoughToLookAt),
      invocation.jobs.isExecutingAnything()
    {
      return false
    }
    let unfinished = targets.unfinished
    let start = ContinuousClock.now
    defer {
      // On the virtual clock nothing may depend on how fast the machine is.
      isCostly =
        isCostly
        || (!invocation.run.mode.isRepeatable && ContinuousClock.now - start > Self.costlyLook)
    }
    return invocation.run.neverEnds(
      waitForAnyOf: unfinished, by: own)
  }

  private func refuseOwnOperation() throws {
    guard let own = invocation.run.ownOperation(of: invocation.context), own.state != .finished
    else {
      return
    }
    // A group waits for its operations.
    let around = own.enclosingGroups
    let waitsForItself: Bool =
      switch subject {
      case .operations: targets.contains(own) || around.contains { targets.contains($0) }
      case .all: true
      case .queue(let queue):
        own.queue === queue || around.contains { $0.queue === queue }
      }
    guard waitsForItself else { return }
    throw invocation.call.failure(
      .waitsForItself, "'\(own.displayName)' can't wait for itself", at: Wait.operation)
  }

  // MARK: What comes of it

  /// A failure of what was waited for is the wait's own, unless any outcome will do.
  ///
  /// Either way it has been reported.
  private func report(_ covered: [WaitTargets.Covered]) throws -> Value {
    let ledger = invocation.jobs.failures
    let isNamed = if case .operations = subject { true } else { false }
    let told = covered.compactMap { covered in covered.failure.map { (covered, $0) } }
      .filter { isNamed || !ledger.isAccounted($0.0.key) }
    var failed = told.map { ($0.0.name, $0.1) }
    var count = failed.count
    if case .all = subject {
      let dropped = ledger.droppedUnexpected
      failed += dropped.first.map { ($0.name, $0.failure) }
      count += dropped.count
      ledger.accountForDropped()
    }
    ledger.account(for: covered.map(\.key))
    guard count > 0, !acceptsAnyOutcome else { return .null }
    let descriptions = failed.prefix(3).map { "'\($0)' failed with \($1.told)" }
    let rest = count > 3 ? ", and \(count - 3) more failed" : ""
    var diagnostic = invocation.call.failure(
      failed.first.flatMap { count == 1 ? invocation.page(for: $0.1) : nil }
        ?? .operationsFailed,
      descriptions.joined(separator: ", ") + rest,
      at: Wait.operation)
    if count == 1, let id = told.first?.0.key.id {
      let operation = invocation.jobs.operations.operation(id: id)
      if let failure = operation?.outcome?.failure,
        let help = CodedPages.help(for: failure, of: operation)
      {
        diagnostic.help = help
      }
      if let calls = invocation.jobs.bodies.calls(of: id) { diagnostic.noteCalls(calls) }
    }
    throw diagnostic
  }
}
