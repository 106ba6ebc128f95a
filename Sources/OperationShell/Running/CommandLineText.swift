import Foundation
import ShellLanguage
import ShellSession
import OpshTerminal

/// The command line as one line of text, so that errors can quote it.
struct CommandLineText {
  let source: SourceText
  private let ranges: [SourceRange]

  /// - Parameter arguments: Without the program's name.
  init(_ arguments: [String]) {
    var line = "opsh"
    var ranges: [SourceRange] = []
    for argument in arguments {
      let start = line.utf8.count + 1
      line += " " + SystemShellQuoting.quoted(VisibleText.escape(argument))
      ranges.append(SourceRange(start, line.utf8.count))
    }
    self.ranges = ranges
    source = SourceText(name: "opsh", text: line)
  }

  /// The range of an argument; the whole line if there is no such argument.
  func range(of index: Int?) -> SourceRange {
    guard let index, ranges.indices.contains(index) else {
      return SourceRange(0, source.text.utf8.count)
    }
    return ranges[index]
  }
}
