import CommandParts
package import ShellLanguage

/// Errors around the commands: of the command line, of a whole run, and of a transcript.
extension ErrorPage {
  package static let badCommandLine = written("bad-command-line")
  package static let failed = written("failed")
  package static let neverRan = written("never-ran")
  package static let badTranscript = written("bad-transcript")
}
