/// What the user has chosen in `watch`.
struct WatchView: Sendable, Equatable {
  /// What covers part of the operations.
  enum Panel: Sendable, Equatable {
    case none
    /// The whole `why` of what is selected.
    case why
    /// The `show` of what is selected.
    case show
    /// The keys.
    case help
  }

  /// The order of the operations.
  enum Order: String, Sendable, CaseIterable {
    /// Executing ones, and then the line of each queue.
    case line = "the line"
    case id
    case waiting = "waiting time"
    case priority, queue

    /// The one after it, from the last to the first.
    var next: Order {
      let all = Self.allCases
      return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
  }

  var order: Order = .line
  /// The words that select operations.
  var filter = ""
  /// Whether keys are the text of the filter.
  var isTypingFilter = false
  var panel = Panel.none
  /// The first row of a panel that is shown.
  var panelStart = 0
  /// Whether the picture stands still; operations go on.
  var isFrozen = false
  /// The selected queue; nil if an operation is.
  var queue: Int?
  /// The selected operation.
  var operation: Int?
  /// The command that a key ran last.
  var command = ""
  /// What came of it.
  var message = ""
  var isError = false
}
