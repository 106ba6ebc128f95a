import OpshLocking
import OpshNetworking
import Operations
import ShellOutput
import OpshSupport
import OpshTerminal

/// The line below the output that says how far a wait has come.
///
/// `12 of 40 done, 2 executing, 1 failed, 3.4/s, 1.2 MB, 8 s left`. Only a terminal shows it, and
/// only of a wait that takes some time; it is taken away at the end. It belongs to the
/// interpreter's thread.
struct ProgressLine {
  /// A wait that is shorter shows nothing.
  private static let patience = Duration.milliseconds(500)
  private static let interval = Duration.milliseconds(200)
  /// Counting takes at most this part of the time.
  private static let costLimit = 20

  private let targets: WaitTargets
  private let output: Output
  private let clock: SessionClock
  private let start: ContinuousClock.Instant
  /// What had finished at the first look, and when that was: the speed is that since then.
  private var first: (finished: Int, time: ContinuousClock.Instant)?
  /// When it is drawn next, by the system's clock.
  private var next: ContinuousClock.Instant

  /// Nil where no line is shown: without a terminal, with `--json`, on the virtual clock, and in a
  /// body.
  init?(of targets: WaitTargets, in run: Run, on screen: Screen) {
    let term = run.configuration.environment["TERM"] ?? ""
    guard run.isOnInterpreterThread, !run.mode.isRepeatable, !screen.output.isJSON,
      screen.output.terminals.contains(.standardError), !term.isEmpty, term != "dumb",
      !screen.state.withLock({ $0.prompt.isPlain })
    else { return nil }
    self.targets = targets
    output = screen.output
    clock = run.clock
    start = clock.now
    next = .now + Self.patience
  }

  /// Draws the line if it is time for it; returns when it is time again, by the system's clock.
  mutating func draw() -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    guard now >= next else { return next }
    let counts = targets.counts
    // At the end of a session it may be a body alone that is waited for.
    guard counts.all > 0 else { return now + Self.interval }
    output.setStatus(text(of: counts, at: clock.now))
    if first == nil { first = (counts.finished, clock.now) }
    let cost = ContinuousClock.now - now
    next = now + max(Self.interval, cost * Self.costLimit)
    return next
  }

  /// Takes the line away.
  func remove() { output.setStatus(nil) }

  private func text(of counts: WaitCounts, at now: ContinuousClock.Instant) -> StyledText {
    if let only = counts.only { return text(ofOnly: only, after: now - start) }
    var parts = ["\(GroupedNumber.text(counts.finished)) of \(GroupedNumber.text(counts.all)) done"]
    if counts.executing > 0 { parts.append("\(GroupedNumber.text(counts.executing)) executing") }
    var line = StyledText(parts.joined(separator: ", "))
    if counts.failed > 0 {
      line += StyledText(", ")
      line += StyledText(
        "\(GroupedNumber.text(counts.failed)) failed", style: TextStyle(color: .red))
    }
    parts = []
    let done = counts.finished - (first?.finished ?? counts.finished)
    let rate = Double(done) / (now - (first?.time ?? now)).seconds
    if done > 0 { parts.append(rate < 10 ? "\((rate * 10).rounded() / 10)/s" : "\(Int(rate))/s") }
    if counts.bytes > 0 { parts.append(ByteCount(counts.bytes).description) }
    // Few ends say little about the speed.
    if done > 1 {
      let left = Double(counts.all - counts.finished) / rate
      if left < 1e6 { parts.append("\(DurationText(age: left.rounded(.up))) left") }
    }
    return line + StyledText(parts.map { ", " + $0 }.joined(), style: .plain)
  }

  /// Of a single operation, what it does: the bytes of a transfer, or its state.
  private func text(
    ofOnly operation: ObservableOperation, after time: Duration
  ) -> StyledText {
    let name = StyledText(VisibleText.escape(operation.displayName), style: .bold)
    var parts: [String] = []
    if let pause = PauseText.text(of: operation) {
      parts.append("pauses: " + pause)
    } else if operation.state != .executing {
      let reason = operation.waitReasons().last?.text
      parts.append(operation.state.rawValue + (reason.map { ": \($0)" } ?? ""))
    } else if operation.finishWait == .phase, let phase = operation.phase {
      parts.append("paused at \(phase)")
    } else if let phase = operation.phase, phase.phase == .decoding || phase.phase == .saving {
      parts.append("\(phase)")
    } else if let metrics = operation.networkMetrics, metrics.bytesReceived > 0 {
      parts += transfer(metrics)
    } else {
      parts.append("executing for \(DurationText(age: time.seconds))")
    }
    return name + StyledText(": " + VisibleText.escape(parts.joined(separator: ", ")))
  }

  private func transfer(_ metrics: any NetworkOperationMetrics) -> [String] {
    let bytes = metrics.bytesReceived
    guard let all = metrics.bytesExpected, all > bytes else {
      return [ByteCount(bytes).description]
    }
    var parts = [
      "\(ByteCount(bytes).description) of \(ByteCount(all).description), "
        + "\(Int(Double(bytes) / Double(all) * 100)) %"
    ]
    if let rate = metrics.bytesPerSecond, rate > 0 {
      parts.append("\(ByteCount(Int(min(rate, 1e15))).description)/s")
      let left = Double(all - bytes) / rate
      if left < 1e6 { parts.append("\(DurationText(age: left.rounded(.up))) left") }
    }
    return parts
  }
}
