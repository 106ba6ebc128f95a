import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `set keep`: limits of the records of finished operations: their number, and the size of their
/// values and texts.
enum SetKeep: Setting {
  static let name = "keep"
  static let summary = "Limits of the records of finished operations: a number, and a size"
  static let discussion = """
    The size counts the values of finished operations (bodies, pages, the output of programs, \
    results of blocks), responses of servers with an error, and the texts of errors. Beyond it the \
    oldest values are dropped first: 'result' then fails with 'value-dropped'. A value stays while \
    an unfinished operation depends on its operation, and the newest value always stays. If error \
    texts alone exceed the size, the oldest operations that have them are dropped. Beyond the \
    number the oldest operations are dropped: 'ops', 'show' and 'result' no longer find them, and \
    their names can be used again, while the counts in 'stats', 'queue' and the summary stay \
    right. A variable keeps an operation, but not its value: 'let v = (NAME.result)' keeps the \
    value. 'log' without a name goes further back: it keeps \
    \(OperationRegistry.entriesPerRecord) transitions for each record that may be kept, but at \
    least \(OperationRegistry.logCapacity(keeping: 0)), and a quarter of the size of their texts, \
    but at least \(Value.size(Int64(OperationRegistry.logTextLimit(keeping: 0))).text).
    """
  static let argument = Positional<[Value]>(
    "value",
    .oneOf([.integer(minimum: 0, maximum: 1_000_000_000), .size, .choice(["unlimited"])]),
    help: "a number of operations (default \(OperationRegistry.defaultLimit)), a size (default "
      + "\(Value.size(Int64(OperationRegistry.defaultSizeLimit)).text)), or both; 'unlimited' "
      + "removes the limit that the other value does not set, alone both"
  ).refused { call, argument in
    guard let values = call.known(argument) else { return nil }
    do throws(UnplacedError) {
      _ = try KeepLimits(values)
      return nil
    } catch {
      return call.failure(error, at: argument, index: 1)
    }
  }
  static let examples: [CommandDeclaration.Example] = [
    .init("set keep", "both limits"),
    .init("set keep 2; delay 1ms --count 5; wait; ops; stats", "only the last two have a record"),
    .init("set keep 1000 16MB", "less of both"),
    .init("set keep 256MB", "room for larger values; the number stays"),
  ]
  static let searchTerms = [
    "memory", "records", "history", "forget", "limit", "retain", "bytes", "size", "values",
  ]

  static func value(in invocation: Invocation) -> Value {
    let registry = invocation.jobs.operations
    return .list([
      registry.limit.map { .integer(Int64($0)) } ?? .string("unlimited"),
      registry.sizeLimit.map { .size(Int64($0)) } ?? .string("unlimited"),
    ])
  }

  static func content(of call: CommandCall) -> [Value]? {
    let values = call[argument]
    return values.isEmpty ? nil : values
  }

  static func set(_ values: [Value], in invocation: Invocation) throws {
    let limits = try KeepLimits(values)
    let registry = invocation.jobs.operations
    if let number = limits.number { registry.limit = number.limit }
    if let size = limits.size { registry.sizeLimit = size.limit }
    // The limits apply to earlier events, too.
    invocation.run.drainIfInterpreter()
    invocation.screen.feed.dropExcess()
    invocation.run.fitLogCapacity()
    invocation.jobs.engine.log.setTextLimit(
      OperationRegistry.logTextLimit(keeping: registry.sizeLimit))
  }
}

/// The limits that the words after 'set keep' set; nil for a limit that does not change.
struct KeepLimits: Equatable {
  /// A limit, or no limit.
  struct Bound: Equatable {
    let limit: Int?
  }

  private static func contradiction(_ message: String) -> UnplacedError {
    UnplacedError(
      .badLimit, message, help: "'set keep NUMBER SIZE', such as 'set keep 1000 64MB', sets both")
  }

  private(set) var number: Bound?
  private(set) var size: Bound?

  init(_ values: [Value]) throws(UnplacedError) {
    guard values.count <= 2 else {
      throw Self.contradiction("expected a number and a size, found \(values.count) values")
    }
    var unlimitedCount = 0
    for value in values {
      switch value {
      case .integer(let count) where number == nil: number = Bound(limit: Int(clamping: count))
      case .size(let bytes) where size == nil: size = Bound(limit: Int(clamping: bytes))
      case .string: unlimitedCount += 1
      default: throw Self.contradiction("'\(value.text)' sets the same limit a second time")
      }
    }
    guard unlimitedCount > 0 else { return }
    number = number ?? Bound(limit: nil)
    size = size ?? Bound(limit: nil)
  }
}

extension ErrorPage {
  static let badLimit = ErrorPage(
    "bad-limit", "The limits of 'set keep' contradict each other",
    "It takes a number of operations, a size, or one of each.",
    help: "'set keep NUMBER SIZE' sets both", wrong: "set keep 10 20", right: "set keep 10 20MB")
}
