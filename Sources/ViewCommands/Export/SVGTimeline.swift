import CommandParts
import Foundation
import Operations
import OpshSupport
import OpshTerminal

/// The timeline as a picture: SVG 1.1, 1600 by 900, without scripts and without references.
///
/// Operations stand below their queue, members below their group. Each is a bar of what its time went
/// to, thick where it worked, with the critical path in bold. Causes differ in lightness and in
/// pattern, so that the picture can be read in grey and on paper; a screen reader finds its title and
/// description.
struct SVGTimeline {
  /// A row: a queue or an operation.
  private enum Line {
    case queue(String)
    case operation(ExportedSession.Row)

    var isQueue: Bool { if case .queue = self { true } else { false } }
  }

  /// Where a row is.
  struct Place: Equatable {
    /// The number of its operation; nil for the name of a queue.
    let operation: Int?
    let queue: String
    let depth: Int
    let y: Double
    let height: Double

    var middle: Double { y + height / 2 }
  }

  private static let bottom = 96.0
  /// Room for how an operation ended.
  private static let right = 120.0
  private static let tickSize = 14.0
  private static let queueHeight = 34.0
  private static let greatestPitch = 52.0
  private static let indent = 18.0
  private static let greatestFont = 17.0
  private static let leastFont = 12.0
  private static let mostLabelColumns = 40
  private static let greatestLabelRoom = 460.0
  /// In lower rows bars have no texts of their own, and those of one cause are one element.
  private static let leastPitchOfBars = 4.0
  /// More rows could not be told apart.
  private static let mostRows = 5_000

  /// The rows from the top.
  let places: [Place]
  /// The steps of the critical path that are drawn, in the order of time.
  let path: [LifeAccount.PathStep]

  private let session: ExportedSession
  private var svg: SVGBuilder

  /// - Parameters:
  ///   - session: The operations.
  ///   - title: The title; nil for the number of operations.
  ///   - theme: The colours.
  init(of session: ExportedSession, title: String? = nil, theme: SVGTheme = .light) {
    self.session = session
    svg = SVGBuilder(theme)
    let timed = session.rows.filter { $0.times.pending != nil }
    let rows = Array(timed.prefix(Self.mostRows))
    let lines = Self.byQueue(rows)
    let starts = rows.compactMap { $0.times.pending.map(session.seconds) }
    let ends = rows.map { session.seconds($0.times.finished ?? session.now) }
    let start = starts.min() ?? 0
    let end = max(ends.max() ?? 0, start + 0.000_001)

    let count = OperationTable.count(timed.count, "operation")
    let length = DurationText(.seconds(end - start)).description
    var told = "\(count) in \(length)"
    svg.describe(
      title: "opsh timeline: " + (title.map { "\($0): " } ?? "") + told,
      rows.prefix(40).map { "\(session.label(of: $0)): \($0.note)" }.joined(separator: "; "))
    if timed.count > rows.count { told += ", of which the first \(rows.count) are shown" }
    let top = svg.head(title ?? told, title == nil ? "" : told) + 34

    let places = Self.places(of: lines, from: top)
    let fontSize = min(
      Self.greatestFont, max(Self.leastFont, (places.map(\.height).min() ?? 0) * 0.62))
    let names = lines.map { Self.name(of: $0, in: session, size: fontSize) }
    let room = zip(names, places).map {
      SVGText.width(of: $0, size: fontSize, isBold: true) + Double($1.depth) * Self.indent
    }
    let left = SVGBuilder.margin + min(Self.greatestLabelRoom, room.max() ?? 0) + 14
    let scale = (SVGBuilder.size.width - left - Self.right) / (end - start)
    func x(_ time: Double) -> Double { left + (time - start) * scale }
    path = session.path.filter(\.span.takesTime)
    self.places = places

    addBands(top: top, x: (left, x(end)))
    addTicks(from: start, to: end, top: top, x)
    addBars(rows, x)
    addPath(x)
    addLabels(lines, names, size: fontSize, x)
    addLegend()
  }

  var text: String { svg.text }
  /// The texts and where they stand.
  var labels: [SVGBuilder.Label] { svg.labels }

  // MARK: Rows

  /// The operations below their queues, in the order in which the queues were used; members stay below
  /// their group.
  private static func byQueue(_ rows: [ExportedSession.Row]) -> [Line] {
    var order: [String] = []
    var byQueue: [String: [ExportedSession.Row]] = [:]
    var queue = ""
    for row in rows {
      if row.depth == 0 { queue = row.queue ?? "" }
      if byQueue[queue] == nil { order.append(queue) }
      byQueue[queue, default: []].append(row)
    }
    return order.flatMap { queue in
      [.queue(queue)] + (byQueue[queue] ?? []).map { .operation($0) }
    }
  }

