import CommandParts
import Operations
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

extension WatchLayout {
  /// The columns of the mark of a selected row.
  private static let markWidth = 2
  private static let titleStyle = TextStyle(dim: true, underlined: true)

  private func marked(_ line: StyledText, isSelected: Bool) -> StyledText {
    guard isSelected else { return StyledText("  ") + line }
    let whole = StyledText(isASCII ? "> " : "▸ ") + line
    return whole.padded(to: width).restyled { $0.reversed = true }
  }

  // MARK: Queues

  var queueLines: [StyledText] {
    guard geometry.queueRows > 0 else { return [] }
    let queues = shownQueues
    let table = WatchTable(
      queueColumns, rows: queues, width: width - Self.markWidth, isASCII: isASCII)
    let hidden = model.queues.count - queues.count
    var titles = StyledText("  ") + table.titles.restyled { $0 = Self.titleStyle }
    if hidden > 0 {
      let more = "  \(hidden) more"
      if titles.columns + more.count <= width { titles += StyledText(more, style: .dim) }
    }
    return (geometry.hasQueueTitles ? [titles] : [])
      + queues.map { marked(table.line(of: $0), isSelected: $0.id == view.queue) }
  }

  /// The first queues; those before the selected one if it is further down.
  private var shownQueues: [WatchModel.Queue] {
    let selected = model.queues.firstIndex { $0.id == view.queue } ?? 0
    let first = max(0, selected - geometry.queueRows + 1)
    return Array(model.queues.dropFirst(first).prefix(geometry.queueRows))
  }

  private var queueColumns: [WatchColumn<WatchModel.Queue>] {
    func number(
      _ title: String, rank: Int, _ value: @escaping (WatchModel.Queue) -> String
    ) -> WatchColumn<WatchModel.Queue> {
      WatchColumn(title: title, rank: rank, alignment: .trailing) { queue, _ in
        StyledText(value(queue))
      }
    }
    return [
      WatchColumn(title: "queue", rank: 0, fit: .name, minimum: 10, maximum: 32) { queue, _ in
        StyledText(queue.name + (queue.isInUse ? " *" : ""), style: .bold)
      },
      WatchColumn(title: "state", rank: 1, minimum: 7) { queue, _ in
        QueueText.state(isPaused: queue.isPaused, hasEnded: queue.hasEnded)
      },
      WatchColumn(title: "slots", rank: 2) { queue, _ in meter(of: queue) },
      number("width", rank: 4) { QueueText.text(width: $0.width) },
      number("executing", rank: 3) { "\($0.executing)" },
      number("ready", rank: 6) { "\($0.ready)" },
      number("pending", rank: 5) { "\($0.pending)" },
      number("finished", rank: 7) { "\($0.finished)" },
      WatchColumn(title: "rate", rank: 8, alignment: .trailing, minimum: 6) { queue, _ in
        StyledText(
          queue.rate == 0
            ? "-"
            : (queue.rate < 10 ? "\((queue.rate * 10).rounded() / 10)" : "\(Int(queue.rate))")
              + "/s")
      },
      WatchColumn(title: "oldest wait", rank: 9, alignment: .trailing, minimum: 11) { queue, _ in
        StyledText(queue.oldestWait.map { Self.text($0) } ?? "-")
      },
      WatchColumn(title: "pace", rank: 10, alignment: .trailing, minimum: 6) { queue, _ in
        StyledText(queue.pace > .zero ? DurationText(queue.pace).description : "-")
      },
    ]
  }

  private static let mostCells = 10

  /// A cell for each slot, those that are taken first; of many slots a share of ten cells.
  private func meter(of queue: WatchModel.Queue) -> StyledText {
    let (taken, free) = isASCII ? ("#", ".") : ("●", "○")
    var cells = (taken: queue.executing, all: max(queue.width, queue.executing))
    if cells.all > Self.mostCells {
      // Some are never none, and nearly all are not all.
      let share = cells.taken * Self.mostCells / cells.all
      cells.taken = cells.taken == 0 ? 0 : max(1, share)
      cells.all = Self.mostCells
    }
    guard cells.all > 0 else { return StyledText("-", style: .dim) }
    return StyledText(String(repeating: taken, count: cells.taken), style: .state(.executing))
      + StyledText(String(repeating: free, count: cells.all - cells.taken), style: .dim)
  }

  // MARK: Operations

