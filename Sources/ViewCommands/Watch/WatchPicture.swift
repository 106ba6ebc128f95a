import CommandParts
import Operations
import ShellOutput
import ShellSession
import OpshTerminal

/// What is on the screen of `watch`: which operations in which order, and the rows made of them.
struct WatchPicture {
  /// How many rows are kept when the view freezes; others are read when they are scrolled to.
  private static let mostFrozen = 1_000
  /// How long the lines of a panel are kept.
  private static let panelAge = Duration.milliseconds(500)
  /// The columns before the chart.
  private static let stripLabel = 13

  private let jobs: Jobs
  private let screen: Screen
  private let run: Run
  private var operations: WatchedOperations
  private var reader: WatchReader
  private var history = WatchHistory()
  private var model = WatchModel()
  /// The operations that the filter selects, in their order.
  private(set) var order: [ObservableOperation] = []
  /// The position of the first visible operation.
  private var top = 0
  /// The visible number of operations.
  private(set) var height = 1
  /// The row of the selected operation when it was visible last.
  private var lastRow = 0
  /// Whether the first operation is selected, whichever it is, because the user has chosen none.
  private var selectsFirst = true
  /// The pause after reading all operations, as a multiple of the time that reading took.
  private static let costLimit = 8
  /// When all operations are read again; a changed order or filter reads them at once.
  private var nextLook = ContinuousClock.now
  private var look: (order: WatchView.Order, filter: String)?
  private var frozen: [Int: WatchModel.Item] = [:]
  private var isFrozen = false
  private var places: [Int: Int] = [:]
  /// What the lines of the panel are about.
  private var panelSubject: PanelSubject?
  private var panelTime = ContinuousClock.now
  /// Runs a command, and returns what it prints.
  private let output: (String) -> [StyledText]

  /// The panel of an operation or a queue.
  private struct PanelSubject: Equatable {
    var panel: WatchView.Panel
    var operation: Int?
    var queue: Int?
  }

  /// - Parameters:
  ///   - jobs: The jobs to show.
  ///   - screen: Where they are shown.
  ///   - run: The run.
  ///   - output: Runs a command, and returns what it prints.
  init(
    _ jobs: Jobs, on screen: Screen, _ run: Run,
    output: @escaping (String) -> [StyledText] = { _ in [] }
  ) {
    (self.jobs, self.screen, self.run) = (jobs, screen, run)
    self.output = output
    operations = WatchedOperations(jobs.operations)
    reader = WatchReader(jobs, on: screen)
  }

  var queues: [WatchModel.Queue] { model.queues }

  /// The rows of the screen at this moment.
  mutating func lines(_ view: inout WatchView, columns: Int, rows: Int) -> [StyledText] {
    refresh(&view, columns: columns)
    let geometry = WatchGeometry(
      columns: columns, rows: rows, queues: model.queues.count, operations: order.count,
      panel: view.panel)
    place(&view, height: geometry.operationRows)
    let range = top..<min(order.count, top + geometry.operationRows)
    model.items = order[range].map { frozen[$0.id] ?? reader.item(for: $0, place: places[$0.id]) }
    if view.isFrozen { for item in model.items { frozen[item.id] = item } }
    model.firstPosition = top
    model.total = order.count
    readPanel(view, hasWhy: geometry.whyRows > 0)
    return WatchLayout(
      model: model, view: view, geometry: geometry, isASCII: screen.output.isASCII
    ).lines
  }

  private mutating func refresh(_ view: inout WatchView, columns: Int) {
    if view.isFrozen, !isFrozen { freeze() }
    let start = ContinuousClock.now
    let isSame = look.map { $0.order == view.order && $0.filter == view.filter } ?? false
    if !isSame || view.isFrozen != isFrozen || (!view.isFrozen && start >= nextLook) {
      lookAtAll(view)
      nextLook = .now + (.now - start) * Self.costLimit
    }
    if !view.isFrozen {
      frozen = [:]
      model.elapsed = run.clock.elapsed(run.clock.now)
      readStrip(columns: columns)
      model.isVirtual = run.mode.isRepeatable
      model.isReplay = run.mode.isRecorded
    }
    isFrozen = view.isFrozen
    if let queue = view.queue, !model.queues.contains(where: { $0.id == queue }) {
      view.queue = nil
    }
  }

