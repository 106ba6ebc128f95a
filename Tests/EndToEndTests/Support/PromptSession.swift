import Foundation
import TestSupport
import Testing

/// opsh at a prompt in a pseudo terminal, controlled by a test.
final class PromptSession {
  let terminal: PseudoTerminal
  let home: TemporaryFolder
  private var typed = ""
  private static var emptyPrompt: Regex<(Substring, Substring?, Substring?)> {
    /opsh\*?( \d+\.\d{3})?( \[[^\]]*\])?>/
  }

  /// Starts opsh and waits for its first prompt.
  init(
    columns: Int = 100, rows: Int = 30, arguments: [String] = [],
    environment changes: [String: String] = [:], home: TemporaryFolder? = nil,
    directory: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    self.home = try home ?? TemporaryFolder()
    terminal = try PseudoTerminal(columns: columns, rows: rows)
    try terminal.start(
      try BuiltProducts.executable("opsh"), arguments: arguments,
      // Long text is not paged, and without colours nothing is suggested after the typed text, unless
      // a test is about these.
      environment: Opsh.environment(["HOME": self.home.path, "PAGER": "cat", "NO_COLOR": "1"])
        .merging(changes) { $1 },
      directory: directory)
    waitForPrompt(sourceLocation: sourceLocation)
  }

  /// Starts opsh as a job of bash, which prompts with `shell$`, and waits for opsh's own prompt.
  static func underShell(home: TemporaryFolder) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    try terminal.start(
      "/bin/bash", arguments: ["--norc", "--noprofile", "-i"],
      environment: Opsh.environment([
        "HOME": home.path, "PS1": "shell$ ", "OPSH": try BuiltProducts.executable("opsh"),
        "NO_COLOR": "1",
      ]))
    #expect(terminal.wait { $0.cursorLine == "shell$" })
    terminal.write("\"$OPSH\"\r")
    #expect(terminal.wait { $0.cursorLine == "opsh>" && $0.marksPastes })
    return terminal
  }

  var screen: ScreenModel { terminal.screen }

  /// All text so far, with wrapped rows joined.
  var lines: [String] { terminal.screen.logicalLines }

  /// The line being typed, with its prompt; without the activity mark, which appears and disappears
  /// by itself.
  var editedLine: String {
    // The cursor may be in a later row of a wrapped line.
    let rows = terminal.screen.lines[...terminal.screen.cursorRow]
    guard let first = rows.lastIndex(where: { $0.hasPrefix("opsh") }) else { return "" }
    return rows[first...].joined().replacing("opsh*", with: "opsh", maxReplacements: 1)
  }

  /// Waits for an empty prompt.
  func waitForPrompt(sourceLocation: SourceLocation = #_sourceLocation) {
    let isThere = terminal.wait(timeout: .seconds(30)) {
      $0.marksPastes && $0.cursorLine.wholeMatch(of: Self.emptyPrompt) != nil
    }
    #expect(isThere, "no prompt in:\n\(screen.text)", sourceLocation: sourceLocation)
  }

  /// Types part of a line, and waits until it is shown.
  func type(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    if editedLine.wholeMatch(of: Self.emptyPrompt) != nil { typed = editedLine + " " }
    typed += text
    terminal.write(text)
    let wanted = Self.trimmed(typed)
    let isThere = terminal.wait(timeout: .seconds(30)) { _ in editedLine == wanted }
    #expect(
      isThere, "not as typed, '\(typed)', in:\n\(screen.text)", sourceLocation: sourceLocation)
  }

  /// Types a whole line, and waits for the next prompt.
  func enter(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let count = lines.count { $0.hasSuffix("> " + line) }
    terminal.write(line + "\r")
    // The line must be shown first; otherwise its own prompt would be taken for the next one.
    let isTyped = terminal.wait(timeout: .seconds(30)) {
      $0.logicalLines.count { $0.hasSuffix("> " + line) } > count
    }
    #expect(isTyped, "'\(line)' is not in:\n\(screen.text)", sourceLocation: sourceLocation)
    waitForPrompt(sourceLocation: sourceLocation)
  }

  /// Waits until a text is on the screen or in the scrollback.
  func see(
    _ text: String, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      terminal.wait(for: text, timeout: .seconds(30)),
      "\(comment.map { "\($0): " } ?? "")no '\(text)' in:\n\(lines.joined(separator: "\n"))",
      sourceLocation: sourceLocation)
  }

  /// Waits until a line above the prompt matches.
  func see<Output>(
    _ pattern: Regex<Output>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isThere = terminal.wait(timeout: .seconds(30)) {
      $0.logicalLines.contains { $0.firstMatch(of: pattern) != nil }
    }
    #expect(
      isThere, "no line matches in:\n\(lines.joined(separator: "\n"))",
      sourceLocation: sourceLocation)
  }

  /// Waits until opsh has exited.
  func expectExit(_ status: Int32, sourceLocation: SourceLocation = #_sourceLocation) {
    let end = terminal.waitForExit(timeout: .seconds(30))
    #expect(
      end?.status == status && end?.signal == 0,
      "ended with \(String(describing: end)):\n\(screen.text)", sourceLocation: sourceLocation)
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

@available(*, unavailable)
extension PromptSession: Sendable {}
