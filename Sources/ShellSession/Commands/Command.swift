import OpshNetworking
package import Operations
import OpshSecrets
package import ShellLanguage
package import ShellOutput
package import OpshTerminal

/// One command: one type in one file, which says what it is called, what it takes, what it builds,
/// how it is used, and does it.
///
/// Help, completion, checks, routes and the virtual clock ask the command. Only the parser knows
/// four commands by their names: `alias`, `time`, `explain` and `at`.
package protocol Command: HostCommand {
  /// The operations that it builds; nil for one that builds none.
  static var builds: OperationKind? { get }

  /// What a call has to do with the clock.
  static func clockUse(of call: CommandCall) -> ClockUse

  /// What completion offers for its arguments beyond what follows from their kinds.
  static var completions: [ParameterCompletion] { get }

  /// Whether completion offers the operation where the command takes one: `start` has no use for
  /// one that has finished.
  static func isOffered(_ operation: ObservableOperation) -> Bool

  /// Returns whether a word that selects several operations, or `--where`, selects an operation.
  ///
  /// - Parameters:
  ///   - operation: The operation, which the word fits.
  ///   - isAll: Whether the word is `all`, which selects every unfinished one unless the command
  ///     says otherwise.
  ///   - jobs: The operations of the session.
  /// - Returns: Whether the command works on it.
  static func selects(_ operation: ObservableOperation, isAll: Bool, in jobs: Jobs) -> Bool

  /// Runs the command on the calling thread: the interpreter's, or that of a body.
  ///
  /// - Returns: Its value, which `let` keeps; null where it has none.
  static func run(_ invocation: Invocation) throws -> Value
}

extension Command {
  package static var builds: OperationKind? { nil }
  package static var printsNothing: Bool { builds != nil }
  package static func clockUse(of call: CommandCall) -> ClockUse { .none }
  package static var completions: [ParameterCompletion] { [] }
  package static func isOffered(_ operation: ObservableOperation) -> Bool { true }
  package static func selects(
    _ operation: ObservableOperation, isAll: Bool, in jobs: Jobs
  ) -> Bool {
    isAll ? operation.state != .finished : isOffered(operation)
  }
}

extension CommandSignature {
  /// The command of the shell; nil for a definition of a script.
  package var shellCommand: (any Command.Type)? { command as? any Command.Type }
}

/// A kind of operations that a command builds.
package struct OperationKind: Sendable {
  /// What `ops` calls it; operations without a name are called by its last word and a number.
  package let name: String
  /// What `queue route` calls those that can have a queue of their own.
  package let route: String?

  package init(_ name: String, route: String? = nil) {
    self.name = name
    self.route = route
  }

  /// The last word.
  package var word: String { name.split(separator: " ").last.map(String.init) ?? name }
}

/// What a call has to do with the clock of the session.
package enum ClockUse: Sendable {
  /// Nothing: it can run on any clock.
  case none
  /// It takes real time; the virtual clock refuses it with this error.
  case needsRealTime(Diagnostic)
  /// It works on the virtual clock alone; the real one refuses it with this error.
  case needsVirtualTime(Diagnostic)
  /// It sets the clock; nil where only running shows which.
  case setsClock(isVirtual: Bool?)

  /// Why programs and servers elsewhere are refused.
  package static let program = "a program takes real time"
  package static let otherServer = "a server elsewhere takes real time"
}

extension CommandCall {
  /// Returns the error of a call that takes real time, on the virtual clock.
  ///
  /// - Parameters:
  ///   - reason: Why, such as ``ClockUse/program``.
  ///   - parameter: The argument or the option that is to blame; nil for the whole call.
  /// - Returns: The error of running the call.
  package func failure(
    takingRealTime reason: String, at parameter: (any Parameter)? = nil
  ) -> Diagnostic {
    let message = "\(reason), which the virtual clock can't control"
    let help = "without 'set clock virtual' it can be done"
    guard let parameter else { return failure(.notVirtual, message, help: help) }
    return failure(.notVirtual, message, at: parameter, help: help)
  }
}

/// What completion offers for one argument or option.
package struct ParameterCompletion: Sendable {
  package let parameter: String
  package let candidates: @Sendable (Jobs, Outside) -> [CompletionCandidate]

  /// - Parameters:
  ///   - parameter: The argument or option.
  ///   - candidates: All that it can be, whatever is typed already.
  package init(
    _ parameter: some Parameter,
    _ candidates: @escaping @Sendable (Jobs, Outside) -> [CompletionCandidate]
  ) {
    self.parameter = parameter.name
    self.candidates = candidates
  }
}

