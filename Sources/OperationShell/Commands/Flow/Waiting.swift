import Foundation
import Operations
import ShellLanguage
import Terminal

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

  private var session: Session { invocation.session }
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
    self.targets = WaitTargets(targets, registryCount: registryCount)
  }

  func run() throws -> Value {
    let call = invocation.call
    try refuseOwnOperation()
    let deadline = call.duration("timeout").map { session.clock.now + $0 }
    var covered: [WaitTargets.Covered] = []
    var isCostly = false
    let own = session.ownOperation(of: invocation.context)
    let end = try session.blocking(own, on: targets) {
      try session.waitTellingAtPrompt(
        until: deadline,
        isStuck: { isStuck(&isCostly) },
        stuckMessage: { "the wait can't end by itself: " + reasons(targets.unfinished) },
        { isOver(&covered) })
    }
    switch end {
    case .met: break
    case .timedOut:
      throw call.failure(
        "timed-out",
        "still unfinished after \(Value.duration(call.duration("timeout") ?? .zero).text): "
          + Self.names(targets.unfinished), at: "timeout")
    case .interrupted:
      let unfinished = targets.unfinished
      guard !unfinished.isEmpty else { throw Interruption("stopped waiting; all have finished") }
      let names = Self.names(unfinished)
      throw Interruption(
        "stopped waiting; not finished yet: \(names) ('cancel' cancels, 'wait' waits on)")
    case .stuck:
      throw call.failure(
        "never-ends", "the wait can never end: " + reasons(targets.unfinished))
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
      targets.addBuilt(of: session.operations)
      // What is held and was never started is waited for by nobody.
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
    // Looking at each of many after each event would take quadratic time; as long as anything
    // executes, the wait may well end.
    if isCostly || targets.hasUnfinished(moreThan: Self.fewEnoughToLookAt),
      session.isExecutingAnything
    {
      return false
    }
    let unfinished = targets.unfinished
    let start = ContinuousClock.now
    defer {
      // On the virtual clock nothing may depend on how fast the machine is.
      isCostly =
        isCostly || (!session.isVirtual && ContinuousClock.now - start > Self.costlyLook)
    }
    var progress = session.progress()
    if unfinished.contains(where: { progress.canFinish($0) }) { return false }
    // A handler or a body may yet resume the queue or cancel what hangs.
    guard session.reactions.hasHandlers || session.hasBodies else { return true }
    return !session.operations.unfinished.contains { progress.canFinish($0) }
  }

  private func refuseOwnOperation() throws {
    guard let own = session.ownOperation(of: invocation.context) else { return }
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
      "waits-for-itself", "'\(own.displayName)' can't wait for itself",
      at: invocation.call.has("operation") ? "operation" : nil)
  }

  // MARK: What comes of it

  /// A failure of what was waited for is the wait's own, unless any outcome will do.
  ///
  /// Either way somebody knows of it now.
  private func report(_ covered: [WaitTargets.Covered]) throws -> Value {
    let ledger = session.failures
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
    guard count > 0, !invocation.call.flag("any-outcome") else { return .null }
    let descriptions = failed.prefix(3).map { "'\($0)' failed with \($1.told)" }
    let rest = count > 3 ? ", and \(count - 3) more failed" : ""
    var diagnostic = invocation.call.failure(
      count == 1 ? failed.first?.1.code ?? "operations-failed" : "operations-failed",
      descriptions.joined(separator: ", ") + rest,
      at: invocation.call.has("operation") ? "operation" : nil)
    if count == 1, let id = told.first?.0.key.id, let calls = session.callsInBody(of: id) {
      diagnostic.noteCalls(calls)
    }
    throw diagnostic
  }

  private func reasons(_ operations: [ObservableOperation]) -> String {
    session.waitReasonsText(operations)
  }

  static func names(_ operations: [ObservableOperation]) -> String {
    OperationTable.names(operations)
  }
}

extension OperationFailure {
  /// Code and message; where the code is the whole of it, as that of an error that a service
  /// answered with, it stands alone.
  var told: String {
    code.hasPrefix("api(") || message.isEmpty ? code : "\(code): \(message)"
  }
}
