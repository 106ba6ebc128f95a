/// Which rows of the screen show what, from its size.
struct WatchGeometry: Sendable, Equatable {
  let columns: Int
  let rows: Int
  /// Whether there is a row with the titles of the columns of queues.
  let hasQueueTitles: Bool
  let queueRows: Int
  let stripRows: Int
  let operationRows: Int
  let panelRows: Int
  /// How many of these rows show why the selected operation waits although no panel is open.
  let whyRows: Int

  /// The title, the titles of the operations' columns, the keys, the command and its result.
  private static let fixedRows = 5
  /// Operations that stay visible above a panel, and above why one waits.
  private static let leastOperations = 3
  private static let leastWhy = 3
  private static let mostWhy = 9

  /// - Parameters:
  ///   - columns: The width of the screen.
  ///   - rows: Its height.
  ///   - queues: The number of queues to show.
  ///   - operations: The number of operations to show.
  ///   - panel: What covers part of the operations.
  init(columns: Int, rows: Int, queues: Int, operations: Int, panel: WatchView.Panel) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    var left = max(0, self.rows - Self.fixedRows)
    // The help takes all of it.
    let isHelp = panel == .help
    hasQueueTitles = left >= 7 && !isHelp
    stripRows = left < 6 || isHelp ? 0 : rows >= 50 ? 5 : rows >= 30 ? 3 : 1
    queueRows = isHelp || left < 4 ? 0 : min(queues, max(1, left / 4))
    left -= queueRows + stripRows + (hasQueueTitles ? 1 : 0)
    // Where no panel is open, the rows that no operation needs; on a high screen some more.
    let free = max(left - max(operations, Self.leastOperations), left >= 20 ? left / 4 : 0)
    whyRows = panel == .none && free >= Self.leastWhy ? min(free, Self.mostWhy) : 0
    switch panel {
    case .none: panelRows = whyRows
    case .why: panelRows = min(left, max(left / 2, 4))
    case .show: panelRows = min(left, max(left / 2, left - Self.leastOperations))
    case .help: panelRows = left
    }
    operationRows = max(0, left - panelRows)
  }
}
