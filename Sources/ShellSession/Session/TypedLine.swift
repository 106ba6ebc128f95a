import OpshLocking
import Operations
import OpshTerminal

/// The text that was typed at the prompt; may have several lines.
package struct TypedLine: Sendable {
  /// An operation that the user saw finish before typing on.
  package struct Finished: Sendable {
    package let id: Int
    package let name: String
  }

  /// The operations that had not finished at some time, as far as patterns can name them.
  package struct Unfinished: Sendable {
    /// Whether there were none.
    package let isEmpty: Bool
    /// The beginnings of their names up to a hyphen.
    private let beginnings: Set<Substring>

    /// More of them are not looked at for each line.
    private static let mostNames = 10_000

    /// Nil if there are very many.
    init?(_ operations: [ObservableOperation]) {
      guard operations.count <= Self.mostNames else { return nil }
      isEmpty = operations.isEmpty
      beginnings = operations.reduce(into: []) { beginnings, operation in
        let name = operation.displayName
        for index in name.utf8.indices where name.utf8[index] == UInt8(ascii: "-") {
          beginnings.insert(name[...index])
        }
      }
    }

    /// Whether a pattern names one of them.
    ///
    /// - Parameter beginning: The pattern's text before `*`, which ends with a hyphen.
    /// - Returns: Whether it does.
    package func contains(beginning: Substring) -> Bool { beginnings.contains(beginning) }
  }

  /// The part of a typed text that ended without an error.
  package enum Completed {
    case whole
    case nothing
    /// Its first statements, after which the session had so many operations.
    case part(String, operationCount: Int)
  }

  package let text: String
  /// The part of it that ended without an error; nil for nothing.
  package let completed: String?
  /// Whether it was not typed: another program has asked for it while something else ran.
  package let isSteering: Bool
  /// The ids of the operations that the completed part built.
  package var built: Set<Int> = []
  /// Operations that finished while the user typed this line.
  package var finishedBefore: [Finished] = []
  /// What had not finished when it was typed; nil if that is not known.
  package var unfinishedBefore: Unfinished?
  /// The sequence number of the first entry of the log after it.
  package let position: Int

  package init(
    text: String, completed: String?, isSteering: Bool = false, built: Set<Int> = [],
    finishedBefore: [Finished] = [], unfinishedBefore: Unfinished? = nil,
    position: Int = 0
  ) {
    self.text = text
    self.position = position
    self.completed = completed
    self.isSteering = isSteering
    self.built = built
    self.finishedBefore = finishedBefore
    self.unfinishedBefore = unfinishedBefore
  }

  /// The same line with another text, all of which ended without an error.
  package func with(text: String) -> TypedLine {
    TypedLine(
      text: text, completed: text, isSteering: isSteering, built: built,
      finishedBefore: finishedBefore, unfinishedBefore: unfinishedBefore)
  }
}
