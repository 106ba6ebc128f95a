import OpshLocking
import Operations
package import ShellLanguage
import OpshTerminal

extension Run {
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
      $0.state == .finished && $0.group == nil && jobs.operations.isNewestOfItsName($0)
    }
    let unfinishedBefore = TypedLine.Unfinished(jobs.operations.unfinished)
    let count = jobs.operations.count
    let position = jobs.engine.log.count
    screen.transcript?.begin(text, at: promptText().plain)
    noteTyped(text)
    var (completed, last): (String?, Int) = (text, .max)
    switch try run() {
    case .whole: break
    case .nothing: completed = nil
    case .part(let part, let operationCount): (completed, last) = (part, operationCount)
    }
    let built = jobs.operations.added(after: count)
    note(
      TypedLine(
        text: text, completed: completed, built: Set(built.map(\.id).filter { $0 <= last }),
        finishedBefore: finished.map { .init(id: $0.id, name: $0.displayName) },
        unfinishedBefore: unfinishedBefore, position: position)
    )
    // Operations that the line built may have finished before it returned; in a script they may
    // not.
    let own = Set(built.map(\.id))
    let unfinished = jobs.operations.all.filter { $0.state != .finished || own.contains($0.id) }
    state.withLock { state in
      // Finished operations without a recorded line still count as waited for.
      let told = finished.isEmpty || state.typed.last?.text == text
      state.unfinishedWhenTyping = unfinished + (told ? [] : finished)
    }
  }

  /// Prepares for lines that are typed while another one runs, as those of the keys of `watch`.
  package func beginTypingInside() {
    let unfinished = jobs.operations.unfinished
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

  /// Notes a statement of a script that is about to run, as typed.
  package func noteTyped(_ index: Int, of script: Script) {
    guard !mode.isRecorded else { return }
    let start = index > 0 ? script.statements[index - 1].range.upper : 0
    screen.typed.begin(script.statements[index].range, in: script.source, after: start)
  }

  /// Notes a whole text as typed: a line at the prompt, or a script of comments alone.
  package func noteTyped(_ text: String) {
    guard !mode.isRecorded, !text.hasPrefix(" ") else { return }
    let source = SourceText(name: SourceText.promptName, text: text)
    let commands = Parser.parse(source).statements
    guard let first = commands.first else { return screen.typed.begin(nil, in: source, after: 0) }
    let end = commands.last?.range.upper ?? first.range.upper
    screen.typed.begin(SourceRange(first.range.lower, end), in: source, after: 0)
  }
}
