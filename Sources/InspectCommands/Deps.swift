import CommandParts
import OpshJSON
import OpshNetworking
import Operations
package import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `deps`: shows, adds and removes dependencies.
enum Deps: Command {
  static let operation = Positional<OperationName?>(
    "operation", help: "operation that has the dependencies (with --graph default: all)")
  static let change = Positional<Change?>("change", help: "add (on) or remove (off)")
  static let others = Positional<[OperationName]>(
    "others", help: "operations that it depends on"
  ).refused { call, others in
    guard call.known(change) == .on, let name = call.texts(of: operation).first?.text,
      !GlobPattern.isPattern(name), name != "all",
      let (_, index) = call.texts(of: others).first(where: {
        $0.text.split(separator: ",").contains(name[...])
      })
    else { return nil }
    return call.failure(
      DependencyError.selfDependency(name: name), at: others, index: index,
      help: "name another operation after 'on'")
  }
  static let onFailure = Option<FailurePolicy?>(
    "on-failure", help: "if a dependency fails: run (as Foundation does), skip, or fail")

  static let graph = Flag("graph", help: "draw the dependencies in layers, also indirect ones")

  /// What happens to the dependencies.
  enum Change: String, CaseIterable, ParameterValue {
    case on, off
  }

  static let path = ["deps"]
  static let declaration = CommandDeclaration(
    summary: "Shows, adds or removes the dependencies of an operation",
    discussion: """
      'deps OP' shows what it depends on and what depends on it. 'deps OP on OP…' makes it wait \
      for others, as long as it has not started; a cycle is refused with its path. 'deps OP off \
      OP…' removes dependencies. 'deps --graph' draws all dependencies in layers, 'deps OP \
      --graph' only those that lead to the operation or from it. Without '--on-failure' a new dependency has the policy run, and \
      an existing one keeps its policy.
      """,
    positionals: [operation, change, others], options: [onFailure, graph],
    examples: [
      .init("delay 10ms --name a; delay 10ms --name b --after a; deps b", "shown"),
      .init(
        "queue pause; delay 10ms --name a; delay 10ms --name b; deps b on a; queue resume",
        "added while both wait"),
      .init(
        "delay 1s --name a; delay 1s --name b; delay 1s --name c --after a,b\ndeps --graph; wait",
        "three operations in two layers"),
    ],
    searchTerms: ["dependency", "dependencies", "after", "edge", "graph", "layers", "draw", "DAG"],
    traits: [.inspects], rules: [ArgumentRule(incomplete), ArgumentRule(misplaced)])

  /// Refuses `deps` without an operation, and `deps a on` without others.
  @Sendable private static func incomplete(_ call: CommandCall) -> Diagnostic? {
    if let operation = call.known(operation), operation == nil, !call.mentions(graph) {
      return call.failure(
        .missingArgument, "'deps' needs an operation", at: Self.operation,
        help: "'deps OP', or 'deps --graph' for all dependencies")
    }
    guard let change = call.known(change) ?? nil, call.lacks(others) else { return nil }
    return call.failure(
      .missingArgument, "'deps OP \(change.rawValue)' needs at least one operation after it",
      at: Self.change)
  }

  /// Refuses options for something else than what the call does.
  @Sendable private static func misplaced(_ call: CommandCall) -> Diagnostic? {
    if call.has(graph), call.has(change) || call.has(onFailure) {
      return call.failure(
        .conflictingOptions, "'--graph' shows dependencies; it does not change them", at: graph)
    }
    // The rest of a call may follow an alias.
    guard call.has(onFailure), let change = call.known(change),
      change == .off || (change == nil && call.inheritedOptions != nil)
    else { return nil }
    return call.failure(
      .missingOption, "'--on-failure' says more about 'deps OP on OP…' only", at: onFailure)
  }

