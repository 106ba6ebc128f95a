import Operations
package import OpshTerminal

extension CompletionCandidate {
  /// The words by which `ops`, `events filter` and `--where` select operations.
  package static let statesAndOutcomes: [CompletionCandidate] =
    OperationState.allCases.map { CompletionCandidate($0.rawValue, summary: "a state") }
    + ["succeeded", "failed", "cancelled", "skipped"].map {
      CompletionCandidate($0, summary: "an outcome")
    }
}
