import Foundation
import Locking
import ShellLanguage
import Terminal

/// Which program shows a text that is longer than the screen.
struct Pager {
  let words: [String]
  let environment: [String: String]
  /// Whether it takes the sequences of colours for what they are.
  let showsColor: Bool

  /// Finds the pager: `$PAGER`, else `less -FRX`; nil where there is none, or it is `cat`.
  init?(environment: [String: String]) {
    if let chosen = environment["PAGER"] {
      let words = chosen.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let program = words.first, program != "cat" else { return nil }
      if Self.find(program, environment) {
        self.words = ["/bin/sh", "-c", chosen]
        showsColor = program.split(separator: "/").last == "less"
        // As git has it: leaves what fits on the screen, shows colours, does not clear.
        self.environment = environment.merging(["LESS": "FRX"]) { own, _ in own }
        return
      }
    }
    guard Self.find("less", environment) else { return nil }
    words = ["less", "-FRX"]
    showsColor = true
    self.environment = environment
  }

  private static func find(_ program: String, _ environment: [String: String]) -> Bool {
    if program.contains("/") { return access(program, X_OK) == 0 }
    return (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
      .contains { access("\($0)/\(program)", X_OK) == 0 }
  }
}

/// The text of one command that was typed at the prompt, on its way to the screen or to the pager.
///
/// Lines are held until there are more than the screen has rows, which starts the pager, or until the
/// command has ended or waits for something, which prints them: what is shown while something happens
/// must be seen as it happens.
final class PagedText: @unchecked Sendable {
  // @unchecked because only the interpreter's thread uses it, and says so before each use.

  private enum State {
    case held([StyledText])
    case paging(ProgramSink)
    case printing
  }

  private let session: Session
  private let size: (columns: Int, rows: Int)
  private var state = State.held([])
  private var rows = 0
  private var showsColor = false

  /// - Returns: Nil where the command's text is not to go through a pager.
  init?(of invocation: Invocation) {
    let (session, signature) = (invocation.session, invocation.call.signature)
    guard session.state.withLock({ $0.hasPager }), !invocation.isJSON,
      invocation.context.source.name == SourceText.promptName,
      signature.path != ["!"], !signature.includesScript, !signature.endsScript,
      ForegroundTerminal.isAvailable(in: session),
      let size = TerminalCapabilities.windowSize(of: STDOUT_FILENO)
    else { return nil }
    self.session = session
    self.size = size
  }

  /// Takes a line of the command's text.
  ///
  /// - Returns: False where it is to be printed as ever.
  func take(_ line: StyledText) -> Bool {
    guard session.isOnInterpreterThread else { return false }
    switch state {
    case .printing: return false
    case .paging(let sink): write(line, to: sink)
    case .held(let lines):
      rows += max(1, (TextWidth.columns(of: line.plain) + size.columns - 1) / size.columns)
      state = .held(lines + [line])
      // The last row is the next prompt's.
      if rows >= size.rows { startPager() }
    }
    return true
  }

  private func startPager() {
    guard case .held(let lines) = state,
      let pager = Pager(environment: session.configuration.environment),
      let sink = try? ProgramSink(
        programs: [pager.words], file: nil, session: session, environment: pager.environment)
    else { return print() }
    showsColor = pager.showsColor && session.output.standardOutputColor
    state = .paging(sink)
    for line in lines { write(line, to: sink) }
  }

  private func write(_ line: StyledText, to sink: ProgramSink) {
    sink.write(bytes: Array((line.rendered(color: showsColor) + "\n").utf8))
  }

  /// Prints what is held, and lets the rest be printed as it comes.
  func print() {
    guard session.isOnInterpreterThread, case .held(let lines) = state else { return }
    state = .printing
    for line in lines { session.output.line(line) }
  }

  /// The command has ended: prints what is held, or waits until the user has left the pager.
  ///
  /// - Throws: What ends the session or the statement meanwhile; that the pager failed is its own affair.
  func finish() throws {
    guard case .paging(let sink) = state else { return print() }
    state = .printing
    do {
      try sink.close()
    } catch is RedirectionError {
      return
    }
  }
}
