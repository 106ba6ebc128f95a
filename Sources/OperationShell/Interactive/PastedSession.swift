import ShellSession
import OpshTerminal
import OpshTranscripts

/// The lines that were typed in a session that was copied from a terminal or from a help page.
///
/// Lines with a prompt are kept without it, and the lines after it that go on with the statement.
/// Everything else is output.
struct PastedSession: Equatable {
  /// The typed texts, each of one prompt.
  private(set) var inputs: [String] = []
  /// The number of lines of output between them.
  private(set) var outputCount = 0

  /// Reads a session; nil if no line has a prompt.
  ///
  /// - Parameters:
  ///   - text: The copied text.
  ///   - columns: The width of the screen: a longer line was typed in several rows, which are copied
  ///     as lines.
  ///   - template: The prompt in use.
  init?(_ text: String, columns: Int, template: PromptTemplate = .standard) {
    var rest = Transcript.normalized(text)
      .split(separator: "\n", omittingEmptySubsequences: false)[...]
    var hasPrompt = false
    while let line = rest.popFirst() {
      let shown = line.drop(while: \.isWhitespace)
      // A prompt may begin with a blank, as that of '{ failed}> '.
      let own = template.input(in: shown) ?? template.input(in: line)
      guard let typed = Transcript.split(shown)?.input ?? own.map(String.init) else {
        if !line.allSatisfy(\.isWhitespace) { outputCount += 1 }
        continue
      }
      hasPrompt = true
      var input = typed + Self.removeRows(after: line, from: &rest, columns: columns)
      while let next = rest.first, Transcript.isIncomplete(input),
        let further = Self.further(next)
      {
        rest.removeFirst()
        input += "\n" + further + Self.removeRows(after: next, from: &rest, columns: columns)
      }
      // An unfinished text in the middle was given up, as one with the mark of Ctrl-C.
      let isGivenUp = input.hasSuffix("^C") || !rest.isEmpty && Transcript.isIncomplete(input)
      if !isGivenUp, !input.allSatisfy(\.isWhitespace) { inputs.append(input) }
    }
    guard hasPrompt else { return nil }
  }

  /// The typed texts as one.
  var text: String { inputs.joined(separator: "\n") }

  /// Removes and returns the further rows of a line that fills the width of the screen.
  private static func removeRows(
    after line: Substring, from rest: inout ArraySlice<Substring>, columns: Int
  ) -> String {
    var (row, further) = (line, "")
    while TextWidth.columns(of: String(row)) == columns, let next = rest.first,
      Transcript.split(next) == nil
    {
      rest.removeFirst()
      further += next
      row = next
    }
    return further
  }

  /// The text of a line after the first one, without its prompt, which may begin with the sign that
  /// is open; nil of another line.
  private static func further(_ line: Substring) -> Substring? {
    let line = line.drop(while: \.isWhitespace)
    let isSign = line.first.map { !$0.isLetter && !$0.isNumber && $0 != "." } ?? false
    let marked = isSign ? line.dropFirst() : line
    let mark = Transcript.continuation.dropLast()
    guard marked.hasPrefix(mark) else { return nil }
    let text = marked.dropFirst(mark.count)
    return text.first == " " ? text.dropFirst() : text
  }
}
