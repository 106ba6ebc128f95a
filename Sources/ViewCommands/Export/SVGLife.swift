import CommandParts
import Operations
import OpshSupport
import ShellSession

/// The life of one operation as a picture: SVG 1.1, 1600 by 900, without scripts and references.
///
/// At the left is the drawing of `diagram`, with reasons and key-value notifications, at the right what
/// the time went to and which operations it is owed to, and below both a bar of it.
struct SVGLife {
  private static let barHeight = 46.0
  private static let greatestPitch = 58.0
  /// Lower rows could not be read from a distance.
  private static let leastPitch = 21.0
  private static let timeRight = 148.0
  private static let lineX = 176.0
  private static let stateX = 204.0
  private static let reasonX = 352.0
  /// Where the right half begins.
  private static let middle = 1_010.0
  private static let gap = 30.0

  private let session: ExportedSession
  private let row: ExportedSession.Row
  private var svg: SVGBuilder

  /// - Parameters:
  ///   - row: The operation.
  ///   - steps: Its life, with secrets masked.
  ///   - session: The session, for the names of others and the times.
  ///   - title: What stands after the name of the operation; nil for nothing.
  ///   - theme: The colours.
  init(
    of row: ExportedSession.Row, _ steps: [LifeCycle.Step], in session: ExportedSession,
    title: String? = nil, theme: SVGTheme = .light
  ) {
    (self.row, self.session) = (row, session)
    svg = SVGBuilder(theme)
    let total = row.phases.reduce(Duration.zero) { $0 + $1.duration }
    let name = session.label(of: row)
    let ending = row.error ?? row.note
    svg.describe(
      title: "opsh: the life of \(name)",
      row.phases.map { "\($0.cause.look.words) \(DurationText($0.duration))" }.joined(
        separator: ", ")
        + "; \(ending)")
    let place = row.queue.map { "on queue \($0)" } ?? "on no queue"
    let told = "\(row.kind), \(place): \(DurationText(total)), \(ending)"
    let top = svg.head(title.map { "\(name) · \($0)" } ?? name, told) + 40
    let bottom = SVGBuilder.size.height - Self.barHeight - 66
    addLife(steps, from: top, to: bottom)
    addPhases(from: top, to: bottom)
    addBar(total, y: SVGBuilder.size.height - Self.barHeight - 36)
  }

  var text: String { svg.text }
  /// The texts and where they stand.
  var labels: [SVGBuilder.Label] { svg.labels }

  // MARK: The life

  /// A step of the life as a row of the picture; several where its text is long.
  private struct Line {
    /// Nil for a row that goes on with the text of the one above.
    var step: LifeCycle.Step?
    var text: String

    var isState: Bool {
      switch step {
      case .state, .unreached: true
      case .note, .wire, nil: false
      }
    }
  }

  private mutating func addLife(_ steps: [LifeCycle.Step], from top: Double, to bottom: Double) {
    let most = Int((bottom - top) / Self.leastPitch)
    let size = steps.count * 2 > most ? 14.0 : steps.count > 12 ? 17.0 : 20.0
    var lines = steps.flatMap { self.lines(of: $0, size: size) }
    if lines.count > most {
      // Of a long life the beginning and the end.
      let left = lines.count - most + 1
      lines.replaceSubrange(
        most / 2..<(most / 2 + left), with: [Line(step: nil, text: "… \(left) lines more …")])
    }
    // A line that goes on is near the one above it.
    let rest = size * 1.3
    let count = lines.count { $0.step != nil }
    let room = bottom - top - rest * Double(lines.count - count)
    let pitch = min(Self.greatestPitch, room / Double(max(1, count)))
    var y = top - pitch / 2
    let ys = lines.map { line in
      y += line.step == nil ? rest : pitch
      return y
    }
    let states = lines.indices.filter { lines[$0].isState }
    if let first = states.first, let last = states.last {
      svg.line(
        Self.lineX, ys[first], Self.lineX, ys[last], color: svg.theme.line, width: 2)
    }
    for (line, y) in zip(lines, ys) { add(line, y: y, size: size) }
  }

  private func lines(of step: LifeCycle.Step, size: Double) -> [Line] {
    let text: String
    var x = Self.reasonX
    switch step {
    case .state(_, _, let reason, let outcome):
      text = (outcome.map { $0.mark + " " } ?? "") + reason
    case .unreached: text = "not reached"
    case .note(_, _, let reason): text = reason
    case .wire(let time, let lasts, let changes):
      text = LifeCycle.Step.words(of: time, lasts: lasts, changes).joined(separator: ", ")
      x = Self.stateX
    }
    let pieces = SVGText.lines(text, room: Self.middle - Self.gap - x, size: size, most: 3)
    return pieces.enumerated().map { Line(step: $0 == 0 ? step : nil, text: $1) }
  }

