import CommandParts
import Foundation
import Operations
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

/// The times at which an operation entered and left its states.
struct OperationSpan {
  /// A state with its start and its end.
  struct Part: Equatable {
    let state: OperationState
    let start: ContinuousClock.Instant
    let end: ContinuousClock.Instant
  }

  private(set) var parts: [Part] = []
  /// The pauses of its execution, and whether work followed.
  let pauses: [(start: ContinuousClock.Instant, end: ContinuousClock.Instant, isOver: Bool)]
  let start: ContinuousClock.Instant
  let end: ContinuousClock.Instant

  /// Reads the times of an operation; nil for one that was never added to a queue and never started.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - now: The end of a state that has not ended.
  init?(of operation: ObservableOperation, now: ContinuousClock.Instant) {
    let stamps = operation.timestamps
    guard let first = stamps.pending ?? stamps.ready ?? stamps.executing ?? stamps.finished else {
      return nil
    }
    start = first
    end = max(first, stamps.finished ?? now)
    let last = end
    // One that is cancelled while it pauses does not work again.
    pauses = operation.pauses.map { pause in
      (
        pause.start, max(pause.start, pause.end ?? now),
        pause.end.map { $0 < last || !operation.isCancelled } ?? false
      )
    }
    let beginnings: [(OperationState, ContinuousClock.Instant?)] = [
      (.pending, stamps.pending), (.ready, stamps.ready), (.executing, stamps.executing),
    ]
    var known = beginnings.compactMap { state, time in time.map { (state: state, time: $0) } }
    // Of two states that begin at the same time the later one counts.
    known.append((.finished, end))
    for (part, next) in zip(known, known.dropFirst()) {
      parts.append(Part(state: part.state, start: part.time, end: max(part.time, next.time)))
    }
  }
}

/// Bars on one scale of time.
struct TimelineChart {
  private static let leastWidth = 20
  private static let mostWidth = 100
  /// The width above which bars give columns to long outcomes.
  private static let goodWidth = 40
  private static let leastOutcomeColumns = 16
  /// The width without a limit, so that a file looks the same everywhere.
  private static let usualWidth = 60
  private static let usualLineWidth = 100
  private static let mostNameColumns = 30
  private static let leastNameColumns = 16
  /// Two blanks and the mark of an outcome.
  private static let markColumns = 3
  private static let pauseSign: Character = "┄"
  private static let signs: [(state: OperationState, sign: Character)] = [
    (.pending, "·"), (.ready, "░"), (.executing, "█"),
  ]

  private let rows: [OutlineRows.Row]
  private let now: ContinuousClock.Instant
  private let start: ContinuousClock.Instant
  private let end: ContinuousClock.Instant
  private let clock: SessionClock
  private let nameColumns: Int
  private let barWidth: Int
  private let lineWidth: Int
  private let labels: OperationLabels
  private let scale: TimelineScale
  /// The lives of the operations, to tell apart what their time went to; nil for their states only.
  private let history: LifeAccount?

  /// - Parameters:
  ///   - rows: The operations to show.
  ///   - start: The start of the scale, unless the session started later; nil for the start of the
  ///     first operation.
  ///   - now: The present time, the end of a state that has not ended.
  ///   - width: The greatest number of columns of a line; nil for no limit.
  ///   - clock: The clock of the session.
  ///   - history: The lives of the operations, to show what their time went to; nil for states.
  ///   - folds: Whether times in which nothing executed are shortened.
  init(
    _ rows: [OutlineRows.Row], from start: ContinuousClock.Instant?,
    now: ContinuousClock.Instant, width: Int?, clock: SessionClock,
    phasesIn history: LifeAccount? = nil, folds: Bool = false
  ) {
    self.history = history
    lineWidth = width ?? Self.usualLineWidth
    self.rows = rows
    self.now = now
    self.clock = clock
    let spans = rows.compactMap { OperationSpan(of: $0.operation, now: now) }
    self.start = max(start ?? spans.map(\.start).min() ?? now, clock.startInstant)
    end = max(self.start, start == nil ? spans.map(\.end).max() ?? now : now)
    labels = OperationLabels(rows.lazy.map(\.operation))
    let longest = Self.columns(rows, labels, now: now, width: width)
    nameColumns = longest[0]
    // Four gaps of two columns each.
    let others = longest.dropLast().reduce(8, +)
    barWidth =
      width.map { width in
        let outcomes = min(longest[3], width - others - Self.goodWidth)
        let room = width - others - max(Self.leastOutcomeColumns, outcomes)
        return min(Self.mostWidth, max(Self.leastWidth, room))
      } ?? Self.usualWidth
    let busy = spans.flatMap(\.parts).filter { $0.state == .executing }.map { $0.start...$0.end }
    scale = TimelineScale(self.start, end, columns: barWidth, busy: folds ? busy : nil)
  }

