import Locking
import Operations
import Terminal

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

extension Session {
  /// Runs a typed line, and records it for `save` with the operations that had finished by then.
  ///
  /// - Parameters:
  ///   - text: The line.
  ///   - run: Runs the line; returns how much of it ended without an error.
  /// - Throws: What `run` throws.
  package func noting(typed text: String, _ run: () throws -> TypedLine.Completed) throws {
    let waited = state.withLock { state in
      defer { state.unfinishedWhenTyping = [] }
      return state.unfinishedWhenTyping
    }
    // If a newer operation has its name, an operation finished before that one was built. A script
    // needs no wait for it; the name would mean the newer operation there.
    let finished = waited.filter {
      $0.state == .finished && $0.group == nil && operations.isNewestOfItsName($0)
    }
    let unfinishedBefore = TypedLine.Unfinished(operations.unfinished)
    let count = operations.count
    let position = engine.log.count
    recorder?.begin(text, at: promptText().plain)
    var (completed, last): (String?, Int) = (text, .max)
    switch try run() {
    case .whole: break
    case .nothing: completed = nil
    case .part(let part, let operationCount): (completed, last) = (part, operationCount)
    }
    let built = operations.added(after: count)
    note(
      TypedLine(
        text: text, completed: completed, built: Set(built.map(\.id).filter { $0 <= last }),
        finishedBefore: finished.map { .init(id: $0.id, name: $0.displayName) },
        unfinishedBefore: unfinishedBefore, position: position)
    )
    // Operations that the line built may have finished before it returned; in a script they may
    // not.
    let own = Set(built.map(\.id))
    let unfinished = operations.all.filter { $0.state != .finished || own.contains($0.id) }
    state.withLock { state in
      // Finished operations without a recorded line still count as waited for.
      let told = finished.isEmpty || state.typed.last?.text == text
      state.unfinishedWhenTyping = unfinished + (told ? [] : finished)
    }
  }

  /// Prepares for lines that are typed while another one runs, as those of the keys of `watch`.
  package func beginTypingInside() {
    let unfinished = operations.unfinished
    state.withLock { $0.unfinishedWhenTyping = unfinished }
  }

  /// Records a typed line for `save`.
  ///
  /// A line that the history omits on request is omitted here too. A line with a secret is
  /// recorded, because the saved script says what is missing.
  package func note(_ line: TypedLine) {
    guard !line.text.hasPrefix(" ") else { return }
    state.withLock { $0.typed.append(line) }
  }
}
