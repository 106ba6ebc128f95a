import CommandParts
package import ShellLanguage
import OpshTerminal

/// The page of one command, derived from its signature.
package struct HelpPage {
  private let signature: CommandSignature

  package init(_ signature: CommandSignature) {
    self.signature = signature
  }

  /// What an argument means, with the words there are to choose from unless it names them itself.
  private static func help(_ text: String, _ kind: ArgumentKind?) -> String {
    let named = Set(text.split { !$0.isLetter && $0 != "-" }.map(String.init))
    guard let words = kind?.choices, !named.isSuperset(of: words) else { return text }
    return text + ": " + words.joined(separator: ", ")
  }

  /// The usage line, broken between arguments where it is too long.
  static func usage(_ text: String, terminal: Int? = nil) -> [StyledText] {
    let columns = min(HelpTopic.columns, terminal ?? HelpTopic.columns)
    var lines: [String] = []
    var argument = ""
    for word in text.split(separator: " ") {
      argument += argument.isEmpty ? word : " " + word
      guard argument.count(where: { $0 == "[" }) == argument.count(where: { $0 == "]" }) else {
        continue
      }
      if let last = lines.last, TextWidth.columns(of: last + " " + argument) <= columns {
        lines[lines.count - 1] += " " + argument
      } else {
        lines.append(lines.isEmpty ? argument : "    " + argument)
      }
      argument = ""
    }
    if !argument.isEmpty { lines.append("    " + argument) }
    return lines.map { StyledText($0, style: .bold) }
  }

  /// What a column of meanings has at least; on a narrower terminal the names stand above them.
  private static let leastMeaning = 30

  /// Names with what they mean, in two columns; a long name has a row of its own.
  static func rows(
    _ items: [(name: String, meaning: String)], terminal: Int? = nil
  ) -> [StyledText] {
    let columns = min(HelpTopic.columns, terminal ?? HelpTopic.columns)
    let names = items.map { TextWidth.columns(of: $0.name) }
    var width = min(names.max() ?? 0, 32)
    if columns - 4 - width < leastMeaning { width = min(width, 2) }
    var lines: [StyledText] = []
    for (item, length) in zip(items, names) {
      var name = item.name
      if length > width {
        lines.append("  " + StyledText(name, style: TextStyle(color: .cyan)))
        name = ""
      }
      for row in Prose.wrap(item.meaning, columns: columns - 4 - width) {
        lines.append(
          "  " + StyledText(TextWidth.pad(name, to: width), style: TextStyle(color: .cyan))
            + StyledText("  " + row))
        name = ""
      }
    }
    return lines
  }

  /// An example with its explanation.
  static func rows(_ example: CommandDeclaration.Example) -> [StyledText] {
    ["", StyledText("Example: \(example.explanation)", style: .dim)]
      + example.text.split(separator: "\n").map { StyledText("  " + $0) }
  }

  /// The arguments and options, with what they mean.
  package var arguments: [(usage: String, help: String)] {
    signature.positionals.map { (usage: $0.usage, help: Self.help($0.help, $0.kind)) }
      + signature.options.map { (usage: $0.usage, help: Self.help($0.help, $0.kind)) }
  }

  /// The page, for a terminal of that many columns if there is one.
  func lines(terminal: Int? = nil) -> [StyledText] {
    let own = HelpPage(SharedOptions.own(of: signature))
    let notes = SharedOptions.notes(on: signature)
    let usage = own.signature.usage + (notes.isEmpty ? "" : " [OPTION…]")
    var lines = Self.usage(usage, terminal: terminal)
    lines += ["", StyledText(signature.summary + ".")]
    lines += Prose.wrap(signature.discussion, terminal: terminal).map { StyledText($0) }
    if let shown = CommandRegistry.synonyms[signature.fullName] {
      lines.append(StyledText("It does the same as '\(shown)'."))
    }
    if !own.arguments.isEmpty {
      lines.append("")
      lines += Self.rows(
        own.arguments.map { (name: $0.usage, meaning: $0.help) }, terminal: terminal)
    }
    if !notes.isEmpty { lines.append("") }
    lines += notes.flatMap { Prose.wrap($0, columns: HelpTopic.columns, terminal: terminal) }
      .map { StyledText($0) }
    for example in signature.examples { lines += Self.rows(example) }
    return lines
  }
}

extension CommandSignature.Positional {
  /// The argument as the page lists it.
  fileprivate var usage: String { (keyword.map { $0 + " " } ?? "") + placeholder }
}