  static func canLookBack(_ call: CommandCall) -> Bool { !call.mentions(change) }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    if call[graph] { return try draw(invocation) }
    guard let operation = try invocation.operation(Self.operation) else {
      preconditionFailure("the rules accepted 'deps' without an operation")
    }
    guard let change = call[Self.change] else {
      show(operation, invocation)
      return .list(
        operation.upstream.map {
          .object(OperationObject($0.operation, clock: invocation.jobs.clock))
        })
    }
    let others = try invocation.operations(Self.others)
    try invocation.refuseInReplay()
    let policy = call[onFailure]
    invocation.run.drainIfInterpreter()
    let (state, before) = (operation.state, operation.upstream)
    defer { showChange(of: operation, state, from: before, invocation) }
    invocation.jobs.engine.noteTime()
    // Looked up once: there may be as many dependencies as are added.
    let present = Dictionary(
      uniqueKeysWithValues: before.map { ($0.operation.id, $0.policy) })
    for other in others {
      do {
        if change == .on {
          try refuseCycle(operation, waitingFor: other, invocation)
          let policy = policy ?? present[other.id] ?? .run
          if try dependsInFoundation(operation, on: other, policy) { continue }
          try operation.depend(on: other, policy: policy)
        } else if try !operation.removeDependency(on: other) {
          throw call.failure(
            .noSuchDependency,
            "'\(operation.displayName)' does not depend on '\(other.displayName)'", at: Self.others)
        }
      } catch let error as DependencyError {
        throw call.failure(error, at: Self.others)
      }
    }
    return .null
  }

  /// Shows among the transitions what an operation depends on now, and what it waits for.
  private static func showChange(
    of operation: ObservableOperation, _ state: OperationState, from before: [DependencyEdge],
    _ invocation: Invocation
  ) {
    let after = operation.upstream
    let (old, new) = (Set(before.map(\.operation.id)), Set(after.map(\.operation.id)))
    let added = after.filter { !old.contains($0.operation.id) }.map(\.operation)
    let removed = before.filter { !new.contains($0.operation.id) }.map(\.operation)
    let changes =
      (added.isEmpty ? [] : ["depends on \(OperationList.names(added))"])
      + (removed.isEmpty ? [] : ["no longer depends on \(OperationList.names(removed))"])
    guard !changes.isEmpty else { return }
    let unmet = after.map(\.operation).filter { $0.state != .finished }
    let names = { (edges: [DependencyEdge]) in
      JSONValue.array(edges.map { .string($0.operation.displayName) })
    }
    invocation.screen.show(
      SteeringEffect(
        .operation(operation, state), "dependencies", from: names(before), to: names(after),
        text: changes.joined(separator: ", "),
        reason: unmet.isEmpty || operation.ignoresDependencies
          ? "waits for none" : "waits for \(unmet.count)"))
  }

  private static func draw(_ invocation: Invocation) throws -> Value {
    let chosen = try invocation.operation(operation)
    let graph =
      chosen.map { DependencyGraph(around: $0) } ?? DependencyGraph(invocation.jobs.operations.all)
    let nodes = graph.nodes
    if invocation.isJSON {
      for node in nodes {
        let others = node.dependencies.map {
          OperationDescription.reference(to: nodes[$0].operation).value
        }
        invocation.object(
          .graph,
          [
            "operation": OperationDescription.reference(to: node.operation).value,
            "layer": .number(node.layer), "dependencies": .array(others),
            "state": .string(node.operation.state.rawValue),
            "outcome": .optional(node.operation.outcome?.name),
          ])
      }
    } else if nodes.isEmpty {
      invocation.printNothing("no operation depends on another")
    } else {
      let width = invocation.width ?? Prose.width
      GraphText(graph, width: width).lines.forEach(invocation.print)
    }
    return .list(nodes.map { .object(OperationObject($0.operation, clock: invocation.jobs.clock)) })
  }

  /// Handles what a queue of Foundation decides otherwise: it accepts cycles, and depends on nothing
  /// elsewhere.
  ///
  /// - Returns: Whether nothing is left to do.
  private static func dependsInFoundation(
    _ operation: ObservableOperation, on other: ObservableOperation, _ policy: FailurePolicy
  ) throws -> Bool {
    guard let operation = operation as? FoundationOperation, operation.queue != nil else {
      return false
    }
    let link = operation.link
    if let reason = link.refusal(ofDependencyOn: other, policy) {
      throw QueueError.driver(queue: operation.queueName ?? "", reason: reason)
    }
    do throws(DependencyError) {
      try operation.depend(on: other, policy: policy)
    } catch {
      guard case .cycle(let path) = error else { throw error }
      link.closeCycle(operation, waitingFor: other, path: path)
    }
    return true
  }

  /// Refuses a cycle that includes a group or a barrier: the engine finds cycles of dependencies only.
  private static func refuseCycle(
    _ operation: ObservableOperation, waitingFor other: ObservableOperation,
    _ invocation: Invocation
  ) throws {
    guard
      !invocation.jobs.operations.groups.isEmpty
        || invocation.jobs.allQueues.contains(where: { !$0.barriers.isEmpty }),
      operation !== other, let path = other.waitPath(to: operation, .start)
    else { return }
    let names = [operation.displayName] + path.map(\.displayName)
    let others = zip(path, path.dropFirst()).compactMap { wait(of: $0, for: $1) }
    throw invocation.call.failure(
      .dependencyCycle, "the dependency would close a cycle: \(names.joined(separator: " → "))",
      at: Self.others, help: others.isEmpty ? nil : others.joined(separator: "; "))
  }

  /// How an operation waits for another one, if not as its dependency.
  private static func wait(
    of operation: ObservableOperation, for other: ObservableOperation
  ) -> String? {
    guard !operation.upstream.contains(where: { $0.operation === other }) else { return nil }
    let how =
      other.group === operation
      ? "as one of its operations"
      : operation.isBarrier || other.isBarrier
        ? "at a barrier"
        : Set(operation.exclusiveNames).intersection(other.exclusiveNames).min().map {
          "for the exclusive name '\($0)'"
        }
    return how.map { "'\(operation.displayName)' waits for '\(other.displayName)' \($0)" }
  }

  private static func show(_ operation: ObservableOperation, _ invocation: Invocation) {
    let upstream = operation.upstream
    let downstream = operation.downstream
    if invocation.isJSON {
      for edge in upstream {
        invocation.object(
          .deps,
          fields(operation, "dependency", edge.operation, edge.policy, dependent: operation))
      }
      for other in downstream {
        let policy = other.upstream.first { $0.operation === operation }?.policy
        invocation.object(
          .deps, fields(operation, "dependent", other, policy, dependent: other))
      }
      return
    }
    let labels = OperationLabels([operation] + upstream.map(\.operation) + downstream)
    let name = StyledText(labels.label(of: operation), style: .bold)
    if upstream.isEmpty {
      invocation.print(name + " depends on nothing")
    } else {
      let ignores = operation.ignoresDependencies
      invocation.print(name + (ignores ? " is cancelled and ignores" : " depends on"))
      for edge in upstream { invocation.print("  " + line(for: edge, of: operation, labels)) }
    }
    guard !downstream.isEmpty else { return }
    invocation.print("needed by")
    for dependent in downstream {
      invocation.print(
        "  " + StyledText(labels.label(of: dependent), style: .bold) + ", "
          + OperationTable.state(of: dependent))
    }
  }

  private static func fields(
    _ operation: ObservableOperation, _ relation: String, _ other: ObservableOperation,
    _ policy: FailurePolicy?, dependent: ObservableOperation
  ) -> [String: JSONValue] {
    [
      "operation": OperationDescription.reference(to: operation).value,
      "relation": .string(relation), "other": OperationDescription.reference(to: other).value,
      "state": .string(other.state.rawValue), "outcome": .optional(other.outcome?.name),
      "policy": .optional(policy?.rawValue), "ignored": .boolean(dependent.ignoresDependencies),
    ]
  }

  /// The name and state of a dependency, and its policy unless it is that of Foundation.
  static func line(
    for edge: DependencyEdge, of dependent: ObservableOperation, _ labels: OperationLabels
  ) -> StyledText {
    let name = StyledText(labels.label(of: edge.operation), style: .bold)
    let text = name + ", " + OperationTable.state(of: edge.operation)
    guard edge.policy != .run else { return text }
    guard let outcome = edge.operation.outcome else {
      return text + StyledText("; if it does not succeed: \(edge.policy.rawValue)")
    }
    guard outcome != .succeeded, let end = dependent.outcome, end != .succeeded else {
      return text
    }
    return name + " " + StyledText("\(outcome.mark) \(outcome.name)", style: .outcome(outcome))
      + StyledText(VisibleText.escape(", so '\(dependent.displayName)' is \(end.name)"))
  }
}

