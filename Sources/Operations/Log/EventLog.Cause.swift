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
    case slot(Int, width: Int)
    /// It ended in the ordinary way after so many nanoseconds.
    case spent(Int64)
    case text(String)
    /// Its failure, which the outcome of the entry holds, with what there is to add.
    case failure(note: String?)

    /// The cause that a recording gives as text: one that decides which notifications are sent, or
    /// the text itself.
    init(recorded reason: String) {
      switch reason {
      case Self.noDependenciesText: self = .noDependencies
      case Self.cancelledWhilePendingText:
        self = .cancelledWhilePending
      default: self = .text(reason)
      }
    }

    static let noDependenciesText = "no dependencies"
    static let cancelledWhilePendingText = "cancelled, it no longer waits"
  }
}
