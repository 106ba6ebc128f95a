import Operations
import ShellLanguage

/// `set keep`: how many finished operations have a record, and how much their values and texts may
/// take.
enum SetKeep: Setting {
  static let name = "keep"
  static let summary = "Limits of what is kept of finished operations: their number, and a size"
  static let discussion = """
    The size counts the values of finished operations (bodies, pages, the output of programs, \
    results of blocks), what servers sent with a refusal, and the texts of errors. Beyond it the \
    oldest values are dropped first: 'result' then fails with 'value-dropped'. A value stays while \
    an unfinished operation depends on its operation, and the newest value always stays. Where \
    error texts alone exceed the size, the oldest operations that have them are dropped. \
    Beyond the number the oldest operations are dropped: 'ops', 'show' and 'result' no longer find \
    them, and their names can be taken again, while the counts in 'stats', 'queue' and the summary \
    stay right. A variable keeps an operation, but not its value: 'let v = (NAME.result)' keeps \
    that. 'log' without a name goes further back: it keeps \
    \(OperationRegistry.entriesPerRecord) transitions for each record that may be kept, and a \
    quarter of the size of their texts.
    """
  static let kind = ArgumentKind.oneOf([
    .integer(minimum: 0, maximum: 1_000_000_000), .size, .choice(["unlimited"]),
  ])
  static let valueHelp =
    "a number of operations (default \(OperationRegistry.defaultLimit)), a size (default "
    + "\(Value.size(Int64(OperationRegistry.defaultSizeLimit)).text)), or both; 'unlimited' sets "
    + "what the other value does not, alone both"
  static let examples: [CommandSignature.Example] = [
    .init("set keep", "both limits"),
    .init("set keep 2; delay 1ms --count 5; wait; ops; stats", "only the last two have a record"),
    .init("set keep 1000 16MB", "less of both"),
    .init("set keep 256MB", "room for larger values; the number stays"),
  ]
  static let searchTerms = [
    "memory", "records", "history", "forget", "limit", "retain", "bytes", "size", "values",
  ]

  static var signature: CommandSignature {
    CommandSignature(
      path: ["set", name], summary: summary, discussion: discussion,
      positionals: [.init("value", kind, .repeating, help: valueHelp)], examples: examples,
      searchTerms: searchTerms)
  }

  static func value(in session: Session) -> Value {
    let registry = session.operations
    return .list([
      registry.limit.map { .integer(Int64($0)) } ?? .string("unlimited"),
      registry.sizeLimit.map { .size(Int64($0)) } ?? .string("unlimited"),
    ])
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    let values = invocation.call.values("value")
    if values.isEmpty {
      show(invocation)
    } else {
      do {
        try set(.list(values), in: session)
      } catch let error as any CodedFailure {
        throw invocation.call.failure(error.code, error.message, at: "value", help: error.help)
      }
    }
    return value(in: session)
  }

  static func set(_ value: Value, in session: Session) throws {
    let values: [Value] = if case .list(let values) = value { values } else { [value] }
    let limits = try KeepLimits(values)
    let registry = session.operations
    if let number = limits.number { registry.limit = number.limit }
    if let size = limits.size { registry.sizeLimit = size.limit }
    // What happened before counts already.
    session.drainIfInterpreter()
    session.feed.dropExcess()
    session.log.setCapacity(OperationRegistry.logCapacity(keeping: registry.limit))
    session.log.setTextLimit(OperationRegistry.logTextLimit(keeping: registry.sizeLimit))
  }
}

/// The limits that the words after 'set keep' stand for; nil for one that stays as it is.
struct KeepLimits: Equatable {
  /// A limit, or none.
  struct Bound: Equatable {
    let limit: Int?
  }

  /// That the words contradict each other.
  struct Contradiction: CodedFailure {
    let code = "bad-limit"
    let message: String
    let help: String? = "'set keep NUMBER SIZE', such as 'set keep 1000 64MB', sets both"

    init(message: String) { self.message = message }

    init(second text: String) {
      self.init(message: "'\(text)' sets the same limit a second time")
    }
  }

  private(set) var number: Bound?
  private(set) var size: Bound?

  init(_ values: [Value]) throws {
    guard values.count <= 2 else {
      throw Contradiction(message: "expected a number and a size, found \(values.count) values")
    }
    var unlimitedCount = 0
    for value in values {
      switch value {
      case .integer(let count) where number == nil: number = Bound(limit: Int(clamping: count))
      case .size(let bytes) where size == nil: size = Bound(limit: Int(clamping: bytes))
      case .string: unlimitedCount += 1
      default: throw Contradiction(second: value.text)
      }
    }
    guard unlimitedCount > 0 else { return }
    number = number ?? Bound(limit: nil)
    size = size ?? Bound(limit: nil)
  }
}
