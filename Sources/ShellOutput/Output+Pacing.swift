import OpshLocking
package import OpshTerminal

/// The pace of the terminal.
extension Output {
  /// Makes events wait while the terminal is busy, and drops excess ones.
  ///
  /// - Parameters:
  ///   - pace: The terminal's pace.
  ///   - streams: The streams that are the terminal; every other stream gets every event.
  package func beginPacing(_ pace: TerminalPace, on streams: Streams) {
    state.withLock { state in
      state.pace = pace
      state.pacedStreams = streams
    }
  }

  /// Whether events go to a terminal that they could flood.
  package var isPaced: Bool { state.withLock { $0.pace != nil } }

  /// Writes all waiting lines; later lines do not wait.
  package func endPacing() {
    state.withLock { state in
      state.pace = nil
      state.pacedStreams = []
      if !state.isEditing { writeAll(&state) }
    }
  }

  /// Whether events wait for the terminal while no line is edited; checked again after a frame.
  package var hasDueLines: Bool { state.withLock { !$0.isEditing && !$0.backlog.isEmpty } }

  /// Writes as many waiting lines as the terminal accepts now.
  package func writeDue() {
    state.withLock { state in
      guard !state.isEditing, !state.backlog.isEmpty, let pace = state.pace else { return }
      while pace.room > 0, let item = state.backlog.takeFirst() { write(item, &state) }
    }
  }

  /// Replaces waiting and unread events by one line with their number.
  ///
  /// - Parameters:
  ///   - unread: The number of events that have no line yet.
  ///   - stream: The stream of their lines.
  package func collapseEvents(adding unread: Int, to stream: Stream) {
    state.withLock { state in
      state.backlog.leaveOut(unread, to: stream)
      state.backlog.collapse()
      if !state.isEditing { writeAll(&state) }
    }
  }
}
