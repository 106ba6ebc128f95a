import Operations
import ShellLanguage

/// `set keep`: how many finished operations have a record.
enum SetKeep: Setting {
  static let name = "keep"
  static let summary = "How many finished operations are kept"
  static let discussion = """
    Beyond that the oldest records are dropped: 'ops', 'show' and 'result' know no more of those \
    operations, and their names can be taken anew, while the counts in 'stats', 'queue' and the \
    summary stay right. What a variable holds stays usable through it. 'log' without a name has \
    their transitions for some time more: it keeps \(OperationRegistry.entriesPerRecord) for each \
    record that may be kept.
    """
  static let kind = ArgumentKind.oneOf([
    .integer(minimum: 0, maximum: 1_000_000_000), .choice(["unlimited"]),
  ])
  static let valueHelp = "a number, or 'unlimited'; \(OperationRegistry.defaultLimit) at the start"
  static let examples: [CommandSignature.Example] = [
    .init("set keep", "the number"),
    .init("set keep 2; delay 1ms --count 5; wait; ops; stats", "only the last two have a record"),
  ]
  static let searchTerms = ["memory", "records", "history", "forget", "limit", "retain"]

  static func value(in session: Session) -> Value {
    session.operations.limit.map { .integer(Int64($0)) } ?? .string("unlimited")
  }

  static func set(_ value: Value, in session: Session) {
    let limit: Int? = if case .integer(let number) = value { Int(number) } else { nil }
    session.operations.limit = limit
    // What happened before counts already.
    session.drainIfInterpreter()
    session.feed.dropExcess()
    session.log.setCapacity(OperationRegistry.logCapacity(keeping: limit))
  }
}
