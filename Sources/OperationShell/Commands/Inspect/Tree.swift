import Operations
import ShellLanguage
import Terminal

/// `tree`: groups with what is in them.
enum Tree: Command {
  static let signature = CommandSignature(
    path: ["tree"],
    summary: "Shows groups with their operations, and what those depend on",
    discussion: """
      Each operation stands under its group, with its state and, in a few words, what it waits \
      for; what it depends on stands under it. With an operation only that one is shown.
      """,
    positionals: [
      .init("operation", .name("operation"), .repeating, help: "an id, a name, a pattern, 'last'")
    ],
    examples: [
      .init(
        "group sync --hold { delay 5ms --name load; delay 5ms --after load }; tree; start sync",
        "a group of two, one after the other")
    ],
    searchTerms: ["hierarchy", "children", "nested", "outline", "graph"])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    // As in 'why', which says the same of each.
    session.letDueRun()
    let all = session.operations.all
    let roots =
      invocation.call.has("operation")
      ? try invocation.operations("operation") : all.filter { $0.group == nil }
    guard !roots.isEmpty else {
      invocation.printNothing("no operations yet")
      return .null
    }
    var outline = OperationOutline(all)
    for line in outline.lines(of: roots) { invocation.print(line) }
    return .list(roots.map { .object(OperationObject($0, clock: session.clock)) })
  }
}

/// Operations as an indented outline.
struct OperationOutline {
  /// Why something waits is looked up for so many only: each look takes time in proportion to what is
  /// on the queue.
  private static let mostExplained = 500

  private enum Item {
    case operation(ObservableOperation)
    case dependency(DependencyEdge)
  }

  private let members: [Int: [ObservableOperation]]
  private var explained = 0

  /// - Parameter operations: Those that can be members of groups.
  init(_ operations: [ObservableOperation]) {
    members = Self.members(of: operations)
  }

  /// The members of groups, by the group's id, in the order in which the operations stand.
  static func members(of operations: [ObservableOperation]) -> [Int: [ObservableOperation]] {
    var members: [Int: [ObservableOperation]] = [:]
    for operation in operations {
      if let group = operation.group { members[group.id, default: []].append(operation) }
    }
    return members
  }

  /// One line for each operation and each dependency; groups may be nested as deep as can be.
  mutating func lines(of roots: [ObservableOperation]) -> [StyledText] {
    var lines: [StyledText] = []
    for root in roots {
      lines.append(line(for: root))
      var stack = pending(below: root, margin: "")
      while let next = stack.popLast() {
        let mark = StyledText(next.margin + (next.isLast ? "└─ " : "├─ "), style: .dim)
        switch next.item {
        case .dependency(let edge):
          lines.append(mark + "after " + Deps.line(for: edge))
        case .operation(let operation):
          lines.append(mark + line(for: operation))
          stack += pending(below: operation, margin: next.margin + (next.isLast ? "   " : "│  "))
        }
      }
    }
    return lines
  }

  private typealias Pending = (item: Item, margin: String, isLast: Bool)

  /// What stands under an operation, the last first.
  private func pending(below operation: ObservableOperation, margin: String) -> [Pending] {
    let items =
      operation.upstream.map { Item.dependency($0) }
      + (members[operation.id] ?? []).map { Item.operation($0) }
    return items.enumerated().map { ($1, margin, $0 == items.count - 1) }.reversed()
  }

  private mutating func line(for operation: ObservableOperation) -> StyledText {
    var line =
      StyledText(VisibleText.escape(operation.displayName), style: .bold)
      + StyledText("  \(operation.kind), ", style: .dim) + OperationTable.state(of: operation)
    if operation.state == .finished {
      line += "  " + OperationTable.outcome(of: operation)
    } else if let words = waitingWords(operation) {
      line += ": " + StyledText(VisibleText.escape(words))
    }
    return line
  }

  private mutating func waitingWords(_ operation: ObservableOperation) -> String? {
    guard operation.state != .executing, explained < Self.mostExplained else { return nil }
    explained += 1
    return operation.waitReasons().first?.fewWords
  }
}

extension WaitReason {
  /// The reason in a few words, for where there is little room.
  var fewWords: String {
    let first = subject.first ?? ""
    let name = subject.count > 1 ? "\(first) and \(subject.count - 1) more" : first
    switch code {
    case .notOnQueue: return "not started"
    case .queuePaused: return "\(queue ?? "queue") is paused"
    case .queueFull: return "\(queue ?? "queue") is full"
    case .widthZero: return "\(queue ?? "queue") has width 0"
    case .dependency, .barrier, .higherPriority: return "waits for \(name)"
    case .exclusive: return "a name is held by \(name)"
    case .delay: return "delayed"
    case .pace: return "paced"
    case .pause: return "\(name) pauses"
    case .group: return "\(name) has not begun"
    case .deadlock: return "waits in a circle"
    }
  }
}
