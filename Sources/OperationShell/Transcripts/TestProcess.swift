import Foundation
import OpshNetworking
import Operations
import OpshProcesses
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTranscripts

/// The process that runs one file, and its result.
struct TestProcess {
  private let test: TestCase
  private let operation: ProcessOperation?
  private let resultFile: String

  /// How many of the last lines of output are shown for a failed script.
  private static let tailLength = 40

  init(_ test: TestCase, operation: ProcessOperation?, resultFile: String) {
    self.test = test
    self.operation = operation
    self.resultFile = resultFile
  }

  var hasEnded: Bool { operation?.state ?? .finished == .finished }

  func outcome(isUpdating: Bool) -> TestOutcome {
    var outcome = TestOutcome(path: test.path, verdict: .passed)
    if let times = operation?.timestamps, let start = times.executing, let end = times.finished {
      outcome.time = end - start
    }
    switch test.content {
    case .unusable(let message):
      outcome.verdict = .unusable
      outcome.message = message
    case .script: judgeScript(&outcome)
    case .transcript(let transcript, let text):
      judge(transcript, text, isUpdating: isUpdating, &outcome)
    }
    return outcome
  }

  /// The result of a file that has not ended at the time limit of the whole run.
  var outcomeOfEndedRun: TestOutcome {
    TestOutcome(
      path: test.path, verdict: .failed, message: "--timeout ended the run before it had ended")
  }

  private var failure: OperationFailure? { operation?.outcome?.failure }

  private func judgeScript(_ outcome: inout TestOutcome) {
    guard let failure else {
      outcome.expectsNothing = test.expectsNothing
      return
    }
    outcome.verdict = failure.code == "exit-status(2)" ? .unusable : .failed
    outcome.message = Self.told(failure)
    outcome.details = printed
  }

  /// The end of the process, in words.
  private static func told(_ failure: OperationFailure) -> String {
    switch failure.code {
    case "exit-status(2)": "it is wrong, and did not run"
    case "timed-out", "exit-status(\(SessionEnd.timeoutStatus))": "it did not end in time"
    case let code where code.hasPrefix("signal("):
      "it was ended by \(code.dropLast().replacing("(", with: " "))"
    case let code where code.hasPrefix("exit-status("):
      "it ended with status \(code.dropFirst("exit-status(".count).dropLast())"
    default: "\(failure.code): \(failure.message)"
    }
  }

  /// The last lines of both streams, with the errors last.
  private var printed: [String] {
    guard let output = operation?.output else { return [] }
    func lines(_ bytes: [UInt8]) -> [String] {
      String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
        .suffix(Self.tailLength)
    }
    return lines(output.output) + lines(output.errors)
  }

  // MARK: Transcripts

  private func judge(
    _ transcript: Transcript, _ text: String, isUpdating: Bool, _ outcome: inout TestOutcome
  ) {
    let results = readResults()
    var updated = transcript
    var faults: [String] = []
    for (index, step) in transcript.steps.enumerated() {
      guard index < results.count else {
        faults.append("line \(step.line): \(failure.map(Self.told) ?? "it was not run")")
        if results.last?.remark != nil { faults.removeLast() }
        break
      }
      let result = results[index]
      guard !result.isMatched else { continue }
      faults.append("line \(step.line): \(result.remark ?? "the output differs")")
      updated.steps[index].output = step.updated(to: result.lines)
      updated.steps[index].prompt =
        result.prompt.hasSuffix(" ")
        ? String(result.prompt.dropLast()) : result.prompt
    }
    guard let first = faults.first else { return }
    outcome.verdict = .failed
    outcome.message = faults.count == 1 ? first : "\(first), and \(faults.count - 1) more"
    outcome.details = UnifiedDiff.lines(
      from: text, to: updated.text, names: (test.path, test.path + " (as it ran)"))
    if failure != nil { outcome.details += printed }
    guard isUpdating, results.count == transcript.steps.count,
      results.allSatisfy({ $0.remark == nil })
    else { return }
    do {
      let file = try FileSink(path: test.path, shown: test.path, isAppending: false)
      file.write(text: updated.text)
      try file.close()
      outcome.verdict = .updated
    } catch let error as UnplacedError {
      outcome.message = error.message
    } catch {
      outcome.message = "\(error)"
    }
  }

  private func readResults() -> [TranscriptRunner.Result] {
    let bytes = FileManager.default.contents(atPath: resultFile) ?? Data()
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? JSONValue(parsing: Array(line))).flatMap(TranscriptRunner.Result.init)
    }
  }
}
