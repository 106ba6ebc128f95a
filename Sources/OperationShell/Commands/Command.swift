import Networking
import Operations
import Secrets
import ShellLanguage
import Terminal

/// One command: one type in one file, which says what it is called, what it takes, how it is used,
/// and does it.
///
/// Help, completion and checking are derived from the signature.
protocol Command: Sendable {
  static var signature: CommandSignature { get }

  /// Carries the command out on the calling thread: the interpreter's, or a body's.
  ///
  /// - Returns: Its value, which `let` keeps; null where it has none.
  static func run(_ invocation: Invocation) throws -> Value

  /// What completion offers for an argument besides what follows from its kind.
  ///
  /// - Parameters:
  ///   - argument: The name of a positional argument, or of an option with its dashes.
  ///   - session: What lives at the moment.
  /// - Returns: The candidates, those that don't fit included.
  static func completions(for argument: String, in session: Session) -> [CompletionCandidate]

  /// Whether completion offers the operation where the command takes one: `start` has no use for
  /// one that has finished.
  static func isOffered(_ operation: ObservableOperation) -> Bool
}

extension Command {
  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    []
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { true }
}

/// One use of a command: its arguments, and where it happens.
struct Invocation {
  let session: Session
  let call: CommandCall
  let context: ExecutionContext
  /// Whether it prints what was received, in which nothing is hidden.
  var isReceived = false

  /// Whether it prints objects: this command alone with `--json`, or the whole run.
  ///
  /// What a file or a program receives does not depend on how the run prints.
  var isJSON: Bool { hasJSONFlag || (session.output.isJSON && CurrentSink.value == nil) }

  /// For requests with a body, '--json' is that.
  private var hasJSONFlag: Bool {
    guard call.flag("json"), let option = call.signature.option(named: "json") else { return false }
    return option.kind == nil
  }

  // MARK: Output

  /// Prints a line of the command's text; with `--json` a `message` object.
  func print(_ line: StyledText) {
    if isJSON {
      object(
        "message",
        [
          "command": .string(call.signature.path.joined(separator: " ")),
          "text": .string(line.plain),
        ])
    } else if let sink = CurrentSink.value {
      sink.write(isReceived ? line : line.masked(by: session.secrets.known))
    } else {
      session.output.line(line, isReceived: isReceived)
    }
  }

  /// Says to people that there is nothing to list; as data, a list of nothing is no line at all.
  func printNothing(_ line: StyledText) {
    if !isJSON { print(line) }
  }

  func print(_ table: Table) {
    var table = table
    if !isReceived, session.secrets.known.generation > 0 {
      // Before a column is made too narrow for the whole of a secret.
      table.rows = table.rows.map { row in row.map { $0.masked(by: session.secrets.known) } }
    }
    for line in table.lines(width: session.output.width(), ascii: session.output.isASCII) {
      print(line)
    }
  }

  /// Prints one object of the `--json` contract.
  func object(
    _ type: String, at instant: ContinuousClock.Instant? = nil, _ fields: JSONFields
  ) {
    session.output.object(type, at: instant, fields, through: CurrentSink.value)
  }

  // MARK: Operations and queues

  /// The operations that the argument's words stand for, each once, in the order named.
  func operations(_ argument: String) throws -> [ObservableOperation] {
    var seen: Set<Int> = []
    return try call.values(argument).flatMap { value in
      try operations(for: value, argument: argument)
    }.filter { seen.insert($0.id).inserted }
  }

  /// The one operation that the argument stands for.
  func operation(_ argument: String) throws -> ObservableOperation {
    let all = try operations(argument)
    guard let first = all.first, all.count == 1 else {
      throw call.failure(
        "one-operation", "expected one operation, found \(all.count)",
        at: argument)
    }
    return first
  }

  func operations(for value: Value, argument: String) throws -> [ObservableOperation] {
    switch value {
    case .object(let object as OperationObject): return [object.operation]
    case .list(let elements):
      return try elements.flatMap { try operations(for: $0, argument: argument) }
    case .integer(let id):
      return try session.operations(matching: String(id), in: call, argument: argument)
    case .string(let text):
      return try session.operations(matching: text, in: call, argument: argument)
    default:
      throw call.failure(
        "not-an-operation", "\(value.typeName) '\(value.text)' is no operation", at: argument)
    }
  }

  /// What the place of the call means.
  var info: ContextInfo { ContextInfo(of: context) }

  /// The queue that something of a kind is built on where the call does not say: the one that its kind
  /// is routed to, or the one in use.
  func queue(forKind kind: String) throws -> InspectableQueue {
    try session.queues.route(of: QueueRegistry.routeKind(of: kind)) ?? queue()
  }

  /// The queue that the argument names; the one in use where it is left out.
  ///
  /// In the block of a group that is the group's own.
  ///
  /// - Parameters:
  ///   - argument: The argument.
  ///   - allowsFinished: Whether the queue of a group that has finished will do: to wait for it is
  ///     no error, however fast the group was.
  /// - Returns: The queue.
  /// - Throws: A diagnostic at the argument where there is no such queue.
  func queue(
    _ argument: String = "queue", allowsFinished: Bool = false
  ) throws -> InspectableQueue {
    let name: String
    switch call.values(argument).first {
    case nil: return info.group?.innerQueue ?? session.queues.inUse
    case .object(let object as QueueObject)?: return object.queue
    case let value?: name = value.text
    }
    if let queue = session.queue(named: name) { return queue }
    if let group = session.operations.operation(named: name) as? GroupOperation {
      if allowsFinished { return group.innerQueue }
      throw call.failure(
        "unknown-queue", "group '\(name)' has finished, and its queue with it", at: argument)
    }
    if let queue = session.queues.queue(meant: name) { return queue }
    let canBeMade = (try? NameError.check(name, reserved: QueueRegistry.reservedNames)) != nil
    throw call.failure(
      "unknown-queue", "there is no queue '\(name)'", at: argument,
      help: Spelling.help(for: name, among: session.allQueues.map(\.name))
        ?? (canBeMade ? "'queue new \(name)' makes it; " : "") + "'queue' lists them")
  }
}
