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
  let targets: [ObservableOperation]

  private var session: Session { invocation.session }
  private static let fewEnoughToLookAt = 64

  func run() throws -> Value {
    let call = invocation.call
    try refuseOwnOperation()
    let deadline = call.duration("timeout").map { ContinuousClock.now + $0 }
    var waited = Targets(targets)
    let own = session.ownOperation(of: invocation.context)
    let end = try session.blocking(own, on: targets) {
      try session.waitTellingAtPrompt(
        until: deadline,
        isStuck: { isStuck(&waited) },
        stuckMessage: { "the wait can't end by itself: " + reasons(waited.unfinished) },
        { isOver(&waited) })
    }
    switch end {
    case .met: break
    case .timedOut:
      throw call.failure(
        "timed-out",
        "still unfinished after \(Value.duration(call.duration("timeout") ?? .zero).text): "
          + Self.names(waited.unfinished), at: "timeout")
    case .interrupted:
      let names = Self.names(waited.unfinished)
      throw Interruption(
        "stopped waiting; not finished yet: \(names) ('cancel' cancels, 'wait' waits on)")
    case .stuck:
      throw call.failure(
        "never-ends", "the wait can never end: " + reasons(waited.unfinished))
    }
    return try report(waited.all)
  }

  // MARK: While it waits

  private func isOver(_ waited: inout Targets) -> Bool {
    switch subject {
    case .operations:
      return waited.allHaveFinished()
    case .queue(let queue):
      waited.add(queue.operations)
      return queue.operationCount == 0 && waited.allHaveFinished()
    case .all:
      let everything = session.operations
      waited.add(everything.added(after: waited.registryCount))
      waited.registryCount = everything.count
      // What is held and was never started is waited for by nobody.
      return waited.allHaveFinished { $0.state == .created }
    }
  }

  private func isStuck(_ waited: inout Targets) -> Bool {
    let unfinished = waited.unfinished
    // Looking at each of many after each event would take quadratic time; as long as anything
    // executes, the wait may well end.
    if unfinished.count > Self.fewEnoughToLookAt, session.isExecutingAnything { return false }
    var progress = session.progress()
    if unfinished.contains(where: { progress.canFinish($0) }) { return false }
    // A handler or a body may yet resume the queue or cancel what hangs.
    guard session.reactions.hasHandlers || session.hasBodies else { return true }
    return !session.operations.unfinished.contains { progress.canFinish($0) }
  }

  private func refuseOwnOperation() throws {
    guard let own = session.ownOperation(of: invocation.context) else { return }
    let waitsForItself: Bool =
      switch subject {
      case .operations: targets.contains { $0 === own }
      case .all: true
      case .queue(let queue): own.queue === queue
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
  private func report(_ waited: [ObservableOperation]) throws -> Value {
    let fresh: [ObservableOperation] =
      switch subject {
      case .operations: waited
      case .all, .queue: waited.filter { !session.failures.isAccounted($0) }
      }
    session.failures.account(for: waited.filter { $0.state == .finished })
    let failed = fresh.filter {
      if case .failed? = $0.outcome { true } else { false }
    }
    guard !failed.isEmpty, !invocation.call.flag("any-outcome") else { return .null }
    let descriptions = failed.prefix(3).map { operation in
      guard case .failed(let failure)? = operation.outcome else { return operation.displayName }
      let message = failure.message.isEmpty ? "" : ": \(failure.message)"
      return "'\(operation.displayName)' failed with \(failure.code)\(message)"
    }
    let rest = failed.count > 3 ? ", and \(failed.count - 3) more failed" : ""
    var code = "operations-failed"
    if failed.count == 1, case .failed(let failure)? = failed[0].outcome { code = failure.code }
    throw invocation.call.failure(
      code, descriptions.joined(separator: ", ") + rest,
      at: invocation.call.has("operation") ? "operation" : nil)
  }

  private func reasons(_ operations: [ObservableOperation]) -> String {
    session.waitReasonsText(operations)
  }

  static func names(_ operations: [ObservableOperation]) -> String {
    OperationTable.names(operations)
  }
}

extension Waiting {
  /// The operations of a wait.
  ///
  /// Asking whether all have finished costs, over the whole wait, time proportional to their
  /// number: those at the front that have finished are not looked at again.
  struct Targets {
    private(set) var all: [ObservableOperation]
    private var ids: Set<Int>
    private var firstUnfinished = 0
    var registryCount = 0

    init(_ operations: [ObservableOperation]) {
      all = operations
      ids = Set(operations.map(\.id))
    }

    mutating func add(_ operations: some Sequence<ObservableOperation>) {
      for operation in operations where ids.insert(operation.id).inserted { all.append(operation) }
    }

    var unfinished: [ObservableOperation] {
      all[firstUnfinished...].filter { $0.state != .finished }
    }

    mutating func allHaveFinished(
      orElse isLeftOut: (ObservableOperation) -> Bool = { _ in false }
    ) -> Bool {
      while firstUnfinished < all.count, all[firstUnfinished].state == .finished {
        firstUnfinished += 1
      }
      return all[firstUnfinished...].allSatisfy { $0.state == .finished || isLeftOut($0) }
    }
  }
}
