import ShellLanguage

/// Every code that an error or a warning can have, with a page each.
///
/// A test looks for codes in the sources, and fails for one that has no page here.
enum ErrorCatalog {
  /// The pages in the groups in which `explain` lists them.
  static let groups: [(title: String, pages: [ErrorPage])] =
    LanguageErrors.groups + [
      ("Finding operations and queues", finding),
      ("Building and steering", steering),
      ("How operations end", outcomes),
      ("The network", network),
      ("The practice server and the service", world),
      ("What is kept", stores),
      ("Files and programs", files),
      ("The run", run),
    ]

  static let pages: [ErrorPage] = groups.flatMap(\.pages)

  private static let byCode: [String: ErrorPage] = Dictionary(
    pages.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })

  /// The page of a code; what stands in parentheses behind it, as in `file(2)`, does not count.
  static func page(_ code: String) -> ErrorPage? {
    byCode[String(code.prefix { $0 != "(" })]
  }

  /// The text of a page, line by line.
  static func lines(of page: ErrorPage) -> [String] {
    func example(_ text: String) -> [String] {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }
    }
    var lines = ["\(page.code): \(page.summary)", ""]
    lines += HelpPage.wrap(page.meaning)
    if let help = page.help { lines += [""] + HelpPage.wrap("Help: \(help).") }
    lines += ["", "Wrong:"] + example(page.wrong) + ["", "Right:"] + example(page.right)
    return lines
  }

  /// All codes with what they say, in groups, line by line.
  static var overview: [String] {
    let width = pages.map(\.code.count).max() ?? 0
    var lines: [String] = []
    for (title, pages) in groups {
      if !lines.isEmpty { lines.append("") }
      lines.append(title)
      for page in pages {
        lines.append(
          "  " + page.code + String(repeating: " ", count: width - page.code.count + 2)
            + page.summary)
      }
    }
    return lines
  }
}

/// The pages of `opsh explain`, for the command line.
public enum Explanation: Sendable {
  /// The page of a code, or nil where there is none.
  ///
  /// - Parameter code: The code; nil lists all.
  /// - Returns: The text, without the last line feed.
  public static func text(_ code: String?) -> String? {
    guard let code else { return ErrorCatalog.overview.joined(separator: "\n") }
    return ErrorCatalog.page(code).map { ErrorCatalog.lines(of: $0).joined(separator: "\n") }
  }

  /// What to say about a code that has no page.
  ///
  /// - Parameter code: The code.
  /// - Returns: One sentence, with the name that may have been meant.
  public static func complaint(_ code: String) -> String {
    let near = Spelling.help(for: code, among: ErrorCatalog.pages.map(\.code))
    return "there is no error '\(code)'; " + (near ?? "'opsh explain' lists all")
  }
}
