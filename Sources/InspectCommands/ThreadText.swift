import Operations

/// The threads of operations in words.
enum ThreadText {
  /// Which thread an operation ran on, and whether it held it.
  static func text(of operation: ObservableOperation) -> String {
    guard let thread = operation.thread else {
      return "none: it began and waited without one"
    }
    let number = thread.number == 0 ? "" : " \(thread.number)"
    let name: String =
      switch thread.role {
      case .body: "body thread\(number)"
      case .pool: "thread\(number) of Foundation's pool"
      case .lent: "thread\(number), which had finished another operation"
      case .executor: "the interpreter's thread"
      case .caller: "thread\(number), which started it by hand"
      }
    guard operation.isAsynchronous else { return "\(name), from start to end" }
    return "\(name), only to begin; none while it waited"
  }
}
