import Operations
import OpshTerminal

/// What `watch` shows at one moment, as plain data.
struct WatchModel: Sendable, Equatable {
  /// A queue: one row.
  struct Queue: Sendable, Equatable {
    var id: Int
    var name: String
    /// How many operations may execute at once; -1 for no limit.
    var width: Int
    var isPaused = false
    /// Whether it is one of Foundation whose process has ended.
    var hasEnded = false
    var isInUse = false
    /// The time between two starts; zero for none.
    var pace: Duration = .zero
    /// The operations that finish in a second.
    var rate = 0.0
    var executing = 0
    var ready = 0
    var pending = 0
    var finished = 0
    /// How long the operation waits that was added first; nil if none waits.
    var oldestWait: Duration?
  }

  /// An operation: one row.
  struct Item: Sendable, Equatable {
    var id: Int
    var name: String
    var kind: String
    var queue = ""
    var state: OperationState
    var outcome: OperationOutcome?
    var isCancelled = false
    var priority = "normal"
    /// How far it is, from 0 to 1; nil where that is unknown.
    var fraction: Double?
    /// The bytes received so far; empty without a transfer.
    var amount = ""
    /// How long it executes, executed, or waits.
    var time: Duration?
    /// The nearest reason why it does not go on; of a finished one, how it ended.
    var cause = ""
    var causeStyle = TextStyle.plain
    /// The number of attempts that have begun.
    var attempts = 0
    /// Its place in the line of its queue: the next to start has 1.
    var place: Int?
  }

  /// The numbers of operations by state.
  struct Counts: Sendable, Equatable {
    var executing = 0
    var waiting = 0
    var finished = 0
    var failed = 0
  }

  var queues: [Queue] = []
  var counts = Counts()
  /// The visible operations.
  var items: [Item] = []
  /// The position of the first of ``items``.
  var firstPosition = 0
  /// The number of operations that the filter selects.
  var total = 0
  /// The numbers of executing operations, the latest last, by the time of the session.
  var strip: [Int] = []
  /// The time that one of them stands for.
  var stripSlot = WatchHistory.longestSlot
  /// The seconds since the session started.
  var elapsed = 0.0
  /// Whether time passes only if the user lets it.
  var isVirtual = false
  /// Whether it shows a recording, in which nothing runs.
  var isReplay = false
  /// The lines of the panel, such as those of `why`.
  var panel: [WatchPanelLine] = []
  /// The name of the operation or queue that they are about.
  var panelName = ""
}
