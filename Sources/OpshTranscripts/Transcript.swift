import ShellLanguage

/// A session at the prompt as text: typed lines and their expected output.
///
/// ```
/// # What stands before the first prompt is a comment.
/// opsh> delay 10ms
/// [time]  delay-1      created → pending     added to network
/// …
/// opsh> echo one
/// one
/// ```
package struct Transcript: Sendable, Equatable {
  /// One typed line and its output.
  package struct Step: Sendable, Equatable {
    /// Its line number in the text, from 1.
    package var line: Int
    /// `opsh>`, perhaps with the time on the virtual clock and a queue in brackets.
    package var prompt: String
    /// The typed text; may have several lines.
    package var input: String
    package var output: [String]
    /// Empty lines before the next prompt, which are not output.
    var spacing: Int

    package init(
      line: Int, prompt: String, input: String, output: [String], spacing: Int = 0
    ) {
      self.line = line
      self.prompt = prompt
      self.input = input
      self.output = output
      self.spacing = spacing
    }
  }

  /// The file is not a transcript.
  package struct Fault: Error, Equatable {
    package let line: Int
    package let message: String
  }

  /// The lines before the first prompt.
  package var header: [String] = []
  package var steps: [Step] = []

  package static let continuation = "... "

  /// Whether a text is a transcript: its first line that is neither empty nor a comment has a
  /// prompt.
  package static func isTranscript(_ text: String) -> Bool {
    for line in normalized(text).split(separator: "\n") {
      if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
      if split(line) != nil { return true }
      // The greeting, if the session was copied from the terminal.
      guard line.hasPrefix("opsh ") else { return false }
    }
    return false
  }

  package init() {}

  /// The text in normal form: without a byte order mark, and with line feeds as line ends.
  package static func normalized(_ text: String) -> String {
    let unmarked = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    return unmarked.replacing("\r\n", with: "\n")
  }

  /// Parses a transcript.
  package init(parsing text: String) throws(Fault) {
    var lines = Self.normalized(text).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    if lines.last == "" { lines.removeLast() }
    var index = 0
    while index < lines.count {
      guard let (prompt, typed) = Self.split(lines[index]) else {
        if steps.isEmpty {
          header.append(lines[index])
        } else {
          steps[steps.count - 1].output.append(lines[index])
        }
        index += 1
        continue
      }
      var step = Step(line: index + 1, prompt: prompt, input: typed, output: [])
      index += 1
      while Self.isIncomplete(step.input) {
        guard index < lines.count, lines[index].hasPrefix("...") else {
          throw Fault(
            line: step.line,
            message: "the statement goes on, but no line with '...' before it follows")
        }
        step.input += "\n" + lines[index].dropFirst(lines[index].hasPrefix("... ") ? 4 : 3)
        index += 1
      }
      steps.append(step)
    }
    guard !steps.isEmpty else {
      throw Fault(line: 1, message: "there is no line with a prompt, such as 'opsh> ops'")
    }
    for index in steps.indices {
      while steps[index].output.last?.allSatisfy(\.isWhitespace) == true {
        steps[index].output.removeLast()
        steps[index].spacing += 1
      }
    }
  }

  /// The transcript as text.
  package var text: String {
    var lines = header
    for step in steps {
      let typed = step.input.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in typed.enumerated() {
        let head = index == 0 ? step.prompt + " " : Self.continuation
        lines.append(Self.trimmed(head + line))
      }
      if typed.isEmpty { lines.append(step.prompt) }
      lines += step.output + Array(repeating: "", count: step.spacing)
    }
    return lines.map { $0 + "\n" }.joined()
  }

  // MARK: The width of the screen

  /// The default width of the screen.
  static let usualColumns = 100

  private static let columnsHeading = "# columns: "

  /// The width of the screen in the header; nil for output without truncation.
  package var columns: Int? {
    for line in header where line.hasPrefix(Self.columnsHeading) {
      let word = line.dropFirst(Self.columnsHeading.count)
      return word == "unlimited" ? nil : Int(word) ?? Self.usualColumns
    }
    return Self.usualColumns
  }

  private static let scriptHeading = "# of a script"

  /// Whether a script was recorded, whose statements do not all do what they do at the prompt.
  package var isOfScript: Bool { columns == nil || header.contains(Self.scriptHeading) }

  /// The header lines: the width of the screen, unless it is the default, and whether a script was
  /// recorded on a terminal; without a terminal only scripts are.
  package static func heading(columns: Int?, isOfScript: Bool = false) -> [String] {
    var lines: [String] = []
    if columns != usualColumns {
      lines.append(columnsHeading + (columns.map { "\($0)" } ?? "unlimited"))
    }
    if isOfScript, columns != nil { lines.append(scriptHeading) }
    return lines.isEmpty ? [] : lines + [""]
  }

  private static func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }

  package static func isIncomplete(_ input: String) -> Bool {
    Parser.parse(SourceText(name: SourceText.promptName, text: input)).isIncomplete
  }

  /// Whether a line of output looks like a typed line.
  static func isTyped(_ line: String) -> Bool { split(line) != nil }

  /// The prompt of a line, and the text after it.
  package static func split(
    _ line: some StringProtocol
  ) -> (prompt: String, input: String)? {
    guard line.hasPrefix("opsh") else { return nil }
    var rest = line.dropFirst(4)
    if rest.hasPrefix("*") { rest = rest.dropFirst() }
    // The time on the virtual clock.
    if rest.hasPrefix(" "), rest.dropFirst().first?.isNumber == true {
      rest = rest.dropFirst().drop { $0.isNumber || $0 == "." }
    }
    if rest.hasPrefix(" [") {
      guard let close = rest.firstIndex(of: "]") else { return nil }
      rest = rest[rest.index(after: close)...]
    }
    guard rest.hasPrefix(">") else { return nil }
    rest = rest.dropFirst()
    guard rest.isEmpty || rest.hasPrefix(" ") else { return nil }
    let prompt = line[..<rest.startIndex]
    return (String(prompt), String(rest.dropFirst()))
  }
}
