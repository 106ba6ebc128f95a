import Operations
import ShellLanguage
import ShellSession

/// The operations that expressions are about.
struct ExpectedOperations {
  /// Those named before a dot, or kept in a variable.
  private(set) var named: [ObservableOperation] = []
  /// Those that are counted, whether they fit or not.
  private(set) var counted: [ObservableOperation] = []
  /// The unfinished ones of the queues that they are about.
  private var onQueues: [ObservableOperation] = []

  /// Creates the list of what there is now.
  init(_ expressions: [ShellLanguage.Expression], _ invocation: Invocation) {
    let context = invocation.context
    for expression in expressions {
      for name in expression.objectNames {
        collect(invocation.jobs.object(named: name, in: context) ?? .null, into: \.named)
      }
      for name in expression.variableNames {
        collect(context.variable(name) ?? .null, into: \.named)
      }
      for clause in expression.countClauses {
        guard case .bareWord(let word) = clause.things.kind,
          let things = invocation.jobs.collection(named: word)
        else { continue }
        things.forEach { collect($0, into: \.counted) }
      }
    }
  }

  /// All of them, each once.
  var all: [ObservableOperation] {
    var seen: Set<Int> = []
    return (named + counted + onQueues).filter { seen.insert($0.id).inserted }
  }

  /// Whether the expressions are about any operation, and not only about queues and values.
  var areNamed: Bool { !named.isEmpty || !counted.isEmpty }

  private mutating func collect(
    _ value: Value, into list: WritableKeyPath<Self, [ObservableOperation]>
  ) {
    switch value {
    case .object(let object as OperationObject): self[keyPath: list].append(object.operation)
    case .object(let object as QueueObject): onQueues += object.queue.operations
    case .list(let elements): elements.forEach { collect($0, into: list) }
    default: break
    }
  }
}
