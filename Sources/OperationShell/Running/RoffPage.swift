import CommandParts
import ShellOutput
import ShellSession
import OpshTerminal

/// A manual page in the making, as roff with the man macros.
struct RoffPage {
  /// The page so far, each line ended.
  private var lines: String

  /// The columns of lines that keep their layout, on a terminal of 80.
  static let codeColumns = 66

  /// The page without its last line feed.
  var text: String {
    // The first line tells preconv the encoding. Then: what stands for a character where the
    // terminal can't show it, which groff would leave out.
    let others = Set(lines.unicodeScalars.filter { !$0.isASCII }).sorted { $0.value < $1.value }
    let fallbacks = others.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      return ".fchar \\[u\(code)] \(Self.escape(ASCIIText.replacing(String(scalar))))\n"
    }
    return ".\\\" -*- mode: troff; coding: utf-8 -*-\n" + fallbacks.joined() + lines.dropLast()
  }

  /// Begins a page with its title and its section NAME.
  init(_ name: String, section: Int, summary: String) {
    lines = """
      .TH "\(Self.escape(name.uppercased()))" "\(section)" "" "\(Self.escape(Version.text))"
      .ad l
      .nh

      """
    heading("Name")
    line("\(Self.escape(name)) \\- \(Self.escape(summary))")
  }

  /// Adds the title of a section.
  mutating func heading(_ title: String) { line(".SH \(Self.argument(title.uppercased()))") }

  /// Adds the title of a part of a section.
  mutating func subheading(_ title: String) { line(".SS \(Self.argument(title))") }

  /// Adds a paragraph; what stands between backticks is bold.
  mutating func paragraph(_ words: String) {
    line(".PP")
    line(Self.prose(words))
  }

  /// Adds a name with its meaning.
  mutating func item(_ name: String, _ meaning: String) {
    line(".TP")
    line(Self.bold(name))
    line(Self.prose(meaning))
  }

  /// Adds a line of its own in bold.
  mutating func line(bold words: String) {
    line(Self.bold(words))
    line(".br")
  }

  /// Adds lines that keep their layout.
  mutating func code(_ lines: [String]) {
    line(".PP")
    line(".RS 4")
    line(".nf")
    for words in lines { line(Self.text(words)) }
    line(".fi")
    line(".RE")
  }

  private mutating func line(_ words: String) { lines += words + "\n" }

  /// Prose with its backticks resolved, one line.
  private static func prose(_ words: String) -> String {
    let parts = words.split(separator: "`", omittingEmptySubsequences: false)
    // A backtick without a second one is text.
    guard parts.count % 2 == 1 else { return text(words) }
    let styled = parts.enumerated().map { index, part in
      index % 2 == 1 && !part.isEmpty ? bold(String(part)) : escape(String(part))
    }
    return protect(styled.joined())
  }

  private static func bold(_ words: String) -> String { "\\fB\(escape(words))\\fR" }

  private static func text(_ words: String) -> String { protect(escape(words)) }

  /// A line that begins with a full stop or an apostrophe is a request.
  private static func protect(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("\\(aq") || line.hasPrefix("'") ? "\\&" + line : line
  }

  /// The argument of a macro, in which a quotation mark is written twice.
  private static func argument(_ words: String) -> String {
    "\"" + escape(words).replacing("\"", with: "\"\"") + "\""
  }

  /// Text whose characters mean themselves, and can be copied from the page.
  private static func escape(_ words: String) -> String {
    var result = ""
    for character in words {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "…": result += "..."
      default: result.append(character)
      }
    }
    return result
  }
}