  var table: Table {
    let (left, right) = (seconds(start), seconds(end))
    let room = max(1, barWidth - left.count - right.count)
    var table = Table(columns: [
      .init(StyledText(Self.headers[0]), maximumWidth: nameColumns, keepsEnds: true),
      .init(StyledText(left + String(repeating: " ", count: room) + right)),
      .init(StyledText(Self.headers[1]), alignment: .trailing),
      .init(StyledText(Self.headers[2]), alignment: .trailing),
      .init(StyledText(Self.headers[3]), isFlexible: true),
    ])
    for row in rows {
      var cells = Self.cells(row, labels, now: now)
      cells.insert(
        history.map { phaseBar(LifeSpan.steps(of: row.operation, in: $0)) }
          ?? OperationSpan(of: row.operation, now: now).map(bar) ?? "", at: 1)
      table.rows.append(cells)
    }
    // Names and bars say more than what would be left of the others.
    guard lineWidth < Self.leastWidthForAll else { return table }
    table.removeColumns([2, 3, 4], toFit: lineWidth)
    if table.columns.count == 2 {
      table.columns.append(.init(""))
      for (index, row) in rows.enumerated() {
        guard let outcome = row.operation.outcome else { continue }
        table.rows[index].append(StyledText(outcome.mark, style: .outcome(outcome)))
      }
    }
    return table
  }

  /// A narrower terminal has no room for all columns.
  private static let leastWidthForAll = 60

  /// The meanings of the signs; on several lines where they are many.
  var legend: [StyledText] {
    var items = history == nil ? stateLegend : phaseLegend
    if !scale.folds.isEmpty { items.append(foldLegend) }
    var lines: [StyledText] = []
    for item in items {
      if let last = lines.last, last.columns + 2 + item.columns <= lineWidth {
        lines[lines.count - 1] = last + "  " + item
      } else {
        lines.append(item)
      }
    }
    return lines
  }

  private var foldLegend: StyledText {
    let time = scale.folds.reduce(Duration.zero) { $0 + ($1.upperBound - $1.lowerBound) }
    return Self.meaning(Self.foldSign, "\(DurationText(time)) folded")
  }

  private var stateLegend: [StyledText] {
    Self.signs.map { Self.meaning($0.sign, $0.state.rawValue, .state($0.state)) }
      + [Self.meaning(Self.pauseSign, "pause", Self.pauseStyle)]
  }

  private static func meaning(
    _ sign: Character, _ words: String, _ style: TextStyle = .plain
  ) -> StyledText {
    StyledText(String(sign), style: style) + StyledText(" " + words, style: .dim)
  }

  private func seconds(_ instant: ContinuousClock.Instant) -> String {
    String(TransitionText.time(clock.elapsed(instant)).drop { $0 == " " })
  }

  private static func name(_ row: OutlineRows.Row, _ labels: OperationLabels) -> String {
    String(repeating: "  ", count: min(row.depth, 8)) + labels.label(of: row.operation)
  }

  private static let headers = ["operation", "waited", "ran", "outcome"]

