import Networking
import Operations
import ShellLanguage
import Terminal

/// `deps`: shows dependencies, adds them, removes them.
enum Deps: Command {
  static let signature = CommandSignature(
    path: ["deps"],
    summary: "Shows, adds or removes the dependencies of an operation",
    discussion: """
      'deps OP' shows what it depends on and what depends on it. 'deps OP on OP…' makes it wait \
      for others, as long as it has not started; a cycle is refused with its path. 'deps OP off \
      OP…' takes dependencies away. Where '--on-failure' is left out, a dependency that is there \
      already keeps what it says.
      """,
    positionals: [
      .init("operation", .name("operation"), help: "whose dependencies"),
      .init("change", .choice(["on", "off"]), .optional, help: "add or remove"),
      .init(
        "others", .name("operation"), .repeating,
        help: "what it depends on"),
    ],
    options: [
      .init(
        "on-failure", .choice(FailurePolicy.allCases.map(\.rawValue)),
        help: "what to do if one of those does not succeed: run all the same, be skipped, or fail")
    ],
    examples: [
      .init("delay 10ms --name a; delay 10ms --name b --after a; deps b", "shown"),
      .init(
        "queue pause; delay 10ms --name a; delay 10ms --name b; deps b on a; queue resume",
        "added while both wait"),
    ],
    searchTerms: ["dependency", "dependencies", "after", "edge", "graph"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let operation = try invocation.operation("operation")
    if call.string("change") != "on", call.has("on-failure") {
      throw call.failure(
        "missing-option", "'--on-failure' says more about 'deps OP on OP…' only", at: "on-failure")
    }
    guard let change = call.string("change") else {
      show(operation, invocation)
      return .list(
        operation.upstream.map {
          .object(OperationObject($0.operation, clock: invocation.session.clock))
        })
    }
    let others = try invocation.operations("others")
    guard call.has("others") else {
      throw call.failure(
        "missing-argument", "'deps OP \(change)' wants the operations it is about", at: "change")
    }
    let policy = call.string("on-failure").flatMap(FailurePolicy.init(rawValue:))
    // Looked up once: there may be as many as are added.
    let present = Dictionary(
      uniqueKeysWithValues: operation.upstream.map { ($0.operation.id, $0.policy) })
    for other in others {
      do {
        if change == "on" {
          try refuseCircle(operation, waitingFor: other, invocation)
          try operation.depend(on: other, policy: policy ?? present[other.id] ?? .run)
        } else if try !operation.removeDependency(on: other) {
          throw call.failure(
            "no-such-dependency",
            "'\(operation.displayName)' does not depend on '\(other.displayName)'", at: "others")
        }
      } catch let error as DependencyError {
        throw call.failure(error.code, error.message, at: "others")
      }
    }
    return .null
  }

  /// Refuses a circle that goes through a group: the engine looks for circles of dependencies only.
  private static func refuseCircle(
    _ operation: ObservableOperation, waitingFor other: ObservableOperation,
    _ invocation: Invocation
  ) throws {
    let session = invocation.session
    guard !session.operations.landmarks.groups.isEmpty, operation !== other else { return }
    var graph = session.orderGraph()
    let ends: Set<WaitGraph.Node> = [graph.start(of: operation), graph.finish(of: operation)]
    guard let path = graph.path(from: graph.finish(of: other), to: ends) else { return }
    let names = [operation.displayName] + path.map(\.displayName)
    throw invocation.call.failure(
      "dependency-cycle", "the dependency would close a cycle: \(names.joined(separator: " → "))",
      at: "others")
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
      for edge in upstream { invocation.print("  " + line(for: edge, labels)) }
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

  /// The dependency's name and state, and the policy where it is not Foundation's.
  static func line(for edge: DependencyEdge, _ labels: OperationLabels) -> StyledText {
    let text =
      StyledText(labels.label(of: edge.operation), style: .bold) + ", "
      + OperationTable.state(of: edge.operation)
    guard edge.policy != .run else { return text }
    return text + StyledText(", unless it succeeds: \(edge.policy.rawValue)")
  }
}

extension ObservableOperation {
  /// Whether it was cancelled before it ran, so that it waits for nothing.
  var ignoresDependencies: Bool { isCancelled && timestamps.executing == nil }
}
