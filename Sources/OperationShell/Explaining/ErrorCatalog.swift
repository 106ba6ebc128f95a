import Foundation
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

  /// The page of a code as errors show it: what stands in parentheses after it, as in `file(2)`,
  /// and brackets around it do not count.
  static func page(_ code: String) -> ErrorPage? {
    byCode[stem(of: code)]
  }

  private static func stem(of code: String) -> String {
    let bare = code.hasPrefix("[") && code.hasSuffix("]") ? code.dropFirst().dropLast() : code[...]
    return String(bare.prefix { $0 != "(" })
  }

  /// What to do about an error of the system, by its number.
  ///
  /// - Parameter code: The code, such as `file(28)`.
  /// - Returns: The help.
  static func help(forSystem code: String) -> String? {
    guard code.hasPrefix("file("), let number = Int32(code.dropFirst(5).dropLast()) else {
      return page(code)?.help
    }
    switch number {
    case ENOENT: return page(code)?.help
    case EACCES, EPERM: return "look at who owns it and who may do what with it"
    case EROFS: return "choose a place on a disk that can be written to"
    case ENOSPC, EDQUOT: return "make room on the disk, or choose a place on another one"
    case EFBIG: return "'ulimit -f' and the disk say how large a file may be"
    case EISDIR: return "it is a folder; name a file, perhaps one in it"
    case ENOTDIR: return "check the path: what should be a folder in it is none"
    case ENAMETOOLONG: return "choose a shorter name"
    case ELOOP: return "check the links in the path: they lead round in a circle"
    case EMFILE, ENFILE: return "let fewer operations execute at once: too many files are open"
    default: return "the message is the system's own; try once more"
    }
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

  /// What to do about a code that there is not.
  ///
  /// - Parameters:
  ///   - code: What is written.
  ///   - list: How all are listed.
  /// - Returns: One sentence for a diagnostic's help.
  static func help(forUnknown code: String, list: String) -> String {
    Spelling.help(for: stem(of: code), among: pages.map(\.code)) ?? "'\(list)' lists all"
  }
}

/// The pages of `opsh explain`, for the command line.
public enum Explanation: Sendable {
  /// The page of a code.
  ///
  /// - Parameter code: The code; nil lists all.
  /// - Returns: The text, without the last line feed.
  /// - Throws: `CommandLineMisuse` for a code that there is not, with the one that may have been
  ///   meant.
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