  private static func places(of lines: [Line], from top: Double) -> [Place] {
    let height = SVGBuilder.size.height - bottom - top
    let queues = lines.count(where: \.isQueue)
    let operations = Double(lines.count - queues)
    // Where there are many queues, their names are rows like the others.
    var queueHeight = Self.queueHeight
    if Double(queues) * queueHeight > height / 3 { queueHeight = height / Double(lines.count) }
    let pitch = min(
      greatestPitch, (height - queueHeight * Double(queues)) / max(1, operations))
    queueHeight = min(queueHeight, max(pitch, Self.queueHeight))
    var y = top
    var queue = ""
    return lines.map { line in
      defer { y += line.isQueue ? queueHeight : pitch }
      switch line {
      case .queue(let name):
        queue = name
        return Place(operation: nil, queue: name, depth: 0, y: y, height: queueHeight)
      case .operation(let row):
        return Place(
          operation: row.id, queue: queue, depth: min(8, row.depth) + 1, y: y, height: pitch)
      }
    }
  }

  private static func name(
    of line: Line, in session: ExportedSession, size: Double
  ) -> String {
    switch line {
    case .queue(let name):
      return SVGText.truncated(
        VisibleText.escape(name), to: greatestLabelRoom, size: size, isBold: true)
    case .operation(let row):
      let room = greatestLabelRoom - Double(min(8, row.depth) + 1) * indent
      var columns = mostLabelColumns
      while true {
        let label = session.label(of: row, columns: columns)
        let width = SVGText.width(of: label, size: size, isBold: true)
        if width <= room || columns <= 8 { return label }
        columns -= 1
      }
    }
  }

  // MARK: Drawing

  /// A ground for every other queue.
  private mutating func addBands(top: Double, x: (left: Double, right: Double)) {
    let starts = places.indices.filter { places[$0].operation == nil }
    for (number, start) in starts.enumerated() where number % 2 == 0 && starts.count > 1 {
      let end = number + 1 < starts.count ? starts[number + 1] : places.endIndex
      let last = places[end - 1]
      svg.rectangle(
        .init(
          x: SVGBuilder.margin - 12, y: places[start].y,
          width: SVGBuilder.size.width - 2 * (SVGBuilder.margin - 12),
          height: last.y + last.height - places[start].y), fill: svg.theme.tint, radius: 4)
    }
  }

  private mutating func addTicks(
    from start: Double, to end: Double, top: Double, _ x: (Double) -> Double
  ) {
    let bottom = places.last.map { $0.y + $0.height } ?? top
    let (times, step) = Self.ticks(from: start, to: end)
    for time in times {
      svg.line(x(time), top - 6, x(time), bottom, color: svg.theme.faint)
      svg.text(
        Self.tickLabel(time, step: step), x: x(time), y: top - 14, size: Self.tickSize,
        color: svg.theme.soft, anchor: .middle)
    }
  }

  private mutating func addBars(_ rows: [ExportedSession.Row], _ x: (Double) -> Double) {
    let byID = Dictionary(
      places.compactMap { place in place.operation.map { ($0, place) } }, uniquingKeysWith: { $1 })
    var areas: [Cause: [SVGBuilder.Box]] = [:]
    for row in rows {
      guard let place = byID[row.id] else { continue }
      for phase in row.phases where phase.takesTime {
        let (from, to) = (x(session.seconds(phase.start)), x(session.seconds(phase.end)))
        let isDense = place.height < Self.leastPitchOfBars
        let height = place.height * (isDense ? 1 : Self.thickness(of: phase.cause))
        let box = SVGBuilder.Box(
          x: from, y: place.middle - height / 2, width: max(0.5, to - from), height: height)
        if isDense {
          areas[phase.cause, default: []].append(box)
        } else {
          let fill = svg.paint(phase.cause)
          svg.rectangle(
            box, fill: fill,
            title: "\(session.label(of: row)): \(phase.cause.look.words), "
              + "\(DurationText(phase.duration))")
        }
      }
    }
    for cause in Cause.allCases {
      guard let boxes = areas[cause] else { continue }
      // A pattern could not be seen.
      svg.areas(boxes, fill: svg.color(of: cause), opacity: cause.isWork ? 1 : 0.35)
    }
  }

  /// Work is thick, and waits are thin.
  private static func thickness(of cause: Cause) -> Double { cause.isWork ? 0.72 : 0.34 }

