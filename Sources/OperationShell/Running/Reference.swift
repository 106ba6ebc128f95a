import CommandParts
import ShellCommands
import ShellLanguage
import ShellSession
import OpshTerminal

/// The reference page, generated from the descriptions that help and checking use.
public enum Reference: Sendable {
  /// The page as Markdown.
  public static var text: String {
    var page = Page()
    page.heading(1, "opsh reference")
    page.paragraph(
      "Version \(Version.number). `help COMMAND` shows one page of this at the prompt.")
    page.heading(2, "The language")
    for keyword in Keyword.allCases where keyword != .else && keyword != .catch {
      page.item(keyword.usage, keyword.summary, keyword.example)
    }
    page.heading(2, "Expressions")
    for word in ExpressionWord.allCases { page.item(word.usage, word.summary, word.example) }
    page.heading(2, "Functions")
    for function in BuiltinFunction.all {
      page.item(function.usage, function.summary, function.example)
    }
    for (title, commands) in CommandRegistry.groups {
      page.heading(2, title)
      // As in the catalogue, with the options that every command gets.
      for signature in commands.compactMap({ CommandRegistry.catalog.signature(at: $0.path) }) {
        page.command(signature)
      }
    }
    page.heading(2, "Objects of --json")
    page.paragraph(
      "Every object begins with `type`, `sequence`, `time` and `elapsed`; these keys follow.")
    for kind in ObjectKind.all {
      page.heading(3, kind.type)
      page.paragraph("Printed by \(kind.commands).")
      for key in kind.keys { page.item(key.name, key.meaning) }
    }
    for topic in HelpTopic.all where !topic.isIndex {
      page.heading(2, topic.heading)
      page.paragraph(topic.introduction)
      for item in topic.items { page.item(item.name, item.meaning) }
      for example in topic.examples { page.example(example) }
    }
    page.heading(2, "Concepts")
    page.paragraph(
      "`help` shows each with a picture, an experiment, and the Swift code that does the same.")
    for concept in Concept.all { page.concept(concept) }
    return page.text
  }

  private struct Page {
    var text = ""

    mutating func heading(_ level: Int, _ title: String) {
      if !text.isEmpty, !text.hasSuffix("\n\n") { text += "\n" }
      text += String(repeating: "#", count: level) + " " + title + "\n\n"
    }

    mutating func paragraph(_ words: String) {
      guard !words.isEmpty else { return }
      text += Prose.wrap(words).joined(separator: "\n") + "\n\n"
    }

    mutating func item(_ code: String, _ meaning: String, _ example: String? = nil) {
      text += "- `\(code)`: \(meaning)"
      text += example.map { ", as in `\($0)`\n" } ?? "\n"
    }

    mutating func concept(_ concept: Concept) {
      heading(3, "\(concept.name) (concept)")
      let summary = concept.summary
      paragraph(summary.prefix(1).uppercased() + summary.dropFirst() + ".")
      paragraph(concept.text)
      paragraph("Foundation: \(concept.foundation)")
    }

    mutating func command(_ signature: CommandSignature) {
      heading(3, signature.fullName)
      text += Prose.wrap(signature.usage).map { "    \($0)\n" }.joined() + "\n"
      paragraph(signature.summary + ".")
      paragraph(signature.discussion)
      for argument in HelpPage(signature).arguments { item(argument.usage, argument.help) }
      for example in signature.examples { self.example(example) }
    }

    mutating func example(_ example: CommandDeclaration.Example) {
      text += "\n\(example.explanation):\n\n"
      for line in example.text.split(separator: "\n") { text += "    \(line)\n" }
    }
  }
}