/// One use of a command: its arguments, where it happens, and what it may work with.
package struct Invocation {
  package let jobs: Jobs
  package let outside: Outside
  package let screen: Screen
  package let run: Run
  package let call: CommandCall
  package let context: ExecutionContext
  /// Whether it prints what was received, in which nothing is hidden.
  package var isReceived = false
  /// Which of the operations of an earlier use is built anew; nil for an ordinary use.
  package var rebuilt: Rebuilt?

  /// One of the operations that a use of a command has built.
  package struct Rebuilt: Sendable {
    /// Its place among them, from 0.
    let index: Int
    /// The name of the new one; nil for an automatic one.
    package let name: String?
    /// The operation that it replaces.
    package let original: ObservableOperation
  }

  /// The places of the operations to build, out of so many.
  package func places(of count: Int) -> Range<Int> {
    guard let rebuilt else { return 0..<count }
    return rebuilt.index..<min(count, rebuilt.index + 1)
  }

  /// The option of every command that prints: objects instead of text, for this command alone.
  package static let json = Flag("json", help: "print JSON objects instead of text")

  /// Whether it prints objects: this command alone with `--json`, or the whole run.
  ///
  /// What a file or a program receives does not depend on how the run prints.
  package var isJSON: Bool { hasJSONFlag || (screen.output.isJSON && screen.sink.value == nil) }

  /// For requests with a body, '--json' is that.
  private var hasJSONFlag: Bool {
    call.signature.option(named: Self.json.name)?.kind == nil
      && call.mentions(Self.json)
  }

  // MARK: Output

  /// Prints a line of the command's text; with `--json` a `message` object.
  package func print(_ line: StyledText) {
    if isJSON {
      object(
        "message",
        [
          "command": .string(call.signature.path.joined(separator: " ")),
          "text": .string(line.plain),
        ])
    } else if let sink = screen.sink.value {
      sink.write(isReceived ? line : line.masked(by: screen.secrets.known))
    } else {
      screen.output.line(line, isReceived: isReceived, folds: !isReceived)
    }
  }

  /// Says to people that there is nothing to list; as data, a list of nothing is no line at all.
  package func printNothing(_ line: StyledText) {
    if !isJSON { print(line) }
  }

  /// The width for tables and charts: the terminal's; nil without a terminal, and for text that
  /// goes to a file or a program, which needs all of it.
  package var width: Int? { screen.sink.value == nil ? screen.output.width() : nil }

  package func print(_ table: Table) {
    var table = table
    if !isReceived, screen.secrets.known.generation > 0 {
      // Before a column is made too narrow for the whole of a secret.
      table.rows = table.rows.map { row in row.map { $0.masked(by: screen.secrets.known) } }
    }
    for line in table.lines(width: width, ascii: screen.output.isASCII) {
      print(line)
    }
  }

  /// Prints what there is to know of one thing: names, and beside them texts.
  package func print(rows: [(name: String, text: StyledText)]) {
    let width = rows.map { TextWidth.columns(of: $0.name) }.max() ?? 0
    for row in rows {
      print(StyledText(TextWidth.pad(row.name, to: width), style: .dim) + "  " + row.text)
    }
  }

  /// Prints one object of the `--json` contract.
  package func object(
    _ type: String, at instant: ContinuousClock.Instant? = nil, _ fields: JSONFields
  ) {
    screen.output.object(
      type, at: instant ?? jobs.past?.instant, fields, through: screen.sink.value)
  }

  // MARK: Operations and queues

  /// The one operation that an argument stands for.
  package func operation(_ parameter: some Parameter<OperationName>) throws -> ObservableOperation {
    try operation(for: call[parameter], at: parameter)
  }

  /// The one operation that an argument stands for, if it is given.
  package func operation(
    _ parameter: some Parameter<OperationName?>
  ) throws -> ObservableOperation? {
    try call[parameter].map { try operation(for: $0, at: parameter) }
  }

  private func operation(
    for name: OperationName, at parameter: some Parameter
  ) throws -> ObservableOperation {
    let all = try operations(for: name.value, at: parameter, index: 0)
    guard let first = all.first, all.count == 1 else {
      throw call.failure(.oneOperation, "expected one operation, found \(all.count)", at: parameter)
    }
    return first
  }

  /// The operations that a value stands for.
  package func operations(
    for value: Value, at parameter: some Parameter, index: Int, skipsMissing: Bool = false
  ) throws -> [ObservableOperation] {
    switch value {
    case .object(let object as OperationObject):
      guard let operation = jobs.shown(object.operation) else {
        throw call.failure(
          jobs.laterOperation(object.text)
            ?? UnplacedError(.unknownOperation, "there was no operation '\(object.text)' then"),
          at: parameter, index: index)
      }
      return [operation]
    case .list(let elements):
      return try elements.flatMap {
        try operations(for: $0, at: parameter, index: index, skipsMissing: skipsMissing)
      }
    case .integer(let id):
      return try jobs.operations(matching: String(id), in: call, at: parameter, index: index)
    case .string(let text):
      return try jobs.operations(
        matching: text, in: call, at: parameter, index: index, skipsMissing: skipsMissing)
    default:
      throw call.failure(
        .notAnOperation, "expected an operation, found \(value.typeName) '\(value.text)'",
        at: parameter, index: index)
    }
  }

  /// What the place of the call means.
  package var info: ContextInfo { ContextInfo(of: context) }

  /// The queue that an argument names; the default one where it names none.
  ///
  /// In the block of a group that is the group's own.
  ///
  /// - Parameters:
  ///   - parameter: The argument.
  ///   - allowsFinished: Whether the queue of a group that has finished will do: to wait for it is
  ///     no error, however fast the group was.
  /// - Returns: The queue.
  /// - Throws: A diagnostic at the argument where there is no such queue.
  package func queue(
    _ parameter: some Parameter<QueueName?>, allowsFinished: Bool = false
  ) throws -> InspectableQueue {
    guard let name = call[parameter] else { return info.group?.innerQueue ?? jobs.queues.inUse }
    return try queue(name, at: parameter, allowsFinished: allowsFinished)
  }

  /// The queues that an argument names: every one for `all`.
  package func queues(_ parameter: some Parameter<QueueName?>) throws -> [InspectableQueue] {
    if call[parameter]?.value.text == "all" { return jobs.allQueues }
    return [try queue(parameter)]
  }

  /// The queue that an argument names.
  package func queue(
    _ parameter: some Parameter<QueueName>, allowsFinished: Bool = false
  ) throws -> InspectableQueue {
    try queue(call[parameter], at: parameter, allowsFinished: allowsFinished)
  }

  private func queue(
    _ value: QueueName, at parameter: some Parameter, allowsFinished: Bool
  ) throws -> InspectableQueue {
    if case .object(let object as QueueObject) = value.value, let queue = jobs.shown(object.queue) {
      return queue
    }
    let name = value.value.text
    if let queue = jobs.queue(named: name) { return queue }
    if let group = jobs.operations.operation(named: name) as? GroupOperation {
      if allowsFinished { return group.innerQueue }
      guard call.signature.shellCommand?.builds != nil else {
        throw call.failure(
          .unknownQueue, "group '\(name)' has finished, and its queue with it", at: parameter)
      }
      // As where the group finishes a moment later.
      throw call.failure(
        UnplacedError(
          QueueError.groupFinished(name: group.displayName), page: run.commands.errorPage),
        at: parameter)
    }
    if let queue = jobs.queues.queue(meant: name) { return queue }
    let canBeMade =
      (try? UnplacedError.check(name: name, reserved: QueueRegistry.reservedNames)) != nil
    throw call.failure(
      .unknownQueue, "there is no queue '\(name)'", at: parameter,
      help: Spelling.help(for: name, among: jobs.allQueues.map(\.name))
        ?? (canBeMade ? "'queue new \(name)' makes it; " : "") + "'queue' lists them")
  }
}

extension ErrorPage {
  package static let oneOperation = ErrorPage(
    "one-operation", "Several operations where one is wanted",
    "A pattern, a list or 'all' stands for several; this command works on one.",
    help: "name one of them", wrong: "delay 1ms --count 2\nwait\nfollow delay-*",
    right: "delay 1ms --count 2\nwait\nfollow delay-1", proof: .running)

  package static let notAnOperation = ErrorPage(
    "not-an-operation", "The value is not an operation",
    "The variable holds something else, such as a queue or a number.",
    wrong: "let q = queue new slow\nwait $q", right: "let q = delay 1ms\nwait $q", proof: .running)
}
