import Foundation
import OpshLocking

/// A bare `OperationQueue` in a process of its own: commands come on standard input, reports go to
/// standard output.
///
/// Whatever ends or jams Foundation ends or jams this process, and not the shell.
public enum RawQueue: Sendable {
  /// Reads commands until the end of input, and ends the process then.
  ///
  /// Foundation prints some of its complaints on standard output: they go to standard error.
  public static func run() -> Int32 {
    let output = dup(STDOUT_FILENO)
    guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { return 1 }
    let process = QueueProcess(output: FileHandle(fileDescriptor: output))
    while let line = readLine() {
      guard let command = QueueCommand(line: line) else { return 2 }
      process.perform(command)
    }
    // Operations may still run; nothing waits for them.
    _exit(0)
  }
}

/// The queue, and all operations that ever were on it.
///
/// They are kept, because Foundation follows pointers to a waiting operation that is gone.
private final class QueueProcess: Sendable {
  private let queue = OperationQueue()
  private let output: FileHandle
  private let writing = Locked(0)
  private let operations = Locked<[Int: any RawOperation]>([:])
  private let seen = Locked(0)

  init(output: FileHandle) { self.output = output }

  private func report(_ report: QueueReport) {
    writing.withLock { _ in try? output.write(contentsOf: Data("\(report.line)\n".utf8)) }
  }

  private subscript(id: Int) -> (any RawOperation)? { operations.withLock { $0[id] } }

  func perform(_ command: QueueCommand) {
    seen.withLock { $0 += 1 }
    switch command {
    case .add(let plan): add(plan)
    case .cancel(let id):
      guard let operation = self[id] else { return }
      guard operation.mayBlock else { return operation.cancel() }
      Thread.detachNewThread { operation.cancel() }
    case .setPriority(let id, let value):
      self[id]?.queuePriority = Operation.QueuePriority(rawValue: value) ?? .normal
    case .setQuality(let id, let value):
      self[id]?.qualityOfService = QualityOfService(rawValue: value) ?? .default
    case .setQueueQuality(let value):
      queue.qualityOfService = QualityOfService(rawValue: value) ?? .default
    case .addDependency(let id, let other):
      if let operation = self[id], let other = self[other] { operation.addDependency(other) }
    case .removeDependency(let id, let other):
      if let operation = self[id], let other = self[other] { operation.removeDependency(other) }
    case .setSuspended(let flag): queue.isSuspended = flag
    case .setWidth(let width): queue.maxConcurrentOperationCount = width
    case .bodyEnded(let id, let finishes):
      guard let operation = self[id] else { return }
      guard operation.mayBlock else { return operation.bodyEnded(finishes: finishes) }
      Thread.detachNewThread { operation.bodyEnded(finishes: finishes) }
    case .finish(let id): self[id]?.finishFromOutside()
    }
  }

  private func add(_ plan: RawOperationPlan) {
    let report: @Sendable (QueueReport) -> Void = { [weak self] in self?.report($0) }
    let seen: @Sendable () -> Int = { [weak self] in self?.seen.withLock { $0 } ?? 0 }
    let operation: any RawOperation
    if plan.isAsynchronous {
      let asynchronous = AsynchronousOperation(plan.id, plan.mistakes, seen: seen, report: report)
      if plan.mistakes.contains(.finishesBeforeStart) { asynchronous.finishBeforeStart() }
      operation = asynchronous
    } else {
      operation = SynchronousOperation(plan.id, seen: seen, report: report)
    }
    // Without a priority Foundation takes the place on the queue from the class of service.
    let priority = Operation.QueuePriority(rawValue: plan.priority) ?? .normal
    if priority != .normal { operation.queuePriority = priority }
    let quality = QualityOfService(rawValue: plan.quality) ?? .default
    if quality != .default { operation.qualityOfService = quality }
    for id in plan.dependencies {
      if let other = self[id] { operation.addDependency(other) }
    }
    operations.withLock { $0[plan.id] = operation }
    queue.addOperation(operation)
  }
}
