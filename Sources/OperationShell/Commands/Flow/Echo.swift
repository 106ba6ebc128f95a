import ShellLanguage
import Terminal

/// `echo`: prints its words.
enum Echo: Command {
  static let signature = CommandSignature(
    path: ["echo"],
    summary: "Prints its words, with a space between them",
    positionals: [
      .init("text", .any, .repeating, help: "what to print")
    ],
    examples: [.init("let n = 3; echo \"there are $n\"", "variables and expressions")],
    searchTerms: ["print", "say", "write", "message"])

  static func run(_ invocation: Invocation) throws -> Value {
    invocation.printText(invocation.call.strings("text").joined(separator: " "))
    return .null
  }
}
