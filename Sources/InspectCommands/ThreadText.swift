import Operations

/// The threads of operations in words.
enum ThreadText {
  /// Which thread an operation ran on, and whether it held it.
  static func text(of operation: ObservableOperation) -> String {
    guard let thread = operation.thread else {
      return "none: it began and waited without one"
    }
    guard operation.isAsynchronous else { return "\(thread.name), from start to end" }
    return "\(thread.name), only to begin; none while it waited"
  }
}