  /// The cells of a row other than its bar: its name, two times, and its outcome or state.
  private static func cells(
    _ row: OutlineRows.Row, _ labels: OperationLabels, now: ContinuousClock.Instant
  ) -> [StyledText] {
    let span = OperationSpan(of: row.operation, now: now)
    return [
      StyledText(name(row, labels), style: .bold), StyledText(time([.pending, .ready], in: span)),
      StyledText(time([.executing], in: span)),
      row.operation.state == .finished
        ? OperationTable.outcome(of: row.operation) : OperationTable.state(of: row.operation),
    ]
  }

  /// The greatest width of each of those cells; names leave room for the bars.
  private static func columns(
    _ rows: [OutlineRows.Row], _ labels: OperationLabels, now: ContinuousClock.Instant,
    width: Int?
  ) -> [Int] {
    var widths = headers.map(\.count)
    for row in rows {
      for (index, cell) in cells(row, labels, now: now).enumerated() {
        widths[index] = max(widths[index], cell.columns)
      }
    }
    widths[0] = min(widths[0], mostNameColumns)
    guard let width else { return widths }
    let room =
      width < leastWidthForAll
      ? max(headers[0].count, width - leastWidth - 2 - markColumns)
      : max(
        leastNameColumns,
        width - leastWidth - 8 - widths[1] - widths[2] - min(widths[3], leastOutcomeColumns))
    widths[0] = min(widths[0], room)
    return widths
  }

  private static func time(_ states: Set<OperationState>, in span: OperationSpan?) -> String {
    let parts = span?.parts.filter { states.contains($0.state) } ?? []
    guard !parts.isEmpty else { return "-" }
    return DurationText(parts.reduce(.zero) { $0 + ($1.end - $1.start) }).description
  }

  /// The bar of an operation: each column has the last state in its time, and each state at least
  /// one column.
  private func bar(_ span: OperationSpan) -> StyledText {
    var cells = [OperationState?](repeating: nil, count: barWidth)
    for part in span.parts where part.end >= start {
      for column in column(of: part.start)...column(of: part.end) { cells[column] = part.state }
    }
    while cells.last == .some(nil) { cells.removeLast() }
    let paused = pausedColumns(of: span)
    var bar = StyledText()
    for (column, state) in cells.enumerated() {
      if scale.isFold(column), state != .executing {
        bar.append(.init(String(Self.foldSign), style: .dim))
        continue
      }
      if state == .executing, paused.contains(column) {
        bar.append(.init(String(Self.pauseSign), style: Self.pauseStyle))
        continue
      }
      let sign = Self.signs.first { $0.state == state }?.sign ?? " "
      bar.append(.init(String(sign), style: state.map { .state($0) } ?? .plain))
    }
    return bar
  }

  private static let pauseStyle = TextStyle(color: .yellow)
  private static let foldSign: Character = "╌"

  /// What each column's time went to, up to the last one of a bar.
  private func phaseCells(_ phases: [LifeSpan]) -> [Cause?] {
    var cells = [Cause?](repeating: nil, count: barWidth)
    for phase in phases where phase.end >= start && phase.cause != .starting {
      for column in column(of: phase.start)...column(of: phase.end) { cells[column] = phase.cause }
    }
    while cells.last == .some(nil) { cells.removeLast() }
    return cells
  }

  /// Whether a column has the sign of a fold instead of its own.
  private func isFolded(_ column: Int, _ kind: Cause?) -> Bool {
    scale.isFold(column) && kind?.isWork != true
  }

  /// The same with a sign for what each column's time went to.
  private func phaseBar(_ phases: [LifeSpan]) -> StyledText {
    phaseCells(phases).enumerated().reduce(into: StyledText()) { bar, cell in
      if isFolded(cell.offset, cell.element) {
        bar.append(.init(String(Self.foldSign), style: .dim))
      } else {
        bar.append(
          .init(
            String(cell.element?.look.letter ?? " "), style: cell.element?.look.style ?? .plain))
      }
    }
  }

