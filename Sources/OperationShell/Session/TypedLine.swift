import Locking
import Operations
import Terminal

/// What was typed at the prompt: perhaps several lines, as they were.
struct TypedLine: Sendable {
  /// An operation that the user saw finish before typing on.
  struct Finished: Sendable {
    let id: Int
    let name: String
  }

  let text: String
  /// Whether it did not end with an error.
  let isGood: Bool
  /// The ids of the operations that it built.
  var built: Set<Int> = []
  /// What finished after the line before it had run, while this one was typed.
  var finishedBefore: [Finished] = []
}

extension Session {
  /// Runs a line that was typed, and keeps it for `save` with what had finished by then.
  ///
  /// - Parameters:
  ///   - text: The line.
  ///   - run: Runs it; returns whether it ran to its end.
  /// - Throws: What `run` throws.
  func noting(typed text: String, _ run: () throws -> Bool) throws {
    let waited = state.withLock { state in
      defer { state.unfinishedWhenTyping = [] }
      return state.unfinishedWhenTyping
    }
    // One whose name a newer operation has had finished before that was built, and a script needs
    // no wait for it: the name would mean the newer one there.
    let finished = waited.filter {
      $0.state == .finished && $0.group == nil && operations.isNewestOfItsName($0)
    }
    let count = operations.count
    recorder?.begin(text, at: promptText().plain)
    let isGood = try run()
    let built = operations.added(after: count)
    note(
      TypedLine(
        text: text, isGood: isGood, built: Set(built.map(\.id)),
        finishedBefore: finished.map { .init(id: $0.id, name: $0.displayName) }))
    // What the line has built may have finished before it returned, as it need not in a script.
    let unfinished = operations.unfinished + built.filter { $0.state == .finished }
    state.withLock { state in
      // What no kept line is going to tell of has still been waited for.
      let told = finished.isEmpty || state.typed.last?.text == text
      state.unfinishedWhenTyping = unfinished + (told ? [] : finished)
    }
  }

  /// Keeps what was typed for `save`.
  ///
  /// What the history leaves out on request is not kept for a script either; one that holds a secret
  /// is, for the script tells what it lacks.
  func note(_ line: TypedLine) {
    guard !line.text.hasPrefix(" ") else { return }
    state.withLock { $0.typed.append(line) }
  }
}
