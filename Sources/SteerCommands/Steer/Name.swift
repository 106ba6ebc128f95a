import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `name`: renames an operation.
enum Name: Command {
  static let operation = Positional<OperationName>("operation", help: "id, name, or 'last'")
  static let name = Positional<String>(
    "new name", .newName(reserved: OperationRegistry.reservedNames), help: "new name")

  static let path = ["name"]
  static let declaration = CommandDeclaration(
    summary: "Renames an unfinished operation",
    discussion: """
      Earlier transitions keep the old name. A group's queue is renamed with it. A finished operation \
      keeps its name.
      """,
    positionals: [operation, name],
    examples: [
      .init("delay 10ms --hold; name last nap; start nap; wait nap", "a name for what has a number")
    ],
    searchTerms: ["rename", "label", "call"], traits: [.waits])

  static func names(createdBy call: CommandCall) -> [CreatedName] {
    let operations = CreatedName.operations(call.known(name), count: 1)
    return operations + operations.map { CreatedName("queue", $0.extent) }
  }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state != .finished }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let operation = try invocation.operation(operation)
    let new = call[name]
    guard operation.state != .finished else {
      throw call.failure(
        .alreadyFinished, "'\(operation.displayName)' has finished and keeps its name",
        at: Self.operation)
    }
    if operation is GroupOperation, invocation.jobs.queues.queue(named: new) != nil {
      throw call.failure(GroupNames.takenByQueue(new), at: name)
    }
    do {
      if operation is GroupOperation {
        try UnplacedError.check(name: new, reserved: GroupNames.reservedNames)
      }
      try invocation.jobs.operations.rename(operation, to: new)
    } catch {
      throw call.failure(error, at: name)
    }
    return invocation.objects([operation])
  }
}
