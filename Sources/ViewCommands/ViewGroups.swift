package import ShellSession

/// The commands that show a whole session: on the screen, in a file, in a browser.
package enum ViewGroups {
  /// What is shown while it changes.
  package static let live: [any Command.Type] = [Watch.self]

  /// What is written, read again, and served.
  package static let files: [any Command.Type] = [
    Export.self, Record.self, RecordOff.self, Replay.self, Serve.self, ServeOff.self,
  ]
}
