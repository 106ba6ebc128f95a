import ShellCommands

/// The pages of `opsh explain`, for the command line.
public enum Explanation: Sendable {
  /// The page of the one code on a command line.
  ///
  /// - Parameter codes: The arguments after `explain`; their indices are those of the command line.
  /// - Returns: The text, without the last line feed.
  /// - Throws: `CommandLineMisuse` for an unknown code, and for several.
  public static func text(of codes: ArraySlice<String>) throws -> String {
    if codes.count > 1 {
      throw CommandLineMisuse("'explain' takes one code").at(codes.startIndex + 1)
    }
    do {
      return try text(codes.first)
    } catch let misuse as CommandLineMisuse {
      throw misuse.at(codes.startIndex)
    }
  }

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
