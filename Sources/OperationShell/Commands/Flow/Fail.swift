import ShellLanguage

/// `fail`: an error of the script's own.
enum Fail: Command {
  static let signature = CommandSignature(
    path: ["fail"],
    summary: "Ends with an error of your own",
    discussion: "In a block body it makes the operation fail; elsewhere it is an error like any.",
    positionals: [.init("message", .string, help: "what went wrong")],
    examples: [.init("block { fail \"out of paint\" }; wait --any-outcome", "a body that fails")],
    searchTerms: ["error", "throw", "raise", "abort"], alwaysFails: true)

  static func run(_ invocation: Invocation) throws -> Value {
    throw invocation.call.failure("script", invocation.call.string("message") ?? "failed")
  }
}
