import Foundation
import ShellCommands
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls

extension ScriptFile.Unreadable {
  /// The error to report.
  ///
  /// - Parameter configuration: The session's, with the command line, which may name the file.
  /// - Returns: The error, with a suggestion of what may have been meant.
  func diagnostic(_ configuration: SessionConfiguration) -> Diagnostic {
    var help: String?
    if code == ENOENT {
      let slash = name.lastIndex(of: "/")
      let names = names(inFolder: configuration.path(slash.map { String(name[...$0]) } ?? "."))
      let last = slash.map { String(name[name.index(after: $0)...]) } ?? name
      help = Spelling.help(for: last, among: names ?? [])
      if help == nil, CommandRegistry.signatures.contains(where: { $0.path.first == name }) {
        help = "to run a command, write opsh -c '\(name)'"
      }
    }
    let line = CommandLineText(configuration.commandLine)
    let label = configuration.commandLine.firstIndex(of: name).map {
      Diagnostic.Label("it is given here", source: line.source, range: line.range(of: $0))
    }
    return Diagnostic(
      .file(code), message, source: SourceText(name: name, text: ""),
      range: SourceRange(0, 0), labels: label.map { [$0] } ?? [], help: help, phase: .running)
  }
}
