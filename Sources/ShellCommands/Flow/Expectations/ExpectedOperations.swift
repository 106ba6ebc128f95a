import Operations
import ShellLanguage
import ShellSession

/// The operations that expressions are about.
struct ExpectedOperations {
  /// Those named before a dot, or kept in a variable, and the unfinished ones of a queue.
  private(set) var named: [ObservableOperation] = []
  /// Those that are counted, whether they fit or not.
  private(set) var counted: [ObservableOperation] = []

  /// Creates the list of what there is now.
  init(_ expressions: [ShellLanguage.Expression], _ invocation: Invocation) {
    let (session, context) = (invocation.session, invocation.context)
    for expression in expressions {
      for name in expression.objectNames {
        Self.collect(session.object(named: name, in: context) ?? .null, into: &named)
      }
      for name in expression.variableNames {
        Self.collect(context.variable(name) ?? .null, into: &named)
      }
      for clause in expression.countClauses {
        guard case .bareWord(let word) = clause.things.kind,
          let things = session.collection(named: word, in: context)
        else { continue }
        things.forEach { Self.collect($0, into: &counted) }
      }
    }
  }

  /// All of them, each once.
  var all: [ObservableOperation] {
    var seen: Set<Int> = []
    return (named + counted).filter { seen.insert($0.id).inserted }
  }

  private static func collect(_ value: Value, into found: inout [ObservableOperation]) {
    switch value {
    case .object(let object as OperationObject): found.append(object.operation)
    case .object(let object as QueueObject): found += object.queue.operations
    case .list(let elements): elements.forEach { collect($0, into: &found) }
    default: break
    }
  }
}
