import CommandParts
package import ShellLanguage
package import OpshTerminal

/// The page of a concept; for a word that is also a command, with the command's usage.
package struct ConceptPage {
  private let concept: Concept
  private let command: CommandSignature?

  /// Creates the page of a concept, and of the command of the same name if there is one.
  package init(_ concept: Concept, command: CommandSignature? = nil) {
    self.concept = concept
    self.command = command
  }

  private static let labelWidth = 12
  private static let label = TextStyle(color: .cyan)

  /// The page, without a terminal at most 20 lines if there is no command.
  ///
  /// - Parameter terminal: The columns of the terminal; nil without one.
  /// - Returns: The lines.
  package func lines(terminal: Int? = nil) -> [StyledText] {
    let summary = command?.summary ?? concept.summary
    var lines = [StyledText("\(concept.name): \(summary)", style: .bold), ""]
    lines += Prose.wrap(concept.text, columns: 92, terminal: terminal).map { StyledText($0) }
    lines.append("")
    lines += concept.picture.split(separator: "\n").map { StyledText("  " + $0) }
    if let command { lines += [""] + Self.usage(of: command, terminal) }
    lines.append("")
    lines += experiment(terminal)
    return lines
  }

  /// What to type, what it shows, and the comparison with Foundation.
  private func experiment(_ terminal: Int?) -> [StyledText] {
    var lines: [StyledText] = []
    let statements = concept.experiment.split(separator: "\n").map(String.init)
    lines += labelled("Try", statements)
    lines += labelled("It shows", [concept.shows])
    lines += labelled("Swift", [concept.swift])
    lines += labelled(
      "Foundation",
      Prose.wrap(
        concept.foundation, columns: min(98, terminal ?? 98) - Self.labelWidth))
    if !concept.related.isEmpty {
      lines += labelled("See also", ["help " + concept.related.joined(separator: ", help ")])
    }
    return lines
  }

  private func labelled(_ label: String, _ rows: [String]) -> [StyledText] {
    rows.enumerated().map { index, row in
      let text = TextWidth.pad(index == 0 ? label : "", to: Self.labelWidth)
      return StyledText(text, style: Self.label) + StyledText(row)
    }
  }

  /// The page of the command without its summary, which is the heading, and its examples, which the
  /// experiment replaces.
  private static func usage(of command: CommandSignature, _ terminal: Int?) -> [StyledText] {
    var lines = HelpPage(command).lines(terminal: terminal)
      .prefix { !$0.plain.hasPrefix("Example") }
    lines.removeAll { $0.plain == command.summary + "." }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return Array(lines)
  }
}
