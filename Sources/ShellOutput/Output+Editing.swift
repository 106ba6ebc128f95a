import OpshLocking
package import OpshTerminal

/// The use of the terminal by the line editor.
extension Output {
  /// Makes lines wait for the editor.
  ///
  /// - Parameter keepsLatest: Whether only the latest lines wait, because it may take long.
  package func beginEditing(keepingLatest keepsLatest: Bool = false) {
    ending.beginEditing()
    outputWriter.reset()
    errorWriter.reset()
    state.withLock { state in
      (state.isEditing, state.isMidLine) = (true, false)
      state.backlog.keepsLatest = keepsLatest
    }
  }

  /// Ends the editor's use of the terminal: waiting lines are written at the terminal's pace.
  package func endEditing() {
    ending.endEditing()
    state.withLock { state in
      state.isEditing = false
      state.backlog.keepsLatest = false
      if state.pace == nil { writeAll(&state) }
    }
    writeDue()
  }

  /// Takes at most `limit` waiting lines; the others wait for the next frame.
  package func takePending(limit: Int) -> (lines: [StyledText], hasMore: Bool) {
    state.withLock { state in
      var lines: [StyledText] = []
      while lines.count < limit, let item = state.backlog.takeFirst() {
        lines += self.lines(of: item, canLookUp: true).lines
      }
      return (lines, !state.backlog.isEmpty)
    }
  }
}
