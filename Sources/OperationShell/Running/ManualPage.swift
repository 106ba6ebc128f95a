import ShellCommands

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
    page.paragraph(
      "Of the commands, `help` shows where to begin, `watch` shows the session on the whole screen "
        + "and `serve` in a browser, `record` and `replay` keep one for later, and `export` writes "
        + "a report, a page, a picture or a trace. `opsh-language`(7) describes all of them.")
    page.heading("Options")
    for option in ProgramOption.all {
      let usage = option.spellings.joined(separator: ", ")
      page.item(usage + (option.value.map { " " + $0.placeholder } ?? ""), sentence(option.help))
    }
    page.heading("Environment")
    for (name, meaning) in environment {
      page.item(name, sentence(meaning.hasSuffix(".") ? String(meaning.dropLast()) : meaning))
    }
    page.heading("Exit status")
    page.paragraph(ProgramOption.exitStatus)
    page.heading("Files")
    page.item("~/.config/opsh/rc", "Runs before the first prompt.")
    page.item("~/.local/share/opsh/store.sqlite", "Quotes, search tags and the cache.")
    page.item("~/.local/state/opsh/history", "The typed lines.")
    page.heading("Examples")
    page.code([
      "opsh -c 'fetch questions; wait; result questions-1'", "opsh --check lesson.opsh",
      "opsh -c 'record run.opshrec; fetch questions --count 5; wait'",
      "opsh --replay run.opshrec -c 'timeline; export run.html'",
    ])
    page.heading("See also")
    page.paragraph("`opsh-language`(7)")
    return page.text
  }

  /// The variables that the program reads, those of requests as 'help network' has them.
  private static var environment: [(name: String, meaning: String)] {
    let requests = HelpTopic.all.first { $0.name == "network" }?.items ?? []
    return requests.filter { $0.name.contains("_") } + [
      ("NO_COLOR", "if it is not empty, there is no color, unless '--color' says otherwise"),
      ("PAGER", "program that shows long texts"),
      (
        "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME",
        "folders in place of ~/.config, ~/.local/share and ~/.local/state"
      ),
    ]
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
    // The name of a command, until what follows it; then comes how it is used.
    var command: String?
    func end() {
      if !paragraph.isEmpty { page.paragraph(paragraph.joined(separator: " ")) }
      if !code.isEmpty {
        let isUsage = command.map { code[0].hasPrefix($0) } ?? false
        page.code(isUsage ? CodeLines.fittedUsage(code) : code.flatMap(CodeLines.fitted))
      }
      if !paragraph.isEmpty || !code.isEmpty { command = nil }
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
        command = String(line.dropFirst(4))
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