  var operationLines: [StyledText] {
    let items = Array(model.items.prefix(geometry.operationRows))
    let table = WatchTable(
      operationColumns, rows: items, width: width - Self.markWidth, isASCII: isASCII)
    var titles = StyledText("  ") + table.titles.restyled { $0 = Self.titleStyle }
    if model.total > items.count, !items.isEmpty {
      let last = model.firstPosition + items.count
      let range = "  \(model.firstPosition + 1)-\(last) of \(GroupedNumber.text(model.total))"
      if titles.columns + range.count <= width { titles += StyledText(range, style: .dim) }
    }
    guard !items.isEmpty else {
      let text = view.filter.isEmpty ? "no operations" : "no operation matches the filter"
      return [titles, StyledText("  " + text, style: .dim)]
    }
    let rows = items.map {
      marked(table.line(of: $0), isSelected: view.queue == nil && $0.id == view.operation)
    }
    let blank = Array(repeating: StyledText(), count: geometry.operationRows - rows.count)
    return [titles] + rows + blank
  }

  private var operationColumns: [WatchColumn<WatchModel.Item>] {
    [
      WatchColumn(title: "id", rank: 3, alignment: .trailing, minimum: 3) { item, _ in
        StyledText("\(item.id)")
      },
      WatchColumn(
        title: "name", rank: 0, fit: .name, minimum: isWide ? 17 : width >= 80 ? 13 : 10,
        maximum: 40
      ) {
        item, _ in
        StyledText(item.name, style: .bold)
      },
      WatchColumn(title: "kind", rank: 10, fit: .words, minimum: 12, maximum: 24) { item, _ in
        StyledText(item.kind)
      },
      WatchColumn(title: "queue", rank: 6, fit: .name, minimum: 10, maximum: 24) { item, _ in
        StyledText(item.queue)
      },
      WatchColumn(title: "state", rank: 1, minimum: 9) { item, _ in state(of: item) },
      WatchColumn(
        title: "progress", rank: 2, minimum: isWide ? 16 : 12
      ) { item, _ in
        progress(of: item, width: isWide ? 16 : 12)
      },
      WatchColumn(title: "line", rank: 4, alignment: .trailing) { item, _ in
        StyledText(item.place.map(String.init) ?? "")
      },
      WatchColumn(title: "attempt", rank: 7, alignment: .trailing) { item, _ in
        StyledText(item.attempts > 0 ? "\(item.attempts)" : "-")
      },
      WatchColumn(title: "priority", rank: 9, minimum: 8) { item, _ in
        StyledText(item.priority)
      },
      WatchColumn(
        title: "cause", rank: 5, fit: .words, minimum: 24, maximum: 120
      ) { item, _ in StyledText(item.cause, style: item.causeStyle) },
    ]
  }

  private var isWide: Bool { width >= 100 }

  private func state(of item: WatchModel.Item) -> StyledText {
    guard item.isCancelled, item.state != .finished else {
      return StyledText(item.state.rawValue, style: .state(item.state, outcome: item.outcome))
    }
    return StyledText(item.state.rawValue, style: .outcome(.cancelled))
  }

  /// A bar with its percentage, or the time that the state lasts.
  private func progress(of item: WatchModel.Item, width: Int) -> StyledText {
    let time = item.time.map { Self.text($0) } ?? ""
    switch item.state {
    case .finished:
      // It does not change any more, and is as exact as elsewhere.
      let time = item.time.map { DurationText($0).description } ?? ""
      guard let outcome = item.outcome else { return StyledText(time) }
      let mark = isASCII ? ASCIIText.replacing(outcome.mark) : outcome.mark
      return StyledText(mark + " ", style: .outcome(outcome)) + StyledText(time)
    case .created, .pending, .ready: return StyledText(time, style: .dim)
    case .executing: break
    }
    guard let fraction = item.fraction else {
      let text = item.amount.isEmpty ? time : item.amount
      return StyledText(text)
    }
    let percent = TextWidth.pad("\(Int(fraction * 100))%", to: 5, alignment: .trailing)
    return bar(fraction, width: width - percent.count) + StyledText(percent)
  }

  private func bar(_ fraction: Double, width: Int) -> StyledText {
    let parts: [Character] = Array(isASCII ? " #" : " ▏▎▍▌▋▊▉█")
    let steps = parts.count - 1
    let filled = Int(fraction * Double(width * steps))
    let cells = (0..<width).map { parts[min(steps, max(0, filled - $0 * steps))] }
    return StyledText(String(cells), style: TextStyle(color: .blue))
  }

  /// A duration whose digits do not change too often to be read.
  private static func text(_ duration: Duration) -> String {
    let tenths = (duration.seconds * 10).rounded()
    return duration < .seconds(1)
      ? DurationText(duration).description
      : tenths < 600 ? "\(tenths / 10) s" : DurationText(max(duration, .seconds(60))).description
  }
}
