package import OpshTerminal

/// The page `help concepts`: every concept with its summary.
package enum ConceptList {
  /// The word after `help`.
  package static let name = "concepts"
  package static let heading = "Concepts: flags, methods, observation, order, queues, results"

  package static var lines: [StyledText] {
    let width = Concept.all.map { TextWidth.columns(of: $0.name) }.max() ?? 0
    return [
      StyledText(heading, style: .bold), "",
      "'help WORD' explains one: a picture, an experiment to type, Swift, and Foundation.", "",
    ]
      + Concept.all.map { concept in
        "  "
          + StyledText(TextWidth.pad(concept.name, to: width), style: TextStyle(color: .cyan))
          + StyledText("  " + concept.summary)
      }
  }
}
