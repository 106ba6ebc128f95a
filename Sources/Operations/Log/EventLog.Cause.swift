extension EventLog {
  /// The reason of an entry as data; the text is made when the entry is read.
  enum Cause: Sendable {
    case added
    /// The same, and it is ready no more until its start delay is over.
    case addedWithDelay
    case noDependencies
    /// The entry names them.
    case dependenciesMet
    case cancelledWhilePending
    /// Cancelling was asked for, by whom if that is known.
    case cancelling(by: CancelRequest?)
    case slot(Int, width: Int)
    /// It ended in the ordinary way after so many nanoseconds.
    case spent(Int64)
    case text(String)
    /// Its failure, which the outcome of the entry holds, with what there is to add.
    case failure(note: String?)

    /// The cause that a recording gives as text: one that decides which notifications are sent, or
    /// the text itself.
    init(recorded reason: String, of event: Entry.Event) {
      if event == .cancelling, let request = CancelRequest(inReason: reason) {
        self = .cancelling(by: request)
        return
      }
      switch reason {
      case Self.noDependenciesText: self = .noDependencies
      case Self.cancelledWhilePendingText:
        self = .cancelledWhilePending
      default: self = .text(reason)
      }
    }

    /// The reason, if it is kept as text.
    var text: String? {
      if case .text(let text) = self { text } else { nil }
    }

    /// Who cancelled, if it says so.
    var cancelRequest: CancelRequest? {
      if case .cancelling(let request) = self { request } else { nil }
    }

    static let noDependenciesText = "no dependencies"
    static let cancelledWhilePendingText = "cancelled, it no longer waits"
  }
}
