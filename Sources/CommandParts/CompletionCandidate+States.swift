package import OpshTerminal
import ShellSession

extension CompletionCandidate {
  /// The words by which `ops`, `events filter` and `--where` select operations.
  package static let statesAndOutcomes: [CompletionCandidate] =
    SelectionWord.allCases.map {
      CompletionCandidate($0.rawValue, summary: $0.state == nil ? "an outcome" : "a state")
    }
}
