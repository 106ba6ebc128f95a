import COpshSystem
import Foundation
import FoundationProcess
import OpshLocking
package import Operations
import OpshProcesses
package import ShellLanguage

/// Drives a queue by a bare `OperationQueue` in a process of its own, and points out what Foundation
/// does otherwise than the queues of opsh.
///
/// Commands go to the process from any thread; one thread reads its reports, another what it prints.
package final class FoundationLink: QueueDriver {
  /// How many operations the process takes in all; it keeps them until it ends.
  package static let maximumOperations = 1_000
  /// How often, and with which pauses, a report waits for the operation to be as far here.
  private static let attempts = 500
  private static let pause: TimeInterval = 0.002
  /// How many milliseconds a command may wait until the process reads.
  private static let writePatience: Int32 = 2_000
  /// How many seconds the end of a process that was killed may take.
  private static let endPatience = 5.0
  /// After which time with a free slot it is pointed out that a thread was missing.
  private static let startPatience = Duration.milliseconds(500)
  /// How many of the last lines are kept that the process printed.
  private static let keptLines = 5

  struct State {
    weak var queue: InspectableQueue?
    /// The unfinished operations by id.
    var operations: [Int: FoundationOperation] = [:]
    var added = 0
    var tokens: [ObservationToken] = []
    /// Where commands are written; -1 after the end.
    var input: Int32 = -1
    var process: Int32 = 0
    var sent = 0
    var printed: [String] = []
    /// Whether the end was asked for.
    var isStopped = false
    /// Since when the queue has had a free slot and was not suspended; nil if it has none.
    var roomSince: ContinuousClock.Instant?
    var hasToldOfThreads = false
    /// How many reports the process has made of operations that it started or finished.
    var reportCount = 0
    /// Whether a look at the pool follows.
    var isPoolLookDue = false
  }

  let state = Locked(State())
  /// Open once the process has ended, and so have its operations.
  private let ending = DispatchSemaphore(value: 0)
  private let name: String
  private let tell: @Sendable (String) -> Void

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - name: The name of the queue.
  ///   - program: The path of opsh.
  ///   - environment: The environment of the process.
  ///   - tell: Shows what Foundation does otherwise; called on any thread.
  /// - Throws: Why the process can't be started.
  package init(
    name: String, program: String, environment: [String: String],
    tell: @escaping @Sendable (String) -> Void
  ) throws(UnplacedError) {
    self.name = name
    self.tell = tell
    let words = [program, "--foundation-queue"]
    var environment = environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    var pipes: [(reader: Int32, writer: Int32)] = []
    do throws(UnplacedError) {
      for _ in 0..<3 { pipes.append(try ChildStart.openPipe(for: words)) }
    } catch {
      for pipe in pipes { _ = (close(pipe.reader), close(pipe.writer)) }
      throw error
    }
    let (input, output, errors) = (pipes[0], pipes[1], pipes[2])
    defer { [input.reader, output.writer, errors.writer].forEach { close($0) } }
    do throws(UnplacedError) {
      let process = try ChildStart.start(
        words, in: ProgramPlace(environment: environment),
        .init(input: input.reader, output: output.writer, errors: errors.writer), inOwnGroup: true)
      state.withLock { ($0.input, $0.process) = (input.writer, process) }
      _ = fcntl(input.writer, F_SETFL, O_NONBLOCK)
    } catch {
      [input.writer, output.reader, errors.reader].forEach { close($0) }
      throw error
    }
    Self.readLines(of: errors.reader) { [weak self] line in
      guard let line else { return }
      self?.state.withLock { state in
        state.printed = (state.printed + [line]).suffix(Self.keptLines)
      }
    }
    Self.readLines(of: output.reader) { [weak self] line in
      guard let line else { self?.end(); return }
      if let report = QueueReport(line: line) { self?.handle(report) }
    }
  }

  deinit {
    let state = state.withLock { $0 }
    guard state.input >= 0 else { return }
    close(state.input)
    kill(state.process, SIGKILL)
    waitpid(state.process, nil, 0)
  }

  /// Whether the process has ended.
  package var hasEnded: Bool { state.withLock { $0.input < 0 } }

  /// Connects it with its queue, whose width and suspension go to the process from now on.
  package func attach(_ queue: InspectableQueue) {
    let tokens = [
      queue.observe(\.isSuspended, options: .new) { [weak self] _, change in
        if let flag = change.newValue { self?.send(.setSuspended(flag)) }
        self?.noteRoom()
      },
      queue.observe(\.maxConcurrentOperationCount, options: .new) { [weak self] _, change in
        if let width = change.newValue { self?.send(.setWidth(width)) }
        self?.noteRoom()
      },
    ]
    state.withLock { state in
      state.queue = queue
      state.tokens += tokens
    }
    noteRoom()
    send(.setWidth(queue.maxConcurrentOperationCount))
    if queue.qualityOfService != .default { didSetQuality() }
    if queue.isSuspended { send(.setSuspended(true)) }
  }

  /// Kills the process, and waits a few seconds until its unfinished operations have failed.
  package func stop() {
    let process = state.withLock { state in
      state.isStopped = true
      return state.input < 0 ? 0 : state.process
    }
    if process > 0 { kill(process, SIGKILL) }
    _ = ending.wait(timeout: .now() + Self.endPatience)
    ending.signal()
  }

  // MARK: To the process

  /// Sends a command; without effect after the end of the process.
  func send(_ command: QueueCommand) {
    state.withLock { send(command, &$0) }
  }

  private func send(_ command: QueueCommand, _ state: inout State) {
    guard state.input >= 0 else { return }
    state.sent += 1
    var left = Array("\(command.line)\n".utf8)[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { write(state.input, $0.baseAddress, $0.count) }
      if count >= 0 {
        left.removeFirst(count)
      } else if errno == EAGAIN {
        var place = pollfd(fd: state.input, events: Int16(POLLOUT), revents: 0)
        guard poll(&place, 1, Self.writePatience) == 0 else { continue }
        // It does not read any more: it hangs, and so would the shell.
        kill(state.process, SIGKILL)
        return
      } else if errno != EINTR {
        return
      }
    }
  }

  package func refusal(of operations: [ObservableOperation]) -> String? {
    if hasEnded { return "its process has ended ('queue remove \(name)')" }
    for operation in operations {
      guard let operation = operation as? FoundationOperation, operation.link === self else {
        return "it takes operations that 'block', 'async' and 'delay' build for it, and fetches "
          + "with '--blocking'"
      }
      // A request has its own.
      let isTimed = !(operation is FoundationRequest)
      let own =
        isTimed && operation.timeLimit != nil
        ? "a time limit"
        : isTimed && operation.retryPolicy != nil
          ? "retries"
          : operation.startDelay > .zero
            ? "a delay"
            : operation.exclusiveNames.isEmpty ? nil : "an exclusive name"
      if let own { return "an operation of Foundation's cannot have \(own)" }
      for edge in operation.upstream {
        if let text = refusal(ofDependencyOn: edge.operation, edge.policy) { return text }
      }
    }
    let limit = Self.maximumOperations
    let count = state.withLock { $0.added } + operations.count
    return count > limit ? "it takes at most \(limit) operations in all" : nil
  }

  /// Why an operation of the queue can't depend on another one; nil if it can.
  package func refusal(
    ofDependencyOn other: ObservableOperation, _ policy: FailurePolicy
  ) -> String? {
    if policy != .run { return "Foundation runs an operation whatever became of its dependencies" }
    guard (other as? FoundationOperation)?.link !== self else { return nil }
    return "'\(other.displayName)' is on another queue, and its process cannot wait for that"
  }

  package func didSetQuality() {
    guard let queue = state.withLock({ $0.queue }) else { return }
    send(.setQueueQuality(queue.qualityOfService.rawValue))
  }

  package func didAdd(_ operations: [ObservableOperation]) {
    for case let operation as FoundationOperation in operations {
      let tokens = observations(of: operation)
      let plan = operation.plan()
      state.withLock { state in
        state.operations[operation.id] = operation
        state.added += 1
        state.tokens += tokens
        send(.add(plan), &state)
        operation.addedWith = state.sent
      }
      if operation.isCancelled { operation.sendCancel() }
    }
    lookAtPool()
  }

  private func observations(of operation: FoundationOperation) -> [ObservationToken] {
    [
      operation.observe(\.isCancelled) { operation, _ in
        (operation as? FoundationOperation)?.sendCancel()
      },
      operation.observe(\.isFinished) { operation, _ in
        (operation as? FoundationOperation)?.reportEnd()
      },
      operation.observe(\.queuePriority, options: .new) { [weak self] operation, change in
        if let value = change.newValue { self?.send(.setPriority(operation.id, value.rawValue)) }
      },
      operation.observe(\.qualityOfService, options: .new) { [weak self] operation, change in
        if let value = change.newValue { self?.send(.setQuality(operation.id, value.rawValue)) }
      },
      operation.observe(\.dependencies) { [weak self] operation, _ in
        if let operation = operation as? FoundationOperation {
          self?.sendDependencies(of: operation)
        }
      },
    ]
  }

  private func sendDependencies(of operation: FoundationOperation) {
    let (added, removed) = operation.takeDependencyChanges()
    for id in added { send(.addDependency(operation.id, on: id)) }
    for id in removed {
      send(.removeDependency(operation.id, on: id))
      let other = state.withLock { $0.operations[id] }
      guard let other, other.state != .finished,
        operation.state == .pending || operation.state == .ready
      else { continue }
      operation.obstacle =
        "the removed dependency on '\(other.displayName)' still counts in Foundation on Linux, so "
        + "'\(operation.displayName)' never becomes ready"
      tell(
        "Foundation on Linux does not count a removed dependency off: '\(operation.displayName)' "
          + "never becomes ready, unless it is cancelled")
    }
  }

  /// Adds a dependency that closes a cycle, which Foundation accepts.
  package func closeCycle(
    _ operation: FoundationOperation, waitingFor other: ObservableOperation, path: [String]
  ) {
    send(.addDependency(operation.id, on: other.id))
    guard operation.state == .pending || operation.state == .ready else {
      return tell(
        "Foundation accepts a dependency of '\(operation.displayName)', which has started already, "
          + "and takes no notice of it")
    }
    let text = path.joined(separator: " → ")
    operation.obstacle = "Foundation accepted the cycle \(text), and never starts what is in it"
    tell(
      "Foundation accepts the cycle \(text), and never starts what is in it; opsh refuses it")
  }

  // MARK: From the process

  private func handle(_ report: QueueReport) {
    switch report {
    case .executing(let id, let seen): started(id, seen: seen)
    case .finished(let id): finished(id)
    case .awaitsFinish(let id): operation(id)?.noteAwaitsFinish()
    case .awaitsNotification(let id): operation(id)?.setFinishWait(.notification)
    case .isLocked(let id):
      guard let operation = operation(id) else { return }
      // Before a wait sees it, which may end the run.
      tell(
        "Foundation's queue reads 'isFinished' when it is notified, so '\(operation.displayName)' "
          + "hangs without any observer, and 'cancel' does not end it")
      operation.setFinishWait(.lock)
    case .ignoredFinish(let id):
      guard let operation = operation(id) else { return }
      operation.noteRefusal("second finish: Foundation ignores it")
    }
  }

  private func operation(_ id: Int) -> FoundationOperation? {
    state.withLock { $0.operations[id] }
  }

  private func started(_ id: Int, seen: Int) {
    guard let operation = operation(id) else { return }
    operation.noteExecution(inProcess: true)
    operation.noticeReadiness()
    state.withLock { $0.reportCount += 1 }
    noteOrder(operation, seen: seen)
    noteLateness(operation)
    defer { noteRoom() }
    if !start(operation) {
      tell(
        "Foundation has started '\(operation.displayName)', which is "
          + "\(operation.state.rawValue) by the rules of opsh")
      operation.obstacle = "Foundation has started it too early"
    }
  }

  private func finished(_ id: Int) {
    guard let operation = operation(id) else { return }
    defer { noteRoom() }
    operation.noteExecution(inProcess: false)
    state.withLock { $0.reportCount += 1 }
    // One that was cancelled before it ran ends when it is started.
    if operation.state == .executing { operation.noteFinished() } else { start(operation) }
    state.withLock { $0.operations[id] = nil }
  }

  /// Starts an operation as soon as it is ready here, too: what makes it ready may still be on its way.
  @discardableResult
  private func start(_ operation: FoundationOperation) -> Bool {
    for _ in 0..<Self.attempts {
      let (queue, isStopped) = state.withLock { ($0.queue, $0.isStopped) }
      guard let queue else { return false }
      if queue.start(operation) { return true }
      // What it waits for comes to nothing.
      if isStopped { return false }
      if operation.state == .executing || operation.state == .finished { return true }
      Thread.sleep(forTimeInterval: Self.pause)
    }
    return false
  }

  /// Says if another operation would have come first by the documented order: the highest priority,
  /// then the order of adding.
  private func noteOrder(_ operation: FoundationOperation, seen: Int) {
    let (sent, queue) = state.withLock { ($0.sent, $0.queue) }
    // While commands are on their way the process knows less than this side.
    guard seen == sent, let queue, queue.maxConcurrentOperationCount > 0 else { return }
    let first = queue.operations.lazy.compactMap { $0 as? FoundationOperation }.filter {
      $0.state == .ready && $0.isReady && !$0.isCancelled && $0.obstacle == nil
    }.max {
      ($0.queuePriority.rawValue, -$0.addedWith) < ($1.queuePriority.rawValue, -$1.addedWith)
    }
    guard let first, first !== operation, operation.state == .ready, !operation.isCancelled else {
      return
    }
    let isEqual = first.queuePriority == operation.queuePriority
    let why = isEqual ? "was added first" : "has a higher priority"
    let isRanked =
      isEqual && operation.queuePriority == .normal
      && operation.qualityOfService != first.qualityOfService
    tell(
      "Foundation starts '\(operation.displayName)' before '\(first.displayName)', which \(why)"
        + (isRanked ? "; without a priority it goes by the quality of service" : ""))
  }

  /// Says once if a body that blocks had to wait for a thread although the queue had a free slot.
  private func noteLateness(_ operation: FoundationOperation) {
    guard operation.style == .synchronous, let ready = operation.timestamps.ready else { return }
    // Foundation's pool grows as fast as before while the session is slowed down.
    let since = operation.engine.systemInstant(at: ready)
    let isLate = state.withLock { state in
      guard let room = state.roomSince, !state.hasToldOfThreads else { return false }
      state.hasToldOfThreads = max(room, since).duration(to: .now) > Self.startPatience
      return state.hasToldOfThreads
    }
    guard isLate else { return }
    tell(
      "Foundation starts '\(operation.displayName)' late, although a slot is free: bodies that block "
        + "hold the threads of its pool, which grows by about one a second")
  }

  private func noteRoom() {
    guard let queue = state.withLock({ $0.queue }) else { return }
    let width = queue.maxConcurrentOperationCount
    let hasRoom = !queue.isSuspended && (width < 0 || queue.executingOperationCount < width)
    state.withLock { $0.roomSince = hasRoom ? $0.roomSince ?? .now : nil }
    lookAtPool()
  }

  /// The process has ended: so do its operations.
  private func end() {
    let (old, queue) = state.withLock { state in
      let old = state
      state.input = -1
      state.tokens = []
      state.operations = [:]
      return (old, state.queue)
    }
    guard old.input >= 0 else { return }
    defer { ending.signal() }
    close(old.input)
    var status: Int32 = 0
    while waitpid(old.process, &status, 0) < 0, errno == EINTR {}
    let signal = opsh_exit_signal(status)
    let cause = signal == 0 ? "" : " (\(String(cString: strsignal(signal))))"
    let words = old.printed.last.map { ": \($0)" } ?? ""
    let text = "the process of queue '\(name)' has ended\(cause)\(words)"
    if !old.isStopped { tell(text) }
    let failure = OperationFailure(.foundationEnded, text)
    let operations = old.operations.values.sorted { $0.id < $1.id }
    queue?.poolHolders = []
    let error = OperationError.queueEnded(code: failure.code, message: failure.message)
    for operation in operations where queue?.end(operation, with: error) != true {
      operation.fail(failure)
    }
  }

  /// Reads lines on a thread of its own, and closes the descriptor at the end; the last call has nil.
  private static func readLines(
    of descriptor: Int32, _ handler: @escaping @Sendable (String?) -> Void
  ) {
    let thread = Thread {
      guard let file = fdopen(descriptor, "r") else { return handler(nil) }
      var buffer: UnsafeMutablePointer<CChar>?
      var capacity = 0
      while getline(&buffer, &capacity, file) > 0, let buffer {
        handler(String(cString: buffer).trimmingCharacters(in: .newlines))
      }
      free(buffer)
      fclose(file)
      handler(nil)
    }
    thread.name = ThreadName.foundation
    thread.start()
  }
}

extension ErrorPage {
  package static let foundationEnded = ErrorPage(
    "foundation-ended", "The process of a queue of Foundation has ended",
    "Foundation ended it because of a mistake that the message names, or 'queue remove' did.",
    help: "'queue remove NAME' and 'queue new NAME --engine foundation' start another one",
    wrong: "queue new raw --engine foundation\n"
      + "async a --finish before-start --queue raw { echo hi }\nwait",
    right: "queue new raw --engine foundation\nasync a --queue raw { finish a }\nwait",
    proof: .running)
}