  private mutating func add(_ line: Line, y: Double, size: Double) {
    let theme = svg.theme
    let base = y + size * 0.36
    func addTime(_ time: ContinuousClock.Instant?) {
      guard let time else { return }
      svg.text(
        seconds(time), x: Self.timeRight, y: base, size: size, color: theme.soft, anchor: .end)
    }
    guard let step = line.step else {
      svg.text(line.text, x: Self.reasonX, y: base, size: size)
      return
    }
    switch step {
    case .state(let state, let time, _, let outcome):
      addTime(time)
      let tone = row.tone(theme)
      let isEnd = outcome != nil
      svg.circle(
        Self.lineX, y, radius: 8, fill: isEnd ? tone.line : theme.ink,
        stroke: isEnd ? tone.line : theme.ink)
      svg.text(state.rawValue, x: Self.stateX, y: base, size: size, isBold: true)
      svg.text(
        line.text, x: Self.reasonX, y: base, size: size, color: isEnd ? tone.line : theme.ink)
    case .unreached(let state):
      svg.circle(Self.lineX, y, radius: 8, fill: theme.ground, stroke: theme.line)
      svg.text(state.rawValue, x: Self.stateX, y: base, size: size, color: theme.soft)
      svg.text(line.text, x: Self.reasonX, y: base, size: size, color: theme.soft)
    case .note(let name, let time, _):
      addTime(time)
      svg.line(Self.lineX, y, Self.stateX - 8, y, color: theme.line, width: 2)
      svg.text(
        name, x: Self.stateX, y: base, size: size, isBold: true,
        color: svg.color(of: .queuePaused))
      svg.text(line.text, x: Self.reasonX, y: base, size: size)
    case .wire:
      svg.text(line.text, x: Self.stateX, y: base, size: size, color: theme.soft)
    }
  }

  // MARK: Phases

  /// A line for each phase: its pattern, when it began, how long it was, and what caused it.
  private mutating func addPhases(from top: Double, to bottom: Double) {
    let size = 16.0
    let names = session.rowsByID
    let phases = row.phases.filter(\.takesTime)
    guard !phases.isEmpty else { return }
    svg.text("what the time went to", x: Self.middle, y: top + 6, size: 17, isBold: true)
    let pitch = min(38, max(Self.leastPitch, (bottom - top - 30) / Double(phases.count)))
    let most = Int((bottom - top - 30) / pitch)
    let shown = phases.count > most ? phases.prefix(most - 1) : phases[...]
    for (index, phase) in shown.enumerated() {
      let y = top + 30 + (Double(index) + 0.5) * pitch
      let fill = svg.paint(phase.cause)
      svg.rectangle(
        .init(x: Self.middle, y: y - 13, width: 28, height: 17), fill: fill,
        stroke: svg.theme.faint)
      let duration = DurationText(phase.duration).description
      svg.text(duration, x: Self.middle + 128, y: y, size: size, anchor: .end)
      let other = phase.culprit.flatMap { names[$0] }.map { ": \(session.label(of: $0))" } ?? ""
      let room = SVGBuilder.size.width - SVGBuilder.margin - Self.middle - 144
      svg.text(
        SVGText.truncated(phase.cause.look.words + other, to: room, size: size),
        x: Self.middle + 144, y: y, size: size)
    }
    guard phases.count > shown.count else { return }
    svg.text(
      "and \(phases.count - shown.count) more", x: Self.middle + 144,
      y: top + 30 + (Double(shown.count) + 0.5) * pitch, size: size, color: svg.theme.soft)
  }

  private mutating func addBar(_ total: Duration, y: Double) {
    guard let first = row.phases.first, let last = row.phases.last, total > .zero else { return }
    let width = SVGBuilder.size.width - 2 * SVGBuilder.margin
    for phase in row.phases where phase.takesTime {
      let fill = svg.paint(phase.cause)
      svg.rectangle(
        .init(
          x: SVGBuilder.margin + width * ((phase.start - first.start) / total), y: y,
          width: max(1, width * (phase.duration / total)), height: Self.barHeight), fill: fill,
        stroke: svg.theme.ground,
        title: "\(phase.cause.look.words): \(DurationText(phase.duration))")
    }
    let base = y + Self.barHeight + 20
    svg.text(
      seconds(first.start) + " s", x: SVGBuilder.margin, y: base, size: 15, color: svg.theme.soft)
    svg.text(
      seconds(last.end) + " s", x: SVGBuilder.size.width - SVGBuilder.margin, y: base, size: 15,
      color: svg.theme.soft, anchor: .end)
  }

  private func seconds(_ instant: ContinuousClock.Instant) -> String {
    String(TransitionText.time(session.seconds(instant)).drop { $0 == " " })
  }
}
