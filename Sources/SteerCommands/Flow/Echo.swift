import CommandParts
import ShellLanguage
import ShellSession

/// `echo`: prints its words.
enum Echo: Command {
  static let text = Positional<[Value]>("text", help: "what to print")

  static let path = ["echo"]
  static let declaration = CommandDeclaration(
    summary: "Prints its words, with a space between them",
    positionals: [text],
    examples: [.init("let n = 3; echo \"there are $n\"", "variables and expressions")],
    searchTerms: ["print", "say", "write", "message"], traits: [.worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    invocation.printText(invocation.call[text].map(\.text).joined(separator: " "))
    return .null
  }
}
