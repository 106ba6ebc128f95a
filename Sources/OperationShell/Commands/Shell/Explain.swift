import Locking
import ShellLanguage
import Terminal

/// `explain`: what an error means.
enum Explain: Command {
  static let signature = CommandSignature(
    path: ["explain"],
    summary: "Shows what the code of an error means",
    discussion: """
      Each page has a wrong example and its right form. Without a code it explains the last error \
      that was shown or that an operation failed with; if there was none, it lists all codes. The \
      code stands in brackets at the end of an error, in the errors of '--json', and in '$e.code' \
      of a 'catch'.
      """,
    positionals: [
      .init("code", .string, .optional, help: "the code, as the error shows it")
    ],
    options: [.init("all", help: "list all codes")],
    examples: [
      .init("explain unclosed-quote", "one code"),
      .init("explain file(2)", "an error of the system"),
      .init("explain --all | head -3", "all codes"),
    ],
    searchTerms: ["error", "code", "diagnostic", "meaning", "why"])

  static func run(_ invocation: Invocation) throws -> Value {
    let last = invocation.session.state.withLock { $0.lastErrorCode }
    guard !invocation.call.flag("all"), let code = invocation.call.string("code") ?? last else {
      for line in ErrorCatalog.overview {
        invocation.print(StyledText(line, style: line.hasPrefix(" ") ? .plain : .bold))
      }
      return .null
    }
    guard let page = ErrorCatalog.page(code) else {
      throw invocation.call.failure(
        "unknown-choice", "there is no error '\(code)'", at: "code",
        help: ErrorCatalog.help(forUnknown: code, list: "explain --all"))
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
