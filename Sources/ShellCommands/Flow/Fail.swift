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

extension ErrorPage {
  static let script = ErrorPage(
    "script", "The script itself says that it failed",
    "'fail' ends a body or a script with a message of its own.", wrong: "fail \"no data\"",
    right: "try { fail \"no data\" } catch e { echo $e.message }", proof: .running)
}