  private mutating func lookAtAll(_ view: WatchView) {
    if !view.isFrozen {
      operations.refresh()
      model.queues = reader.queues(operations)
      model.counts = operations.counts
      let busy = Set(model.queues.lazy.filter { $0.pending + $0.ready > 0 }.map(\.id))
      operations.readLines(of: jobs.allQueues.filter { busy.contains($0.id) })
      places = operations.places
    }
    let filter = WatchFilter(view.filter)
    let all = operations.ordered(by: view.order)
    order = filter.isEmpty ? all : all.filter(filter.matches)
    look = (view.order, view.filter)
  }

  private mutating func readStrip(columns: Int) {
    history.follow(jobs.engine.log)
    let now = run.clock.now
    let slot = WatchHistory.slot(
      for: .seconds(max(0, model.elapsed)), columns: max(1, columns - Self.stripLabel))
    model.stripSlot = slot
    model.strip = history.samples(
      columns: columns, of: slot, executing: model.counts.executing, at: now)
  }

  private mutating func freeze() {
    let first = max(0, min(top, order.count - Self.mostFrozen / 2))
    for operation in order.dropFirst(first).prefix(Self.mostFrozen) {
      frozen[operation.id] = reader.item(for: operation, place: places[operation.id])
    }
  }

  private mutating func readPanel(_ view: WatchView, hasWhy: Bool) {
    guard hasWhy || view.panel == .why || view.panel == .show else {
      panelSubject = nil
      return
    }
    let subject = PanelSubject(panel: view.panel, operation: view.operation, queue: view.queue)
    let isOld = !view.isFrozen && .now - panelTime > Self.panelAge
    guard subject != panelSubject || isOld else { return }
    panelSubject = subject
    let queue = view.queue.flatMap { id in jobs.allQueues.first { $0.id == id } }
    let operation = queue == nil ? selected(view) : nil
    var lines: [StyledText] = []
    switch view.panel {
    case .show:
      if let queue {
        lines = output("queue show \(WordQuoting.spelled([queue.name]))")
      } else if let operation {
        lines = output("show \(operation.id)")
      }
    case .why, .none, .help:
      if let queue {
        let verdict = Verdict(of: queue, in: jobs)
        lines = [Verdict.head(of: queue)] + verdict.lines
      } else if let operation {
        lines = WhyText.lines(for: operation, in: jobs, masking: screen.secrets)
      }
    }
    model.panel = lines.map { WatchPanelLine(screen.secrets.masked($0)) }
    model.panelName = queue.map(\.name) ?? operation.map(\.displayName) ?? ""
    panelTime = .now
  }

  // MARK: Selecting

  /// The selected operation, if the filter selects it.
  func selected(_ view: WatchView) -> ObservableOperation? {
    view.operation.flatMap { id in order.first { $0.id == id } }
  }

  private mutating func place(_ view: inout WatchView, height: Int) {
    // In a window of another size, the selected operation stays visible.
    if height != self.height, let position = position(view), position - top == lastRow {
      top = max(top, position - max(1, height) + 1)
    }
    self.height = height
    if selectsFirst || selected(view) == nil {
      view.operation = order.first?.id
      if selectsFirst { top = 0 }
    }
    top = max(0, min(top, order.count - height))
    // An operation that changes its place by itself leaves the view where it is.
    if let position = position(view), isVisible(position) { lastRow = position - top }
  }

  private func isVisible(_ position: Int) -> Bool { position >= top && position < top + height }

  /// Whether the selected operation is on the screen.
  func showsSelection(_ view: WatchView) -> Bool { position(view).map(isVisible) ?? false }

  /// Moves the view so far that a row is visible.
  private mutating func show(_ position: Int) {
    if position < top { top = position }
    if position >= top + height { top = position - max(1, height) + 1 }
    lastRow = position - top
  }

  private func position(_ view: WatchView) -> Int? {
    view.operation.flatMap { id in order.firstIndex { $0.id == id } }
  }

  /// Selects the operation so many rows further.
  mutating func move(_ view: inout WatchView, by rows: Int) {
    var start = position(view) ?? 0
    if !isVisible(start) { start = min(top + lastRow, order.count - 1) }
    select(&view, start + rows)
  }

  /// Selects the operation at a position, or the nearest one.
  mutating func select(_ view: inout WatchView, _ position: Int) {
    view.queue = nil
    selectsFirst = false
    guard !order.isEmpty else { return }
    let position = max(0, min(position, order.count - 1))
    view.operation = order[position].id
    show(position)
  }

  /// Shows the first operations again, as after a change of the order or the filter.
  mutating func showFirst() {
    top = 0
    selectsFirst = true
  }

  /// Keeps the selected operation, although the user has not moved to it.
  mutating func keepSelection() { selectsFirst = false }
}
