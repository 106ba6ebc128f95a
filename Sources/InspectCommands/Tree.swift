import CommandParts
import OpshNetworking
import Operations
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `tree`: shows groups with their operations.
enum Tree: Command {
  static let operation = Positional<[OperationName]>.shownOperations

  static let path = ["tree"]
  static let declaration = CommandDeclaration(
    summary: "Shows groups with their operations and the dependencies of these",
    discussion: """
      Each operation is listed under its group, with its state and, in a few words, what it waits \
      for; its dependencies are listed under it. With OPERATION only that operation is shown, with \
      the dependencies of its dependencies.
      """,
    positionals: [operation],
    examples: [
      .init(
        "group sync --hold { delay 5ms --name load; delay 5ms --after load }; tree; start sync",
        "a group of two, one after the other")
    ],
    searchTerms: ["hierarchy", "children", "nested", "outline", "graph"],
    traits: [.inspects])

  static func canLookBack(_ call: CommandCall) -> Bool { true }

  static func run(_ invocation: Invocation) throws -> Value {
    // As in 'why', which gives the same reasons.
    invocation.settle()
    let all = invocation.jobs.operations.all
    let roots =
      invocation.call.mentions(operation)
      ? try invocation.operations(operation) : all.filter { $0.group == nil }
    guard !roots.isEmpty else {
      if invocation.call.has(operation) { return .null }
      invocation.printNothing("no operations yet")
      return .null
    }
    // In the list of all operations each dependency has a line of its own anyway.
    var outline = OperationOutline(
      all, in: invocation.jobs, followsDependencies: invocation.call.mentions(operation))
    for row in outline.rows(of: roots) {
      if invocation.isJSON {
        invocation.object(.tree, outline.fields(of: row))
      } else {
        outline.lines(of: row, width: invocation.width).forEach(invocation.print)
      }
    }
    return .list(roots.map { .object(OperationObject($0, clock: invocation.jobs.clock)) })
  }
}

extension ObjectKind {
  package static let tree = ObjectKind(
    type: "tree", commands: "`tree`, one for each line",
    keys: [
      operation, ("kind", "what it does"), state, outcome,
      ("depth", "how far it is below the operation that the tree begins with"),
      ("relation", "`root`, `member` of the parent, or `dependency` of the parent"),
      ("parent", "the operation above it, `{id, name}`, or null"),
      ("policy", "of a dependency: what happens if it fails, else null"),
      ("waits", "what it waits for, in a few words, or null"),
    ])
}
