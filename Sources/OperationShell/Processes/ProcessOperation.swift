import CSystem
import Foundation
import Locking
import Networking
import Operations
import ShellLanguage

/// Runs a program, and ends when it does.
///
/// No thread is held meanwhile. Cancelling asks the program, and what it has started, to end, and
/// makes them after a grace; the operation ends when they have.
final class ProcessOperation: ConcurrentOperation<ProcessOutput>, @unchecked Sendable {
  // @unchecked because what changes is in `running`, and the rest is constant.

  private struct Running {
    var process: pid_t?
    /// Asked to end before it was there.
    var isInterrupted = false
    var output = TailBuffer(limit: ProcessOutput.limit)
    var errors = TailBuffer(limit: ProcessOutput.limit)
    var status: Int32 = -1
    var started: ContinuousClock.Instant?
    /// How long it ran; nil before it has ended.
    var time: Duration?
  }

  /// The program and its arguments.
  let words: [String]
  /// How long it may take to end when it is asked to.
  let grace: Duration
  private let environment: [String: String]
  private let monitor: ProcessMonitor
  private let printed: @Sendable () -> Void
  private let running = Locked(Running())

  /// - Parameters:
  ///   - name: Its name.
  ///   - log: The log of its transitions.
  ///   - words: The program and its arguments.
  ///   - environment: What the program finds in its environment.
  ///   - grace: How long it may take to end when it is asked to.
  ///   - monitor: Looks after the program.
  ///   - printed: Is told, on the monitor's thread, that there is more output.
  init(
    name: String?, log: EventLog, words: [String], environment: [String: String],
    grace: Duration, monitor: ProcessMonitor, printed: @escaping @Sendable () -> Void
  ) {
    self.words = words
    self.environment = environment
    self.grace = grace
    self.monitor = monitor
    self.printed = printed
    super.init(name: name, kind: "run", log: log)
  }

  /// What it has printed up to now.
  var output: ProcessOutput {
    running.withLock { running in
      ProcessOutput(
        output: running.output.tail, errors: running.errors.tail,
        omitted: running.output.omitted + running.errors.omitted, status: running.status)
    }
  }

  /// How many bytes it has printed.
  var outputCount: Int { running.withLock { $0.output.count + $0.errors.count } }

  /// The number of the running program.
  var process: pid_t? { running.withLock { $0.process } }

  /// What came on a stream from a position on.
  func read(
    isError: Bool, from position: Int
  ) -> (bytes: [UInt8], next: Int, missed: Int) {
    running.withLock { (isError ? $0.errors : $0.output).read(from: position) }
  }

  override func execute() {
    let child: ChildStart.Child
    do throws(ChildStart.Failure) {
      child = try ChildStart.spawn(words, environment: environment)
    } catch {
      finish(.failure(error))
      return
    }
    let isInterrupted = running.withLock { running in
      running.process = child.process
      running.started = running.started ?? .now
      running.status = -1
      return running.isInterrupted
    }
    monitor.add(
      child,
      ProcessMonitor.Handlers(
        printed: { [self] bytes, isError in take(bytes, isError: isError) },
        ended: { [self] status in ended(status) }))
    if isInterrupted { monitor.interrupt(child.process, grace: grace) }
  }

  override func cancelExecution() {
    let process = running.withLock { running in
      running.isInterrupted = true
      return running.process
    }
    if let process { monitor.interrupt(process, grace: grace) }
  }

  /// True: the program has yet to end.
  override var endsAfterInterruption: Bool { true }

  override var outcomeSummary: String? {
    // Not the result, which is gone once the value was dropped.
    let (isMade, error) = decision
    guard isMade, error == nil else { return nil }
    return running.withLock { running in
      let time = running.time.map { DurationText($0).description }
      let bytes = ByteCount(running.output.count + running.errors.count).description
      return ["printed \(bytes)", time].compactMap(\.self).joined(separator: ", ")
    }
  }

  override func releaseValue() {
    super.releaseValue()
    running.withLock { running in
      running.output.clear()
      running.errors.clear()
    }
  }

  private func take(_ bytes: ArraySlice<UInt8>, isError: Bool) {
    running.withLock { running in
      if isError { running.errors.append(bytes) } else { running.output.append(bytes) }
    }
    printed()
  }

  private func ended(_ status: Int32) {
    let signal = opsh_exit_signal(status)
    let code = opsh_exit_status(status)
    running.withLock { running in
      running.process = nil
      running.status = code
      running.time = running.started.map { .now - $0 }
    }
    if signal == 0, code == 0 {
      finish(.success(output))
    } else {
      finish(.failure(failure(status: code, signal: signal)))
    }
  }

  private func failure(status: Int32, signal: Int32) -> OperationFailure {
    let program = words.first ?? ""
    guard signal == 0 else {
      return OperationFailure(
        code: "signal(\(signal))", message: "'\(program)' was ended by signal \(signal)")
    }
    // The last thing it said is most often the reason.
    let last =
      String(decoding: running.withLock { $0.errors.tail.suffix(4096) }, as: UTF8.self)
      .split(whereSeparator: \.isNewline).last.map { ": \(printable(String($0)))" } ?? ""
    return OperationFailure(
      code: "exit-status(\(status))", message: "'\(program)' ended with status \(status)\(last)")
  }
}
