import Foundation
import OpshLocking
import OpshProcesses
import ShellLanguage
import ShellOutput
import OpshTerminal

/// The program that shows text longer than the screen.
struct Pager {
  let words: [String]
  private(set) var place: ProgramPlace
  /// Whether it supports colour sequences.
  let showsColor: Bool

  /// Finds the pager: `$PAGER`, else `less -FRX`; nil if there is none, or it is `cat`.
  init?(in place: ProgramPlace) {
    if let chosen = place.environment["PAGER"] {
      let words = chosen.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let program = words.first, program != "cat" else { return nil }
      if (try? place.find(program)) != nil {
        self.words = ["/bin/sh", "-c", chosen]
        showsColor = program.split(separator: "/").last == "less"
        // As in git: exits if the text fits on the screen, shows colours, does not clear.
        self.place = place
        self.place.environment.merge(["LESS": "FRX"]) { own, _ in own }
        return
      }
    }
    guard (try? place.find("less")) != nil else { return nil }
    words = ["less", "-FRX"]
    showsColor = true
    self.place = place
  }
}

/// The text of one command typed at the prompt, for the screen or the pager.
///
/// Lines are held until there are more than the screen has rows, which starts the pager, or until
/// the command ends or waits for something, which prints them: progress output must be seen at
/// once.
final class PagedText: Page, @unchecked Sendable {
  // @unchecked because only the interpreter's thread uses it, which each use checks.

  private enum State {
    case held([StyledText])
    case paging(ProgramSink)
    case printing
  }

  private let run: Run
  private let screen: Screen
  private let size: (columns: Int, rows: Int)
  private var state = State.held([])
  private var rows = 0
  private var showsColor = false

  /// - Returns: Nil if the command's text is not paged.
  init?(of invocation: Invocation) {
    let (screen, signature) = (invocation.screen, invocation.call.signature)
    guard screen.state.withLock({ $0.hasPager }), !invocation.isJSON, !screen.output.isSilent,
      invocation.context.source.name == SourceText.promptName,
      signature.traits.isDisjoint(with: [.runsProgram, .includesScript, .endsScript]),
      ForegroundTerminal.isAvailable(on: screen),
      let size = TerminalCapabilities.windowSize(of: screen.output.streams.output)
    else { return nil }
    self.screen = screen
    run = invocation.run
    self.size = size
  }

  /// Adds a line of the command's text; returns false if the line has to be printed directly.
  func take(_ line: StyledText) -> Bool {
    guard run.isOnInterpreterThread else { return false }
    switch state {
    case .printing: return false
    case .paging(let sink): write(line, to: sink)
    case .held(let lines):
      rows += max(1, (TextWidth.columns(of: line.plain) + size.columns - 1) / size.columns)
      state = .held(lines + [line])
      // The last row is for the next prompt.
      if rows >= size.rows { startPager() }
    }
    return true
  }

  private func startPager() {
    guard case .held(let lines) = state,
      let pager = Pager(in: run.outside.programPlace),
      let sink = try? ProgramSink(
        programs: [pager.words], file: nil, of: run, place: pager.place)
    else { return print() }
    showsColor = pager.showsColor && screen.output.standardOutputColor
    state = .paging(sink)
    for line in lines { write(line, to: sink) }
  }

  private func write(_ line: StyledText, to sink: ProgramSink) {
    sink.write(bytes: Array((line.rendered(color: showsColor) + "\n").utf8))
  }

  /// Prints the held lines; later ones are printed directly.
  func print() {
    guard run.isOnInterpreterThread, case .held(let lines) = state else { return }
    state = .printing
    // Secrets were masked before, in the lines in which they are to be.
    for line in lines { screen.output.line(line, isReceived: true) }
  }

  /// Ends the command's text: prints the held lines, or waits until the user has left the pager.
  ///
  /// - Throws: What ends the session or the statement meanwhile; a failure of the pager is ignored.
  func finish() throws {
    guard case .paging(let sink) = state else { return print() }
    state = .printing
    do {
      try sink.close()
    } catch is UnplacedError {
      return
    }
  }
}
