import CommandParts
import Foundation
import Operations
import OpshProcesses
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls
import OpshTerminal

/// Runs scripts and transcripts as tests: `opsh --test FILE…`.
///
/// Each file runs in its own process, as many at a time as there are processors, so that a crash or
/// hang does not affect the others.
public enum TestRun: Sendable {
  /// The options of the command line.
  public struct Options: Sendable {
    /// The file for JUnit XML.
    public var junitFile: String?
    /// Whether differing transcripts are rewritten.
    public var isUpdating = false
    /// The time limit of one file, as `--test-timeout` takes it; nil for the default.
    public var testTimeout: String?
    /// The time limit of the whole run, as `--timeout` takes it; nil for no limit.
    public var timeout: String?
    /// Options that are passed to the runs.
    public var passedOn: [String] = []

    /// Creates the default options.
    public init() {}
  }

  /// Runs the files and reports on standard output.
  ///
  /// - Parameters:
  ///   - arguments: Files, and folders that contain them.
  ///   - options: The options.
  /// - Returns: The exit status: 1 if one failed, 2 if one can't be read or parsed, 124 if the time
  ///   limit of the run was exceeded.
  public static func run(_ arguments: [String], _ options: Options) -> Int32 {
    var junit: FileSink?
    do {
      junit = try options.junitFile.map { path in
        try FileSink(path: path, shown: path, isAppending: false, mode: 0o600)
      }
      let status = try TestSupervisor(TestCase.all(arguments), options).run(junit: &junit)
      try junit?.close()
      return status
    } catch let error as UnplacedError {
      ProcessSetup.complain("error: \(error.message) [\(error.code)]")
    } catch let end as SessionEnd {
      junit?.abandon()
      switch end.cause {
      case .signal(let number): return 128 + number
      case .timeout: return SessionEnd.timeoutStatus
      case .quit, .refused, .outputLost: return 128 + SIGPIPE
      }
    } catch {
      ProcessSetup.complain("error: \(error)")
    }
    return 1
  }
}

/// Starts the processes of a test run and collects their results.
final class TestSupervisor {
  private let cases: [TestCase]
  private let options: TestRun.Options
  private let engine = OperationEngine(logCapacity: 10_000)
  private let monitor = ProcessMonitor()
  private let queue: InspectableQueue
  private let wakeUp: WakeUp
  private let signals: SignalReader
  private let folder: String
  private let ending: RunEnding
  private let output: StreamWriter
  private let errors: StreamWriter

  init(_ cases: [TestCase], _ options: TestRun.Options) throws {
    self.cases = cases
    self.options = options
    let ending = RunEnding()
    self.ending = ending
    output = StreamWriter(stream: STDOUT_FILENO, ending: ending)
    errors = StreamWriter(stream: STDERR_FILENO, ending: ending)
    queue = InspectableQueue(
      name: "tests",
      maxConcurrentOperationCount: max(1, ProcessInfo.processInfo.activeProcessorCount),
      engine: engine)
    let wakeUp = try WakeUp()
    self.wakeUp = wakeUp
    signals = try SignalReader()
    folder = NSTemporaryDirectory() + "opsh-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    engine.log.setWakeUp { wakeUp.signal() }
  }