  /// Draws the critical path over the bars: along each step, and down or up to the next one.
  private mutating func addPath(_ x: (Double) -> Double) {
    let byID = Dictionary(
      places.compactMap { place in place.operation.map { ($0, place) } }, uniquingKeysWith: { $1 })
    let width = min(5, max(2.5, (places.last?.height ?? 0) * 0.12))
    var commands: [SVGPathCommand] = []
    for step in path {
      guard let place = byID[step.operation] else { continue }
      // Along the lower edge of the thick bars, so that what the time went to stays visible.
      let y = place.middle + place.height * Self.thickness(of: .work) / 2
      let start = SVGPoint(x: x(session.seconds(step.span.start)), y: y)
      commands.append(commands.isEmpty ? .move(start) : .line(start))
      commands.append(.line(SVGPoint(x: x(session.seconds(step.span.end)), y: y)))
    }
    if !commands.isEmpty { svg.stroke(commands, color: svg.theme.ink, width: width) }
  }

  /// Writes the names of the rows and how operations ended, as far as no text overlaps another: first
  /// the queues, the critical path, what did not succeed and the groups.
  private mutating func addLabels(
    _ lines: [Line], _ names: [String], size: Double, _ x: (Double) -> Double
  ) {
    let onPath = Set(path.map(\.operation))
    func rank(_ index: Int) -> Int {
      guard case .operation(let row) = lines[index] else { return 0 }
      if onPath.contains(row.id) { return 1 }
      if row.isUnsuccessful { return 2 }
      let isGroup =
        index + 1 < places.count && places[index + 1].operation != nil
        && places[index + 1].depth > places[index].depth
      return isGroup ? 3 : 4
    }
    let height = size * SVGText.lineHeight
    // No two texts stand in the same or in neighbouring steps of this height unless they are apart.
    var taken: [Int: [Double]] = [:]
    func takes(_ y: Double) -> Bool {
      let step = Int(y / height)
      let near = (step - 1...step + 1).flatMap { taken[$0] ?? [] }
      guard near.allSatisfy({ abs($0 - y) >= height - 0.001 }) else { return false }
      taken[step, default: []].append(y)
      return true
    }
    let order = places.indices.map { (rank($0), $0) }.sorted { $0 < $1 }.map(\.1)
    for index in order where takes(places[index].middle) {
      let place = places[index]
      let y = place.middle + size * 0.36
      let x0 = SVGBuilder.margin + Double(place.depth) * Self.indent
      guard case .operation(let row) = lines[index] else {
        svg.text(names[index], x: x0, y: y, size: size, isBold: true, color: svg.theme.soft)
        continue
      }
      // Beside a low row there is no room for how it ended: the colour of its name says it.
      let hasNote = place.height >= size
      svg.text(
        names[index], x: x0, y: y, size: size, isBold: onPath.contains(row.id),
        color: row.isUnsuccessful && !hasNote ? row.tone(svg.theme).line : nil)
      guard row.isUnsuccessful, hasNote else { continue }
      let end = x(session.seconds(row.times.finished ?? session.now))
      svg.text(row.note, x: end + 8, y: y, size: size, color: row.tone(svg.theme).line)
    }
  }

  private mutating func addLegend() {
    let size = 15.0
    let kinds = Set(session.rows.lazy.flatMap(\.phases).filter(\.takesTime).map(\.cause))
    var (x, y) = (SVGBuilder.margin, SVGBuilder.size.height - Self.bottom + 44)
    func entry(_ words: String) -> Double? {
      let width = 36 + SVGText.width(of: words, size: size)
      if x + width > SVGBuilder.size.width - SVGBuilder.margin {
        (x, y) = (SVGBuilder.margin, y + 24)
      }
      defer { x += width + 22 }
      return y < SVGBuilder.size.height - 8 ? x : nil
    }
    if !path.isEmpty, let x = entry("critical path") {
      svg.line(x, y - 5, x + 26, y - 5, color: svg.theme.ink, width: 4)
      svg.text("critical path", x: x + 34, y: y, size: size)
    }
    for kind in Cause.allCases where kind != .starting && kinds.contains(kind) {
      guard let x = entry(kind.look.words) else { break }
      let height = kind.isWork ? 16.0 : 9.0
      let fill = svg.paint(kind)
      svg.rectangle(
        .init(x: x, y: y - 5 - height / 2, width: 26, height: height), fill: fill)
      svg.text(kind.look.words, x: x + 34, y: y, size: size)
    }
  }

  // MARK: The scale

  /// Round times, at most ten of them, and what lies between two of them.
  private static func ticks(from start: Double, to end: Double) -> (times: [Double], step: Double) {
    let raw = (end - start) / 8
    let power = pow(10, floor(log10(raw)))
    let step = [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= raw } ?? raw
    let first = (start / step).rounded(.up) * step
    return (Array(stride(from: first, through: end, by: step)), step)
  }

  private static func tickLabel(_ time: Double, step: Double) -> String {
    String(format: "%.\(max(0, min(6, Int(ceil(-log10(step))))))f s", time)
  }
}

extension ExportedSession.Row {
  /// Whether it ended otherwise than it should.
  fileprivate var isUnsuccessful: Bool {
    outcome == "failed" || outcome == "cancelled" || outcome == "skipped"
  }
}
