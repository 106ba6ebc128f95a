import Foundation
import TestSupport
import Testing

@testable import OpshTerminal

extension LineEditorTests {
  /// GNU readline, as bash has it, with the same keys; there Ctrl-W has another rule for words.
  @Suite("The line editor and GNU readline")
  struct Readline {
    private static let prompt = "opsh> "

    /// A generator of random numbers (SplitMix64), the same in every run.
    private struct Generator: RandomNumberGenerator {
      var state: UInt64

      mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
      }
    }

    /// What is typed at a time: text and functions that both have.
    private static let pieces: [[String]] = [
      ["one", "Two", "x", "café", "漢字", "b2", "ÉCOLE", "three four"],
      [" ", " ", "-", ". ", "  "],
      ["\u{1B}[D", "\u{1B}[C", "\u{1}", "\u{5}", "\u{1B}b", "\u{1B}f", "\u{1B}2\u{1B}b"],
      ["\u{17}", "\u{1B}\u{7F}", "\u{1B}d", "\u{B}", "\u{15}", "\u{17}\u{17}", "\u{1B}2\u{1B}d"],
      ["\u{19}", "\u{19}\u{1B}y", "\u{19}\u{1B}y\u{1B}y"],
      ["\u{7F}", "\u{1B}[3~", "\u{14}", "\u{1B}t", "\u{1B}u", "\u{1B}l", "\u{1B}c", "\u{1B}\\"],
      ["y z\u{17}\u{1F}", "\u{1B}.", "\u{1B}.\u{1B}."],
    ]

    @Test("Random keys have the same effect")
    func random() throws {
      let session = try EditorSession(
        columns: 120, EditorSession.Program(entries: ["alpha beta", "gamma delta"]))
      session.waitForPrompt()
      let terminal = try startReadline()
      var random = Generator(state: 48)
      for _ in 0..<TestScale.count(60, long: 500) {
        // Kills of the session before stay; its text does not.
        var keys = "\u{5}\u{15}"
        for _ in 0..<12 {
          let piece = Self.pieces.randomElement(using: &random)?.randomElement(using: &random)
          keys += piece ?? ""
        }
        session.terminal.write(keys)
        terminal.write(keys)
        let isSame = terminal.wait(timeout: .seconds(10)) { screen in
          session.terminal.pump(for: .milliseconds(1))
          return Self.state(of: screen) == Self.state(of: session.terminal.screen)
        }
        #expect(
          isSame,
          """
          after \(keys.debugDescription)
          readline \(Self.state(of: terminal.screen))
          opsh     \(Self.state(of: session.terminal.screen))
          """)
        guard isSame else { return }
      }
    }

    /// The line and the cursor, once the whole of it is there.
    private static func state(of screen: ScreenModel) -> [String] {
      [screen.lines.last { !$0.isEmpty } ?? "", "\(screen.cursorColumn)"]
    }

    private func startReadline() throws -> PseudoTerminal {
      let terminal = try PseudoTerminal(columns: 120, rows: 24)
      try terminal.start(
        "/bin/bash", arguments: ["--norc", "--noprofile", "-i"],
        environment: [
          "TERM": "xterm", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PS1": "$ ",
          "PATH": "/bin:/usr/bin",
          "HISTFILE": "/dev/null", "INPUTRC": "/dev/null",
        ])
      #expect(terminal.wait { $0.cursorLine == "$" })
      // Clearing is the last: what was typed before stands above it.
      terminal.write(
        "bind 'set bind-tty-special-chars off'; set +o history; history -c; history -s alpha beta; history -s gamma delta; "
          + #"bind '"\C-w": backward-kill-word'; "#
          + "printf '\\033[H\\033[2J'; read -er -p '\(Self.prompt)' line\r")
      #expect(terminal.wait { $0.cursorLine == "opsh>" }, "\(terminal.screen.text)")
      return terminal
    }
  }
}
