import Foundation
import OpshLocking
import OpshNetworking
import ShellCommands
import ShellLanguage
import ShellOutput
import ShellSession
import SteerCommands
import OpshTerminal
import OpshTranscripts

/// Runs the lines of a transcript in a session, as a user would type them: each line after the
/// output of the one before is complete.
final class TranscriptRunner {
  /// The result of one step.
  struct Result: Sendable {
    let index: Int
    let isMatched: Bool
    let lines: [TranscriptLine]
    /// The prompt at which it was typed.
    let prompt: String
    /// A remark: that the session ended, or the time limit was exceeded.
    var remark: String?
  }

  private let shell: Shell
  private let transcript: Transcript
  /// Whether differences are written to the file, so that the complete output of a step is needed.
  private let isUpdating: Bool
  private let captured = Locked<[TranscriptLine]>([])
  private let report: (Result) -> Void

  /// How long to wait for more output after a difference.
  private static let patience = Duration.seconds(2)

  init(
    _ transcript: Transcript, shell: Shell, isUpdating: Bool,
    report: @escaping (Result) -> Void
  ) {
    self.transcript = transcript
    self.shell = shell
    self.isUpdating = isUpdating
    self.report = report
  }

  private var session: Session { shell.session }

  /// Runs all steps.
  ///
  /// - Throws: What ends the session, after the step was reported.
  func run() throws {
    session.screen.state.withLock {
      $0.typing = .transcript(ofScript: transcript.isOfScript)
    }
    session.screen.output.setTap(isSilent: true) { [captured] line in
      let lines = line.plain.split(separator: "\n", omittingEmptySubsequences: false)
      captured.withLock { $0 += lines.map { TranscriptLine(String($0)) } }
    }
    defer { session.screen.output.setTap(isSilent: false, nil) }
    for (index, step) in transcript.steps.enumerated() {
      let isLast = index == transcript.steps.count - 1
      do {
        try run(step, index, isLast: isLast)
      } catch let end as SessionEnd {
        try finish(step, index, isLast: isLast, because: end)
        return
      }
    }
  }

  private func run(_ step: Transcript.Step, _ index: Int, isLast: Bool) throws {
    let prompt = session.run.promptText().plain
    let expected = step.output.map(TranscriptLine.init)
    try shell.runAtPrompt(Parser.parse(SourceText(name: SourceText.promptName, text: step.input)))
    let synchronous = captured.withLock { $0 }
    var match = TranscriptMatch(synchronous, expected)
    var count = synchronous.count
    if match == .beginning, passesTime(isLast: isLast) {
      _ = try session.run.wait(isStuck: { self.session.run.isAtRest() }) {
        let lines = captured.withLock { $0 }
        if lines.count != count {
          count = lines.count
          match = TranscriptMatch(lines, expected)
        }
        return match != .beginning
      }
    }
    if isUpdating, expected.isEmpty, !synchronous.allSatisfy(\.isBlank) { match = .different }
    if isLast, case .whole(let rest) = match, !rest.isEmpty, synchronous.count == count {
      // They came while the last line ran, and there is no later line to which they could belong.
      match = .different
    }
    if case .whole(let rest) = match {
      if expected.last?.isAnything == true { try settle(isLast: isLast) }
      let lines = captured.withLock { lines in
        let all = lines
        lines = expected.last?.isAnything == true ? [] : rest + all.dropFirst(count)
        return all
      }
      report(Result(index: index, isMatched: true, lines: lines, prompt: prompt))
      return
    }
    try settle(isLast: isLast)
    report(Result(index: index, isMatched: false, lines: takeAll(), prompt: prompt))
  }

  /// Whether a line that has run may still produce output.
  ///
  /// On the virtual clock no time passes at the prompt, so later output belongs to a later line,
  /// and a line that differs must not affect later ones.
  private func passesTime(isLast: Bool) -> Bool { isLast || !session.run.mode.isRepeatable }

  /// Waits until no more events can happen, or none has happened for a while.
  private func settle(isLast: Bool) throws {
    guard passesTime(isLast: isLast) else { return session.screen.feed.drain() }
    let deadline = ContinuousClock.now + Self.patience
    _ = try session.run.wait(until: deadline, isStuck: { self.session.run.isAtRest() }) { false }
  }

  private func takeAll() -> [TranscriptLine] {
    captured.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  /// Whether the session has ended in a step.
  private func finish(
    _ step: Transcript.Step, _ index: Int, isLast: Bool, because end: SessionEnd
  ) throws {
    // Operations left unfinished by the last line are awaited, as at the prompt.
    if isLast, case .quit = end.cause { shell.leave(because: end) }
    session.screen.feed.drain()
    let lines = takeAll()
    var remark: String?
    var isMatched = false
    if case .whole = TranscriptMatch(lines, step.output.map(TranscriptLine.init)) {
      isMatched = true
    }
    switch end.cause {
    case .quit:
      if !isLast {
        isMatched = false
        remark = "the session ended here, and lines follow"
      }
    case .timeout:
      isMatched = false
      remark = "the time was over here"
    default:
      isMatched = false
      remark = "the session was ended here"
    }
    report(
      Result(
        index: index, isMatched: isMatched, lines: lines, prompt: session.run.promptText().plain,
        remark: remark))
    if case .quit = end.cause { return }
    throw end
  }
}

@available(*, unavailable)
extension TranscriptRunner: Sendable {}

extension TranscriptRunner.Result {
  /// The result as one line for the parent process.
  var json: JSONValue {
    JSONValue.members([
      "index": .number(index), "matched": .boolean(isMatched), "prompt": .string(prompt),
      "lines": .array(lines.map { .string($0.text) }), "remark": .optional(remark),
    ])
  }

  /// Parses the line of another process.
  init?(_ json: JSONValue) {
    guard case .object(let members) = json else { return nil }
    func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
    guard case .integer(let index)? = value("index"),
      case .boolean(let isMatched)? = value("matched"),
      case .string(let prompt)? = value("prompt"), case .array(let lines)? = value("lines")
    else { return nil }
    self.index = Int(index)
    self.isMatched = isMatched
    self.prompt = prompt
    self.lines = lines.compactMap {
      if case .string(let text) = $0 { TranscriptLine(text) } else { nil }
    }
    if case .string(let text)? = value("remark") { remark = text } else { remark = nil }
  }
}
