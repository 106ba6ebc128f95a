import Operations
import ShellLanguage

/// `cancel`: asks operations to cancel.
enum Cancel: Command {
  static let signature = CommandSignature(
    path: ["cancel"],
    summary: "Cancels operations",
    discussion: """
      Cancelling is asked first and happens later: a request or a delay that executes ends at \
      once, a block only when its body returns, and what has not started finishes when its queue \
      gets to it. A group is cancelled with all that is in it. 'cancel all' cancels every unfinished operation, and may find none.
      """,
    positionals: [
      .init(
        "operation", .name("operation"), .oneOrMore,
        help: "ids, names, patterns, 'last' or 'all'")
    ],
    examples: [
      .init("delay 10s; cancel last; wait", "one operation"),
      .init("delay 10s --count 3; cancel delay-*; wait", "by pattern"),
    ],
    searchTerms: ["stop", "kill", "abort", "end"])

  static func run(_ invocation: Invocation) throws -> Value {
    // All are marked before the first one stops, or others would start in the slots set free.
    ObservableOperation.cancelAll(
      invocation.session.withMembers(try invocation.operations("operation")))
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}
