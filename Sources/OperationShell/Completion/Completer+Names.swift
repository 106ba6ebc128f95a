import CommandParts
import Operations
import ShellCommands
import ShellLanguage
import ShellSession
import OpshTerminal

extension Completer {
  // MARK: Operations and queues

  /// Operations by name, or by id if digits were typed; unfinished ones first.
  ///
  /// Takes time proportional to the number of operations, with next to nothing for each that does
  /// not match.
  func addOperations(
    to list: inout CandidateList, offersAll isInAll: ((ObservableOperation) -> Bool)?,
    where isOffered: (ObservableOperation) -> Bool
  ) {
    let all = session.jobs.operations.all
    guard let last = all.last else { return }
    if list.prefix.first?.isNumber == true {
      for operation in all where list.wants(String(operation.id)) && isOffered(operation) {
        list.add(
          String(operation.id),
          summary: "\(operation.displayName), \(Self.description(of: operation))")
      }
      return
    }
    if isOffered(last), list.wants("last") {
      list.add("last", summary: "\(last.displayName), \(Self.description(of: last))")
    }
    if let isInAll, list.wants("all"), all.contains(where: { isInAll($0) && isOffered($0) }) {
      list.add("all", summary: "every operation that the command is for")
    }
    var finished: [ObservableOperation] = []
    // A name means its newest operation; older ones are offered by their ids.
    for operation in all
    where list.wants(operation.displayName) && isOffered(operation)
      && session.jobs.operations.isNewestOfItsName(operation)
    {
      guard operation.state != .finished else {
        finished.append(operation)
        continue
      }
      list.add(operation.displayName, summary: Self.description(of: operation))
    }
    for operation in finished {
      list.add(operation.displayName, summary: Self.description(of: operation))
    }
  }

  /// Such as `fetch questions, executing`; a finished one with its outcome.
  static func description(of operation: ObservableOperation) -> String {
    let state = operation.outcome?.name ?? operation.state.rawValue
    let isCancelling = operation.isCancelled && operation.state != .finished
    return "\(operation.kind), \(state)\(isCancelling ? ", cancelled" : "")"
  }

  func addQueues(to list: inout CandidateList) {
    for queue in session.jobs.allQueues where list.wants(queue.name) {
      list.add(queue.name, summary: Self.description(of: queue))
    }
  }

  /// The exclusive names of unfinished operations.
  func addExclusiveNames(to list: inout CandidateList) {
    var needed: [String: Int] = [:]
    for operation in session.jobs.operations.exclusive where operation.state != .finished {
      for name in operation.exclusiveNames { needed[name, default: 0] += 1 }
    }
    for (name, count) in needed.sorted(by: { $0.key < $1.key }) {
      list.add(name, summary: "\(count) \(count == 1 ? "operation needs" : "operations need") it")
    }
  }

  /// Such as `width 2, paused, 3 waiting, 1 executing`.
  private static func description(of queue: InspectableQueue) -> String {
    let snapshot = queue.snapshot
    var parts = [snapshot.width < 0 ? "unlimited" : "width \(snapshot.width)"]
    if queue.pace > .zero { parts.append("pace \(Value.duration(queue.pace).text)") }
    if snapshot.isSuspended { parts.append("paused") }
    let waiting = snapshot.pending + snapshot.ready
    if waiting > 0 { parts.append("\(waiting) waiting") }
    if snapshot.executing > 0 { parts.append("\(snapshot.executing) executing") }
    return parts.joined(separator: ", ")
  }

  // MARK: Expressions

  /// Parts of an expression: objects by name, functions, and the words that properties are compared
  /// with.
  func addOperands(to list: inout CandidateList) {
    addOperations(to: &list, offersAll: nil) { _ in true }
    addQueues(to: &list)
    for function in BuiltinFunction.all {
      list.add(
        function.name + "(", summary: function.summary, appendsSpace: false,
        verbatim: list.wants(function.name))
    }
    guard !list.prefix.isEmpty else { return }
    for word in ["not", "true", "false", "null"] { list.add(word) }
    for candidate in CompletionCandidate.statesAndOutcomes {
      list.add(candidate.text, summary: candidate.summary)
    }
  }

  /// The names after a dot.
  func addProperties(of base: String, _ request: Request, to list: inout CandidateList) {
    if base.isEmpty {
      // The properties of the counted objects.
      for name in OperationObject.propertyNames where name != "result" { list.add(name) }
      return
    }
    if base == "$env" {
      // Names only: the environment's values may be secret.
      for name in session.outside.environment.keys.sorted() where Self.isName(name) {
        list.add(name, appendsSpace: false, verbatim: list.wants(name))
      }
      return
    }
    guard let value = value(of: base) else {
      for name in declaredProperties(of: base, request) {
        list.add(name, appendsSpace: false, verbatim: list.wants(name))
      }
      return
    }
    for name in value.propertyNames where list.wants(name) {
      list.add(
        name, summary: summary(of: value, name), appendsSpace: false, verbatim: true)
    }
  }

  /// The present value, if it is short.
  private func summary(of value: Value, _ name: String) -> String {
    // The complete value of an operation may be megabytes.
    guard name != "result", let property = value.property(name) else { return "" }
    switch property {
    case .list(let elements): return "\(elements.count) elements"
    case .record, .object: return property.typeName
    default: return String(session.screen.secrets.mask(property.text).prefix(40))
    }
  }

  /// Such as `last`, `$q`, `$q.error`: reading properties changes nothing.
  private func value(of base: String) -> Value? {
    let context = interpreter.makeContext()
    if !base.contains("."), !base.hasPrefix("$") {
      return session.jobs.object(named: base, in: context)
    }
    guard
      let expression = try? Parser.parseExpression(SourceText(name: "completion", text: base))
    else { return nil }
    return try? context.evaluate(expression)
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
    }
  }
}
