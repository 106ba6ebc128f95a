import CommandParts
import ShellLanguage
import ShellSession

/// `fail`: an error of the script's own.
enum Fail: Command {
  static let message = Positional<String>("message", help: "what went wrong")

  static let path = ["fail"]
  static let declaration = CommandDeclaration(
    summary: "Ends with an error of your own",
    discussion: "In a block body it makes the operation fail; elsewhere it is like any error.",
    positionals: [message],
    examples: [.init("block { fail \"out of paint\" }; wait --any-outcome", "a body that fails")],
    searchTerms: ["error", "throw", "raise", "abort"], traits: [.alwaysFails, .worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    throw invocation.call.failure(.script, invocation.call[message])
  }
}
