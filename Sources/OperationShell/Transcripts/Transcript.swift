import ShellLanguage

/// A session at the prompt as a text: lines that are typed, and the output that they must give.
///
/// ```
/// # What stands before the first prompt is a comment.
/// opsh> delay 10ms
/// [time]  delay-1      created → pending     added to network
/// …
/// opsh> echo one
/// one
/// ```
struct Transcript: Sendable, Equatable {
  /// One line that is typed, with what comes of it.
  struct Step: Sendable, Equatable {
    /// Where it stands in the text, counted from 1.
    var line: Int
    /// `opsh>`, perhaps with a queue in brackets.
    var prompt: String
    /// What is typed; may have several lines.
    var input: String
    var output: [String]
    /// Empty lines before the next prompt, which are no output.
    var spacing = 0
  }

  /// The file is no transcript.
  struct Fault: Error, Equatable {
    let line: Int
    let message: String
  }

  /// The lines before the first prompt.
  var header: [String] = []
  var steps: [Step] = []

  static let continuation = "... "

  /// Whether a text is a transcript: its first line that is neither empty nor a comment has a
  /// prompt.
  static func isTranscript(_ text: String) -> Bool {
    for line in normalized(text).split(separator: "\n") {
      if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
      if split(line) != nil { return true }
      // The greeting, where a session was copied from the terminal.
      guard line.hasPrefix("opsh ") else { return false }
    }
    return false
  }

  init() {}

  /// The text as opsh writes it: without a byte order mark, and with a line feed alone at the ends of
  /// lines.
  static func normalized(_ text: String) -> String {
    let unmarked = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    return unmarked.replacing("\r\n", with: "\n")
  }

  /// Reads a transcript.
  init(parsing text: String) throws(Fault) {
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

  /// The transcript as it stands in a file.
  var text: String {
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

  /// How wide the screen is where the header does not say.
  static let usualColumns = 100

  private static let columnsHeading = "# columns: "

  /// How wide the screen was, by the header: nil for output that was not cut anywhere.
  var columns: Int? {
    for line in header where line.hasPrefix(Self.columnsHeading) {
      let word = line.dropFirst(Self.columnsHeading.count)
      return word == "unlimited" ? nil : Int(word) ?? Self.usualColumns
    }
    return Self.usualColumns
  }

  /// The line of the header that says how wide the screen was; none for the usual width.
  static func heading(columns: Int?) -> [String] {
    columns == usualColumns ? [] : [columnsHeading + (columns.map { "\($0)" } ?? "unlimited"), ""]
  }

  private static func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }

  private static func isIncomplete(_ input: String) -> Bool {
    Parser.parse(SourceText(name: SourceText.promptName, text: input)).isIncomplete
  }

  /// Whether a line of output looks like one that is typed.
  static func isTyped(_ line: String) -> Bool { split(line) != nil }

  /// The prompt of a line, and what is typed behind it.
  private static func split(_ line: some StringProtocol) -> (prompt: String, input: String)? {
    guard line.hasPrefix("opsh") else { return nil }
    var rest = line.dropFirst(4)
    if rest.hasPrefix("*") { rest = rest.dropFirst() }
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
