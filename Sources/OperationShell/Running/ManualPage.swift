import ShellSession

/// The manual pages, generated from the descriptions that help and checking use.
public enum ManualPage: Sendable {
  /// The pages there are: of the program, in section 1, and of the language, in section 7.
  static let names = ["opsh", "opsh-language"]

  /// Returns a page as roff.
  ///
  /// - Parameter name: `opsh` or `opsh-language`.
  /// - Returns: The page, without its last line feed.
  /// - Throws: `CommandLineMisuse` for another name.
  public static func text(named name: String) throws -> String {
    switch name {
    case names[0]: program
    case names[1]: language
    default:
      throw CommandLineMisuse(
        "'--man' is \(names.joined(separator: " or ")), and not '\(name)'", options: ["--man"])
    }
  }

  private static var program: String {
    var page = RoffPage("opsh", section: 1, summary: "an operation shell")
    page.heading("Synopsis")
    for usage in ProgramOption.usages { page.line(bold: usage.call) }
    page.heading("Description")
    page.paragraph(
      "opsh is a shell in which you build live operations, put them on queues that you can inspect, "
        + "and steer them while every change of state appears as it happens. The requests go to a "
        + "practice server that is part of opsh, until 'endpoint live' selects the real service.")
    page.paragraph(
      ProgramOption.standardInput + " A script may begin with '#!/usr/bin/env opsh'. "
        + "It is checked completely before its first statement runs.")
    page.heading("Options")
    for option in ProgramOption.all {
      let usage = option.spellings.joined(separator: ", ")
      page.item(usage + (option.value.map { " " + $0.placeholder } ?? ""), sentence(option.help))
    }
    page.heading("Exit status")
    page.paragraph(ProgramOption.exitStatus)
    page.heading("Files")
    page.item("$XDG_CONFIG_HOME/opsh/rc", "Runs before the first prompt.")
    page.item("$XDG_DATA_HOME/opsh/store.sqlite", "Quotes, search tags and the cache.")
    page.item("$XDG_STATE_HOME/opsh/history", "The typed lines.")
    page.heading("Examples")
    page.code(["opsh -c 'fetch questions; wait; result questions-1'", "opsh --check lesson.opsh"])
    page.heading("See also")
    page.paragraph("`opsh-language`(7)")
    return page.text
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  /// The reference page, whose Markdown uses headings, items, indented code and paragraphs only.
  private static var language: String {
    var page = RoffPage(
      "opsh-language", section: 7, summary: "the language and the commands of opsh")
    var paragraph: [Substring] = []
    var code: [String] = []
    func end() {
      if !paragraph.isEmpty { page.paragraph(paragraph.joined(separator: " ")) }
      if !code.isEmpty { page.code(code) }
      (paragraph, code) = ([], [])
    }
    for line in Reference.text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("    ") {
        if code.isEmpty { end() }
        code.append(String(line.dropFirst(4)))
        continue
      }
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix("- `") || !code.isEmpty { end() }
      if line.hasPrefix("### ") {
        page.subheading(String(line.dropFirst(4)))
      } else if line.hasPrefix("## ") {
        page.heading(String(line.dropFirst(3)))
      } else if line.hasPrefix("# ") {
        page.heading("Description")
      } else if line.hasPrefix("- `"), let middle = line.firstRange(of: "`: ") {
        page.item(
          String(line[line.index(line.startIndex, offsetBy: 3)..<middle.lowerBound]),
          String(line[middle.upperBound...]))
      } else if !line.isEmpty {
        paragraph.append(line)
      }
    }
    end()
    page.heading("See also")
    page.paragraph("`opsh`(1)")
    return page.text
  }
}
