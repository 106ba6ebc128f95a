import CommandParts
import Foundation
import Operations
import OpshSupport
import OpshTerminal

/// The timeline as a picture: SVG 1.1, 1600 by 900, without scripts and without references.
///
/// Every operation is a bar of what its time went to. Causes differ in lightness and in pattern, so
/// that the picture can be read in grey and on paper; a screen reader finds its title and
/// description.
struct SVGTimeline {
  private static let size = (width: 1600.0, height: 900.0)
  private static let top = 96.0
  private static let bottom = 110.0
  /// Room for how an operation ended.
  private static let right = 110.0
  private static let greatestPitch = 52.0
  private static let characterWidth = 8.4
  /// The longest name, in characters.
  private static let longestName = 32
  /// More rows could not be told apart.
  private static let mostRows = 180

  let text: String

  init(of session: ExportedSession) {
    let timed = session.rows.filter { $0.times.pending != nil }
    let rows = Array(timed.prefix(Self.mostRows))
    let starts = rows.compactMap { $0.times.pending.map(session.seconds) }
    let ends = rows.map { session.seconds($0.times.finished ?? session.now) }
    let (start, end) = (starts.min() ?? 0, max(ends.max() ?? 0, (starts.min() ?? 0) + 0.001))
    let labels = rows.map { session.label(of: $0) }
    let names = rows.map { Self.label(of: $0, in: session) }
    let left = 30 + Double(names.map(\.count).max() ?? 0) * Self.characterWidth
    let area = (
      x: left, y: Self.top, width: Self.size.width - left - Self.right,
      height: Self.size.height - Self.top - Self.bottom
    )
    let pitch = min(Self.greatestPitch, area.height / Double(max(1, rows.count)))
    func x(_ time: Double) -> Double { area.x + (time - start) / (end - start) * area.width }

    var svg = SVGBuilder(width: Self.size.width, height: Self.size.height)
    let hidden = timed.count - rows.count
    let length = DurationText(.seconds(end - start)).description
    let title = "\(OperationTable.count(timed.count, "operation")) in \(length)"
    svg.describe(
      title: "opsh timeline: " + title,
      rows.prefix(40).map { "\(session.label(of: $0)): \($0.note)" }.joined(separator: "; "))
    svg.text(title, x: 30, y: 46, size: 26, weight: "bold")
    if hidden > 0 {
      svg.text("the first \(rows.count) are shown", x: 30, y: 72, size: 15, color: "#555555")
    }
    for tick in Self.ticks(from: start, to: end) {
      svg.line(x(tick), area.y - 6, x(tick), area.y + pitch * Double(rows.count), color: "#d4d4d4")
      svg.text(
        Self.tickLabel(tick, of: end - start), x: x(tick), y: area.y - 12, size: 14,
        color: "#555555", anchor: "middle")
    }
    let fontSize = min(14, max(5, pitch * 0.72))
    var kinds: Set<Cause> = []
    for (index, row) in rows.enumerated() {
      let y = area.y + Double(index) * pitch
      svg.text(
        names[index], x: left - 10, y: y + pitch / 2 + fontSize * 0.35, size: fontSize,
        anchor: "end", family: "monospace")
      for phase in row.phases {
        let (from, to) = (x(session.seconds(phase.start)), x(session.seconds(phase.end)))
        guard to > from else { continue }
        kinds.insert(phase.cause)
        svg.rectangle(
          from, y + pitch * 0.12, max(0.5, to - from), pitch * 0.76, fill: svg.paint(phase.cause),
          title: "\(labels[index]): \(phase.cause.look.words), \(DurationText(phase.duration))")
      }
      if row.outcome == "failed" || row.outcome == "cancelled" || row.outcome == "skipped" {
        let end = x(session.seconds(row.times.finished ?? session.now))
        svg.text(
          row.note, x: end + 6, y: y + pitch / 2 + fontSize * 0.35,
          size: fontSize, color: row.tone.line)
      }
    }
    Self.addLegend(to: &svg, kinds: kinds)
    text = svg.text
  }

  private static func addLegend(to svg: inout SVGBuilder, kinds: Set<Cause>) {
    var (x, y) = (30.0, size.height - 74)
    for kind in Cause.allCases where kind != .starting && kinds.contains(kind) {
      let words = kind.look.words
      let width = 34 + Double(words.count) * characterWidth
      if x + width > size.width - right { (x, y) = (30, y + 26) }
      svg.rectangle(x, y - 12, 18, 14, fill: svg.paint(kind), title: nil)
      svg.text(words, x: x + 24, y: y, size: 14, color: "#333333")
      x += width + 14
    }
  }

  private static func label(of row: ExportedSession.Row, in session: ExportedSession) -> String {
    let indent = String(repeating: "  ", count: min(8, row.depth))
    return indent + session.label(of: row, columns: longestName - indent.count)
  }

  /// Round times, at most ten of them.
  private static func ticks(from start: Double, to end: Double) -> [Double] {
    let raw = (end - start) / 8
    let power = pow(10, floor(log10(raw)))
    let step = [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= raw } ?? raw
    return Array(stride(from: (start / step).rounded(.up) * step, through: end, by: step))
  }

  private static func tickLabel(_ time: Double, of span: Double) -> String {
    String(format: span < 0.1 ? "%.4f s" : span < 10 ? "%.2f s" : "%.0f s", time)
  }
}
