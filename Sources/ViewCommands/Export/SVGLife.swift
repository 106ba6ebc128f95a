import CommandParts
import Operations
import ShellSession
import OpshSupport

/// The life of one operation as a picture: SVG 1.1, 1600 by 900, without scripts and references.
///
/// At the top the states that it passed with their times, below them a bar of what the time went to,
/// and the entries of the log with the operations that the time is owed to.
struct SVGLife {
  private static let size = (width: 1600.0, height: 900.0)
  private static let margin = 60.0
  private static let stateY = 170.0
  private static let barY = 330.0
  private static let barHeight = 64.0
  private static let listY = 500.0
  private static let pitch = 25.0
  /// More would not fit below the bar.
  private static let mostPhases = 15

  let text: String

  /// - Parameters:
  ///   - row: The operation.
  ///   - session: The session, for the names of others and the times.
  init(of row: ExportedSession.Row, in session: ExportedSession) {
    var svg = SVGBuilder(width: Self.size.width, height: Self.size.height)
    let total = row.phases.reduce(Duration.zero) { $0 + $1.duration }
    let ending = row.error ?? row.note
    svg.describe(
      title: "opsh: the life of \(session.label(of: row))",
      row.phases.map { "\($0.cause.look.words) \(DurationText($0.duration))" }.joined(
        separator: ", ")
        + "; \(ending)")
    svg.text(
      session.label(of: row), x: Self.margin, y: 62, size: 30, weight: "bold")
    let place = row.queue.map { "on queue \($0)" } ?? "on no queue"
    svg.text(
      "\(row.kind), \(place): \(DurationText(total)), \(ending)", x: Self.margin, y: 96, size: 17,
      color: "#555555")
    Self.addStates(of: row, session, to: &svg)
    Self.addBar(of: row, total, to: &svg)
    Self.addPhases(of: row, session, to: &svg)
    text = svg.text
  }

  // MARK: States

  private static func addStates(
    of row: ExportedSession.Row, _ session: ExportedSession, to svg: inout SVGBuilder
  ) {
    let states: [(OperationState, ContinuousClock.Instant?)] = [
      (.created, row.times.created), (.pending, row.times.pending), (.ready, row.times.ready),
      (.executing, row.times.executing), (.finished, row.times.finished),
    ]
    let (width, height) = (200.0, 62.0)
    let gap = (size.width - 2 * margin - 5 * width) / 4
    for (index, (state, time)) in states.enumerated() {
      let x = margin + Double(index) * (width + gap)
      let isEnd = state == .finished && time != nil
      svg.rectangle(
        x, stateY, width, height, fill: time == nil ? "#ffffff" : isEnd ? row.tone.fill : "#e8eef5",
        stroke: time == nil ? "#bbbbbb" : isEnd ? row.tone.line : "#1f5f9e", radius: 12, title: nil)
      svg.text(
        isEnd ? row.note : state.rawValue, x: x + width / 2, y: stateY + 27,
        size: 17,
        weight: "bold", color: time == nil ? "#8a8a8a" : "#1a1a1a", anchor: "middle")
      svg.text(
        time.map { seconds($0, session) } ?? "not reached", x: x + width / 2, y: stateY + 49,
        size: 14, color: "#555555", anchor: "middle")
      guard index < 4 else { continue }
      svg.line(
        x + width + 6, stateY + height / 2, x + width + gap - 6, stateY + height / 2,
        color: states[index + 1].1 == nil ? "#cccccc" : "#666666")
    }
  }

  // MARK: Phases

  private static func addBar(
    of row: ExportedSession.Row, _ total: Duration, to svg: inout SVGBuilder
  ) {
    guard let start = row.phases.first?.start, total > .zero else { return }
    let width = size.width - 2 * margin
    svg.text("what the time went to", x: margin, y: barY - 16, size: 17, weight: "bold")
    for phase in row.phases {
      let x = margin + width * ((phase.start - start) / total)
      svg.rectangle(
        x, barY, max(1, width * (phase.duration / total)), barHeight, fill: svg.paint(phase.cause),
        stroke: "#ffffff", title: "\(phase.cause.look.words): \(DurationText(phase.duration))")
    }
  }

  /// A line for each phase: its pattern, when it began, how long it was, and what caused it.
  private static func addPhases(
    of row: ExportedSession.Row, _ session: ExportedSession, to svg: inout SVGBuilder
  ) {
    let names = session.rowsByID
    let phases = row.phases.filter { $0.duration >= .microseconds(1) }
    let shown = phases.prefix(mostPhases)
    for (index, phase) in shown.enumerated() {
      let y = listY + Double(index) * pitch
      svg.rectangle(
        margin, y - 14, 26, 17, fill: svg.paint(phase.cause), stroke: "#bbbbbb", title: nil)
      svg.text(
        seconds(phase.start, session), x: margin + 130, y: y, size: 15, color: "#555555",
        anchor: "end", family: "monospace")
      svg.text(
        DurationText(phase.duration).description, x: margin + 230, y: y, size: 15, anchor: "end",
        family: "monospace")
      let other = phase.culprit.flatMap { names[$0] }.map { ": \(session.label(of: $0))" } ?? ""
      svg.text(phase.cause.look.words + other, x: margin + 260, y: y, size: 15)
    }
    let more = phases.count - shown.count
    if more > 0 {
      svg.text(
        "and \(more) more", x: margin + 260, y: listY + Double(shown.count) * pitch, size: 15,
        color: "#555555")
    }
  }

  private static func seconds(
    _ instant: ContinuousClock.Instant, _ session: ExportedSession
  ) -> String {
    TransitionText.time(session.seconds(instant)).drop { $0 == " " } + " s"
  }
}