extension ErrorPage {
  package static let noSuchDependency = ErrorPage(
    "no-such-dependency", "The operation does not depend on the other",
    "'deps OP' lists what it depends on.", help: "'deps OP' lists what it depends on",
    wrong: "delay 1ms --hold --name a\ndelay 1ms --hold --name b\ndeps b off a",
    right:
      "delay 1ms --hold --name a\ndelay 1ms --hold --name b --after a\ndeps b off a\nstart a\nstart b\nwait",
    proof: .running)
}

extension ObjectKind {
  package static let deps = ObjectKind(
    type: "deps", commands: "`deps`, one for each dependency and each dependent",
    keys: [
      operation,
      (
        "relation",
        "`dependency`: the operation depends on the other; `dependent`: it is needed by it"
      ),
      ("other", "the other operation, `{id, name}`"), ("state", "the state of the other"),
      ("outcome", "how the other ended, or null"),
      ("policy", "what happens if the dependency fails: `run`, `skip` or `fail`"),
      ("ignored", "true where the dependent was cancelled and waits for nothing"),
    ])

  package static let graph = ObjectKind(
    type: "graph", commands: "`deps --graph`, one for each operation",
    keys: [
      operation, ("layer", "1 without dependencies, otherwise one more than the lowest of them"),
      ("dependencies", "what it depends on, a list of `{id, name}`"), state, outcome,
    ])
}
