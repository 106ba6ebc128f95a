import CommandParts
import Operations
package import ShellLanguage
import ShellSession

/// `close`: lets an open group finish.
enum Close: Command {
  static let group = Positional<[OperationName]>(
    "group", .name("open group"), atLeastOne: true,
    help: "ids, names or patterns of groups built with '--open'")

  static let path = ["close"]
  static let declaration = CommandDeclaration(
    summary: "Lets a group that was built with '--open' finish",
    discussion: """
      The group takes more operations as long as some in it are unfinished, and finishes when all \
      of them have: at once if nothing is left in it. 'cancel' ends an open group too.
      """,
    positionals: [group],
    examples: [
      .init(
        "group work --open { delay 5ms }; sleep 10ms; delay 5ms --queue work; close work; wait",
        "added when all that was in it had finished")
    ],
    searchTerms: ["group", "open", "complete", "end", "add later"], traits: [.waits])

  static func isOffered(_ operation: ObservableOperation) -> Bool {
    (operation as? GroupOperation)?.isOpen == true
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    // All are checked before the first one is closed, so that a refusal changes nothing.
    let groups = try invocation.operations(group).map { operation in
      let name = operation.displayName
      guard let group = operation as? GroupOperation else {
        throw call.failure(.notOpen, "'\(name)' is not a group", at: Self.group)
      }
      guard group.isOpen else {
        throw call.failure(
          .notOpen,
          group.state == .finished
            ? "group '\(name)' has finished" : "group '\(name)' is not open", at: Self.group)
      }
      return group
    }
    for group in groups { group.isOpen = false }
    return .null
  }
}

extension ErrorPage {
  package static let notOpen = ErrorPage(
    "not-open", "Only an open group can be closed",
    "A group finishes by itself when all that is in it has. One built with '--open' also waits for "
      + "'close', once.", help: "'group NAME --open { … }' builds a group that stays open",
    wrong: "group g --open { delay 1ms }\nclose g\nclose g",
    right: "group g --open { delay 1ms }\nclose g\nwait", proof: .running)
}
