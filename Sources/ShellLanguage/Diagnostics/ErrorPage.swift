/// What there is to say about one code of an error or a warning.
///
/// ```swift
/// LanguageErrors.page("unclosed-quote")?.right  // echo "hello"
/// ```
public struct ErrorPage: Sendable {
  /// How the wrong example shows the code.
  public enum Proof: Sendable, Hashable {
    /// Checking the example gives an error of this code.
    case checking
    /// Checking it gives a warning.
    case warning
    /// It checks clean, and running it gives the code.
    case running
    /// It takes a state of the world that an example cannot bring about.
    case none
  }

  /// The stable name, such as `unclosed-quote`.
  public let code: String
  /// What it says, in one line without a final full stop.
  public let summary: String
  /// What it means, and why it is so.
  public let meaning: String
  /// What to do where the error itself says nothing better.
  public let help: String?
  /// A script that has it.
  public let wrong: String
  /// The script as it was meant.
  public let right: String
  /// How the wrong example shows it.
  public let proof: Proof

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - code: The stable name.
  ///   - summary: What it says, in one line.
  ///   - meaning: What it means.
  ///   - help: What to do where the error itself says nothing better.
  ///   - wrong: A script that has it.
  ///   - right: The script as it was meant.
  ///   - proof: How the wrong example shows it.
  public init(
    _ code: String, _ summary: String, _ meaning: String, help: String? = nil, wrong: String,
    right: String, proof: Proof = .checking
  ) {
    self.code = code
    self.summary = summary
    self.meaning = meaning
    self.help = help
    self.wrong = wrong
    self.right = right
    self.proof = proof
  }
}

/// The codes of the language itself; a host has more of its own.
public enum LanguageErrors: Sendable {
  /// All pages, in groups.
  public static let groups: [(title: String, pages: [ErrorPage])] = [
    ("Reading a script", text + signs + statements),
    ("Commands and their arguments", commands),
    ("Names", names),
    ("Values", values),
  ]

  private static let byCode: [String: ErrorPage] = Dictionary(
    groups.flatMap { $0.pages.map { ($0.code, $0) } }, uniquingKeysWith: { first, _ in first })

  /// Returns the page of a code.
  public static func page(_ code: String) -> ErrorPage? { byCode[code] }

  /// What to do about an error that says nothing about it itself.
  static func standardHelp(_ code: String) -> String? { byCode[code]?.help }
}
