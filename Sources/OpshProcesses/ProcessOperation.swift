import COpshSystem
import Foundation
import OpshLocking
import OpshNetworking
package import Operations
package import ShellLanguage
import OpshSupport

/// Runs a program, and ends when the program does.
///
/// It occupies no thread. Cancelling requests that the program and its descendants end, and kills
/// them after a grace period; the operation ends when they have ended.
package final class ProcessOperation: ConcurrentOperation<ProcessOutput>, @unchecked Sendable {
  // @unchecked because its mutable state is in `running`, and the rest is constant.

  private struct Running {
    var process: pid_t?
    /// Whether it was cancelled.
    var isInterrupted = false
    var output = TailBuffer(limit: ProcessOutput.limit)
    var errors = TailBuffer(limit: ProcessOutput.limit)
    var status: Int32 = -1
    var started: ContinuousClock.Instant?
    /// How long it ran; nil before its end.
    var time: Duration?
  }

  /// The program and its arguments.
  package let words: [String]
  /// The time between asking the program to end and killing it.
  package let grace: Duration
  private let place: ProgramPlace
  private let monitor: ProcessMonitor
  private let printed: @Sendable () -> Void
  private let running = Locked(Running())

  /// - Parameters:
  ///   - name: Its name.
  ///   - engine: Its engine, the one of its queue.
  ///   - words: The program and its arguments.
  ///   - place: The program's environment and working directory.
  ///   - grace: The time between asking the program to end and killing it.
  ///   - monitor: Monitors the program.
  ///   - printed: Called on the monitor's thread after new output.
  package init(
    name: String?, engine: OperationEngine, words: [String], place: ProgramPlace,
    grace: Duration, monitor: ProcessMonitor, printed: @escaping @Sendable () -> Void
  ) {
    self.words = words
    self.place = place
    self.grace = grace
    self.monitor = monitor
    self.printed = printed
    super.init(name: name, kind: "run", engine: engine)
  }

  /// The output so far.
  package var output: ProcessOutput {
    running.withLock { running in
      ProcessOutput(
        output: running.output.tail, errors: running.errors.tail,
        omitted: running.output.omitted + running.errors.omitted, status: running.status)
    }
  }

  /// The number of bytes it has printed.
  package var outputCount: Int { running.withLock { $0.output.count + $0.errors.count } }

  /// The process id of the running program.
  package var process: Int32? { running.withLock { $0.process } }

  /// Returns the output of a stream from a position on.
  package func read(
    isError: Bool, from position: Int
  ) -> (bytes: [UInt8], next: Int, missed: Int) {
    running.withLock { (isError ? $0.errors : $0.output).read(from: position) }
  }

  package override func execute() {
    if running.withLock({ $0.isInterrupted }) {
      finish(.failure(OperationError.cancelled))
      return
    }
    let child: ChildStart.Child
    do throws(UnplacedError) {
      child = try ChildStart.spawn(words, in: place)
    } catch {
      finish(.failure(error))
      return
    }
    running.withLock { running in
      running.process = child.process
      running.started = running.started ?? engine.now
      running.status = -1
    }
    let refusal = monitor.add(
      child,
      ProcessMonitor.Handlers(
        printed: { [self] bytes, isError in take(bytes, isError: isError) },
        ended: { [self] status in ended(status) }))
    if let refusal {
      running.withLock { $0.process = nil }
      finish(.failure(UnplacedError.start(words.first ?? "", refusal)))
      return
    }
    // A request to end that came before the program was monitored had no effect; a second one has
    // none.
    if running.withLock({ $0.isInterrupted }) { monitor.interrupt(child.process, grace: grace) }
  }

  package override func cancelExecution() {
    let process = running.withLock { running in
      running.isInterrupted = true
      return running.process
    }
    if let process { monitor.interrupt(process, grace: grace) }
  }

  /// True: the program has to end first.
  package override var endsAfterInterruption: Bool { true }

  package override var outcomeSummary: String? {
    // Not the result, which is gone after the value was dropped.
    let (isMade, error) = decision
    guard isMade, error == nil else { return nil }
    return running.withLock { running in
      let time = running.time.map { DurationText($0).description }
      let bytes = ByteCount(running.output.count + running.errors.count).description
      return ["printed \(bytes)", time].compactMap(\.self).joined(separator: ", ")
    }
  }

  package override func releaseValue() {
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
      running.time = running.started.map { engine.now - $0 }
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
      return OperationFailure(.signal.with(signal), "'\(program)' was ended by signal \(signal)")
    }
    // The last line is most often the reason.
    let last =
      String(decoding: running.withLock { $0.errors.tail.suffix(4096) }, as: UTF8.self)
      .split(whereSeparator: \.isNewline).last.map { ": \(printable(String($0)))" } ?? ""
    return OperationFailure(
      .exitStatus.with(status), "'\(program)' ended with status \(status)\(last)")
  }
}

extension ErrorPage {
  package static let exitStatus = ErrorPage(
    "exit-status", "A program ended with a status other than 0",
    "It stands in parentheses: exit-status(3). The program's own output says why.",
    wrong: "run false\nwait --any-outcome\nops | false", right: "run true\nwait", proof: .running)

  package static let signal = ErrorPage(
    "signal", "A signal ended the program",
    "Its number stands in parentheses: signal(9). 'cancel' ends a program by a signal, too.",
    wrong: "(a program that crashed)", right: "run true\nwait")
}

extension UnplacedError {
  /// The error of a program that ended with another status than 0.
  package static func status(_ program: String, _ status: Int32) -> UnplacedError {
    UnplacedError(
      .exitStatus.with(status), "'\(program)' ended with status \(status)")
  }
}

extension OperationFailure {
  /// Creates a failure with the code of a page.
  package init(_ page: ErrorPage, _ message: String) {
    self.init(code: page.code, message: message)
  }
}
