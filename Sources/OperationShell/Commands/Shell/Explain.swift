import ShellLanguage
import Terminal

/// `explain`: what an error means.
enum Explain: Command {
  static let signature = CommandSignature(
    path: ["explain"],
    summary: "Shows what the code of an error means",
    discussion: """
      Each page has a wrong example and its right form. Without a code it lists all. Errors show \
      their code with '--json', and in '$e.code' of a 'catch'.
      """,
    positionals: [
      .init("code", .string, .optional, help: "the code")
    ],
    examples: [
      .init("explain unclosed-quote", "one code"), .init("explain | head -3", "all of them"),
    ],
    searchTerms: ["error", "code", "diagnostic", "meaning", "why"])

  static func run(_ invocation: Invocation) throws -> Value {
    guard let code = invocation.call.string("code") else {
      for line in ErrorCatalog.overview {
        invocation.print(StyledText(line, style: line.hasPrefix(" ") ? .plain : .bold))
      }
      return .null
    }
    guard let page = ErrorCatalog.page(code) else {
      throw invocation.call.failure(
        "unknown-choice", "there is no error '\(code)'", at: "code",
        help: ErrorCatalog.help(forUnknown: code, list: "explain"))
    }
    for (index, line) in ErrorCatalog.lines(of: page).enumerated() {
      invocation.print(StyledText(line, style: index == 0 ? .bold : .plain))
    }
    return .null
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    ErrorCatalog.pages.map { CompletionCandidate($0.code, summary: $0.summary) }
  }
}
