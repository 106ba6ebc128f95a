import ShellCommands

/// The pages of `opsh explain`, for the command line.
public enum Explanation: Sendable {
  /// The page of a code.
  ///
  /// - Parameter code: The code; nil lists all.
  /// - Returns: The text, without the last line feed.
  /// - Throws: `CommandLineMisuse` for an unknown code, with a suggestion.
  public static func text(_ code: String?) throws -> String {
    guard let code else { return ErrorCatalog.overview.joined(separator: "\n") }
    guard let page = ErrorCatalog.page(code) else {
      throw CommandLineMisuse(
        "there is no error '\(code)'",
        help: ErrorCatalog.help(forUnknown: code, list: "opsh explain"))
    }
    return ErrorCatalog.lines(of: page).joined(separator: "\n")
  }
}
