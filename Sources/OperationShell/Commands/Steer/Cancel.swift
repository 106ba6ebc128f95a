import Operations
import ShellLanguage
import Terminal

/// `cancel`: asks operations to cancel.
enum Cancel: Command {
  static let signature = CommandSignature(
    path: ["cancel"],
    summary: "Cancels operations",
    discussion: """
      Cancelling sets a flag; the operation ends when it notices: an executing request or delay \
      at once, a block when its body returns, and an operation that has not started when its \
      queue gets to it. A finished operation stays as it is, and the command says so. A group is \
      cancelled with all that is in it. 'cancel all' cancels every unfinished operation, and may \
      find none.
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
    var finished: [ObservableOperation] = []
    for value in invocation.call.values("operation") {
      let meant = try invocation.operations(for: value, argument: "operation")
      // Of a pattern, those that have finished are not what is meant if others have not.
      if meant.allSatisfy({ $0.state == .finished }) { finished += meant }
    }
    // All are marked before the first one stops, or others would start in the slots set free.
    ObservableOperation.cancelAll(
      invocation.session.withMembers(try invocation.operations("operation")), by: "'cancel'")
    if let first = finished.first {
      let verb = finished.count == 1 ? "has already finished" : "have already finished"
      let outcome = finished.count == 1 ? ": " + OperationTable.outcome(of: first) : ""
      invocation.print(
        StyledText(VisibleText.escape("\(OperationTable.names(finished)) \(verb)")) + outcome)
    }
    return .null
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }
}