  /// The signs that the bars have, with their meanings.
  private var phaseLegend: [StyledText] {
    guard let history else { return [] }
    var kinds: Set<Cause> = []
    for row in rows {
      let cells = phaseCells(LifeSpan.steps(of: row.operation, in: history))
      for (column, kind) in cells.enumerated() {
        if let kind, !isFolded(column, kind) { kinds.insert(kind) }
      }
    }
    return Cause.allCases.filter(kinds.contains)
      .map { Self.meaning($0.look.letter, $0.look.words, $0.look.style) }
  }

  /// The columns that a pause covers completely, so that the work on both sides stays visible.
  private func pausedColumns(of span: OperationSpan) -> IndexSet {
    var columns = IndexSet()
    for pause in span.pauses where pause.end >= start {
      let (first, last) = (column(of: max(pause.start, start)) + 1, column(of: pause.end))
      let end = pause.isOver ? last : last + 1
      if first < end { columns.insert(integersIn: first..<end) }
    }
    return columns
  }

  private func column(of instant: ContinuousClock.Instant) -> Int { scale.column(of: instant) }
}

/// The scale of time of a chart, on which long times without work may be shortened.
struct TimelineScale {
  private static let foldColumns = 3
  /// Shorter times, in columns, are left as they are.
  private static let leastFold = 6.0

  private let start: ContinuousClock.Instant
  private let end: ContinuousClock.Instant
  private let columns: Int
  /// The times that are shortened, in order.
  private(set) var folds: [ClosedRange<ContinuousClock.Instant>] = []
  private var foldStarts: [Int] = []
  /// The time of a column outside of folds, in seconds.
  private var unit: Double

  /// - Parameters:
  ///   - start: The beginning.
  ///   - end: The end.
  ///   - columns: How many columns there are.
  ///   - busy: When something executed; the times between are shortened. Nil for none.
  init(
    _ start: ContinuousClock.Instant, _ end: ContinuousClock.Instant, columns: Int,
    busy: [ClosedRange<ContinuousClock.Instant>]?
  ) {
    self.start = start
    self.end = end
    self.columns = columns
    let whole = (end - start).seconds
    unit = whole / Double(columns)
    guard let busy, whole > 0 else { return }
    var position = start
    var idle: [ClosedRange<ContinuousClock.Instant>] = []
    for work in busy.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if work.lowerBound > position { idle.append(position...work.lowerBound) }
      position = max(position, work.upperBound)
    }
    if position < end { idle.append(position...end) }
    let least = unit * Self.leastFold
    folds = idle.filter { ($0.upperBound - $0.lowerBound).seconds > least }
    // Half of the columns at least show what happened.
    folds = folds.sorted { $0.upperBound - $0.lowerBound > $1.upperBound - $1.lowerBound }
      .prefix(columns / 2 / Self.foldColumns).sorted { $0.lowerBound < $1.lowerBound }
    let folded = folds.reduce(0) { $0 + ($1.upperBound - $1.lowerBound).seconds }
    unit = (whole - folded) / Double(columns - folds.count * Self.foldColumns)
    foldStarts = folds.map { column(of: $0.lowerBound) }
  }

  /// The column of a time, from 0.
  func column(of instant: ContinuousClock.Instant) -> Int {
    guard end > start else { return 0 }
    var (seconds, extra) = ((instant - start).seconds, 0.0)
    for fold in folds where instant > fold.lowerBound {
      let length = (fold.upperBound - fold.lowerBound).seconds
      let passed = min(length, (instant - fold.lowerBound).seconds)
      seconds -= passed
      extra += Double(Self.foldColumns) * passed / length
    }
    let column = (unit > 0 ? seconds / unit : 0) + extra
    return min(columns - 1, max(0, Int(column)))
  }

  /// Whether a column is inside of a time that is shortened.
  func isFold(_ column: Int) -> Bool {
    foldStarts.contains { column > $0 && column <= $0 + Self.foldColumns }
  }
}