  deinit {
    engine.log.setWakeUp(nil)
    monitor.shutDown()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// - Throws: `SessionEnd` after a signal, if standard output can't be written any more, or if a
  ///   full pipe blocks it at the time limit.
  func run(junit: inout FileSink?) throws -> Int32 {
    let start = ContinuousClock.now
    let deadline = options.timeout.flatMap(Self.duration).map { start + $0 }
    ending.set(limit: deadline)
    let runs = try cases.enumerated().map { index, test in
      TestProcess(test, operation: try launch(test, index), resultFile: resultFile(index))
    }
    defer { end(runs) }
    try write(["TAP version 14", "1..\(cases.count)"])
    var outcomes: [TestOutcome] = []
    var cursor = 0
    while outcomes.count < runs.count {
      wakeUp.drain()
      // The next entry wakes a reader that has caught up.
      cursor = engine.log.entries(from: cursor, limit: 10_000).next
      try endAtSignal()
      let run = runs[outcomes.count]
      let left = deadline.map { max($0 - .now, .zero) }
      guard run.hasEnded || left == .zero else {
        _ = try Poller.wait(
          fileDescriptors: [wakeUp.fileDescriptor, signals.fileDescriptor], timeout: left)
        continue
      }
      let outcome =
        run.hasEnded ? run.outcome(isUpdating: options.isUpdating) : run.outcomeOfEndedRun
      outcomes.append(outcome)
      try write(TestReport.tap(outcome, number: outcomes.count))
    }
    junit?.write(TestReport.junit(outcomes, time: .now - start), ending: ending)
    try endIfDiscarded()
    try summarize(outcomes)
    let status = outcomes.map(\.status).max() ?? 0
    return runs.allSatisfy(\.hasEnded) ? status : max(status, SessionEnd.timeoutStatus)
  }

  /// The time that an ended run has for ending its programs.
  private static let grace = Duration.seconds(1)

  /// Ends the remaining runs together with their programs, which would survive if the run were
  /// killed.
  private func end(_ runs: [TestProcess]) {
    queue.cancelAllOperations()
    let deadline = ContinuousClock.now + Self.grace
    while !runs.allSatisfy(\.hasEnded), ContinuousClock.now < deadline { usleep(20_000) }
  }

  private static func duration(_ text: String) -> Duration? {
    var configuration = SessionConfiguration()
    return configuration.setTimeout(text) ? configuration.timeout : nil
  }

  private func launch(_ test: TestCase, _ index: Int) throws -> ProcessOperation? {
    var words = [Self.ownPath, "--no-rc", "--no-history", "--color", "never", "--real-timeout"]
    let limit = options.testTimeout ?? "60s"
    words += ["--timeout", limit] + options.passedOn
    if !options.passedOn.contains("--data") { words += ["--data", folder + "/data-\(index)"] }
    switch test.content {
    case .unusable: return nil
    case .script: words += ["--", test.path]
    case .transcript:
      if options.isUpdating { words.append("--update") }
      words += ["--run-transcript", resultFile(index), "--", test.path]
    }
    let operation = ProcessOperation(
      name: "test-\(index + 1)", engine: engine, words: words,
      place: ProgramPlace(environment: ProcessEnvironment.variables()), grace: Self.grace,
      monitor: monitor,
      printed: {})
    // It ends itself in time, unless it hangs.
    operation.timeLimit = Self.duration(limit).map { $0 + .seconds(5) }
    try queue.addOperation(operation)
    return operation
  }

  private func resultFile(_ index: Int) -> String { folder + "/result-\(index)" }

  /// The running executable, even if its file has been replaced meanwhile.
  private static var ownPath: String {
    let link = "/proc/self/exe"
    return access(link, X_OK) == 0 ? link : ProcessSetup.words[0]
  }

  private func endAtSignal() throws {
    for signal in signals.read() {
      switch signal {
      case .interrupt, .terminate, .hangUp, .quit, .alarm, .user1, .user2:
        throw SessionEnd(cause: .signal(signal.number))
      case .stop: SignalMask.stopProcess()
      case .windowChange, .resume: break
      }
    }
  }

  private func write(_ lines: [String]) throws {
    let error = output.write(lines.map { $0 + "\n" }.joined())
    try endIfDiscarded()
    if error == EPIPE { throw SessionEnd(cause: .outputLost(error)) }
    if error != 0 { throw UnplacedError.file("standard output", error) }
  }

  /// Ends a run for which a full pipe did not take everything.
  private func endIfDiscarded() throws {
    guard ending.hasDiscarded else { return }
    try endAtSignal()
    throw SessionEnd(cause: .timeout)
  }

  private func summarize(_ outcomes: [TestOutcome]) throws {
    let parts = [
      ("passed", TestOutcome.Verdict.passed), ("updated", .updated), ("failed", .failed),
      ("could not be run", .unusable),
    ].compactMap { word, verdict in
      let count = outcomes.count { $0.verdict == verdict }
      return count > 0 ? "\(count) \(word)" : nil
    }
    let text = parts.isEmpty ? "no tests" : parts.joined(separator: ", ")
    _ = errors.write("opsh: \(text)\n")
    try endIfDiscarded()
  }
}

@available(*, unavailable)
extension TestSupervisor: Sendable {}
