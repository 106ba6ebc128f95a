import CommandParts
import OpshLocking
import ShellLanguage
import ShellSession
import OpshTerminal

/// `explain`: what an error means.
enum Explain: Command {
  static let code = Positional<String?>(
    "code", help: "code, as the error shows it (default: that of the last error)"
  ).refusedEach { code in
    guard ErrorCatalog.page(code) == nil else { return nil }
    return UnplacedError(
      .unknownChoice, "there is no error '\(code)'",
      help: ErrorCatalog.help(forUnknown: code, list: "explain --all"))
  }
  static let all = Flag("all", help: "list all codes")

  static let path = ["explain"]
  static let declaration = CommandDeclaration(
    summary: "Shows what the code of an error means",
    discussion: """
      Each page has a wrong example and its right form. Without a code it explains the last error \
      that was shown or that an operation failed with; if there was none, it lists all codes. The \
      code is in brackets at the end of an error, in the errors of '--json', and in '$e.code' \
      of a 'catch'. A code with several causes, such as tls, has a page for each, which 'explain' \
      shows right after the error.
      """,
    positionals: [code], options: [all],
    examples: [
      .init("explain unclosed-quote", "one code"),
      .init("explain file(2)", "an error of the system"),
      .init("explain --all | head -3", "all codes"),
    ],
    searchTerms: ["error", "code", "diagnostic", "meaning", "why"], traits: [.inspects])

  static let completions = [
    ParameterCompletion(code) { _, _ in
      ErrorCatalog.pages.map { CompletionCandidate($0.topic, summary: $0.summary) }
    }
  ]

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let last = invocation.screen.state.withLock { $0.lastErrorTopic }
    guard !call[all], let page = (call[code] ?? last).flatMap(ErrorCatalog.page) else {
      for line in ErrorCatalog.overview {
        invocation.print(StyledText(line, style: line.hasPrefix(" ") ? .plain : .bold))
      }
      return .null
    }
    for (index, line) in ErrorCatalog.lines(of: page, terminal: invocation.width).enumerated() {
      invocation.print(StyledText(line, style: index == 0 ? .bold : .plain))
    }
    return .null
  }
}
