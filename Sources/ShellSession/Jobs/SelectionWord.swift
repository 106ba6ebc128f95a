package import Operations
package import ShellLanguage

/// A word that selects operations where no unfinished one has it as its name: a state or an outcome.
///
/// Commands that take several operations, `ops` and `for … in ops` read it alike.
package enum SelectionWord: String, CaseIterable, Sendable {
  case created, pending, ready, executing, finished
  case succeeded, failed, cancelled, skipped

  /// The words as texts.
  package static var texts: [String] { allCases.map(\.rawValue) }

  /// What such a word is.
  package static let noun = "state or outcome"

  /// What stands for several operations in a call: names, ids, patterns, or such a word.
  package static let operations = ArgumentKind.oneOf([
    .name("operation"), .word(of: noun, texts),
  ])

  /// The state that it is; nil for an outcome.
  package var state: OperationState? { OperationState(rawValue: rawValue) }

  /// Says that a word means the one operation of that name.
  static func warning(of word: SelectionWord, naming operation: ObservableOperation) -> String {
    "'\(word.rawValue)' is the name of operation \(operation.id) here, not every operation that is "
      + word.rawValue
  }

  /// Returns whether an operation is in the state, or has the outcome; one that is being cancelled
  /// counts as cancelled.
  package func selects(_ operation: ObservableOperation) -> Bool {
    if let state { return operation.state == state }
    return self == .cancelled ? operation.isCancelled : operation.outcome?.name == rawValue
  }
}

extension CommandCall {
  /// Returns whether states and outcomes select operations in an argument or an option.
  func takesSelectionWords(_ parameter: some Parameter) -> Bool {
    let kind =
      signature.positional(named: parameter.name)?.kind
      ?? signature.option(named: parameter.name)?.kind
    return kind == SelectionWord.operations
  }

  /// Returns the state or the outcome that a text is in an argument or an option.
  func selectionWord(_ text: String, of parameter: some Parameter) -> SelectionWord? {
    // The names of operations are looked up far more often.
    guard let word = SelectionWord(rawValue: text), takesSelectionWords(parameter) else {
      return nil
    }
    return word
  }
}

extension ErrorPage {
  package static let selectionWord = ErrorPage(
    "selection-word", "A word that selects operations is the name of one",
    "A state or an outcome, such as ready or cancelled, stands for all operations in that state. "
      + "While an unfinished operation has that name, the word stands for it alone.",
    help: "'--where (state == ready)' selects by the state",
    wrong: "(an unfinished operation is called ready, and 'cancel ready' runs)",
    right: "queue pause\ndelay 1ms --name ready\ncancel --where (state == ready)\nqueue resume")
}
