import Foundation
import TestSupport
import Testing

@testable import OpshTerminal

extension LineEditorTests {
  @Suite("Functions of the editor")
  struct Functions {
    struct Edit: Sendable, CustomTestStringConvertible {
      let keys: String
      let line: String
      var testDescription: String { keys.debugDescription }

      init(_ keys: String, _ line: String) {
        self.keys = keys
        self.line = line
      }
    }

    private static let left = "\u{1B}[D"
    private static let up = "\u{1B}[A"
    private static let down = "\u{1B}[B"
    private static let delete = "\u{1B}[3~"

    private func check(
      _ edit: Edit, _ program: EditorSession.Program = EditorSession.Program(),
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let session = try EditorSession(program)
      session.waitForPrompt()
      session.terminal.write(edit.keys + "\r")
      #expect(session.result() == .line(edit.line), sourceLocation: sourceLocation)
    }

    @Test(
      "Killed text can be yanked",
      arguments: [
        Edit("one two three\u{17}\u{17}\u{19}!", "one two three!"),
        Edit("one two\u{17}x\u{17}\u{19}", "one x"),
        Edit("one two\u{17}x\u{17}\u{19}\u{1B}y", "one two"),
        Edit("one two\u{17}x\u{17}\u{19}\u{1B}y\u{1B}y", "one x"),
        Edit("one\u{1B}y", "one"),
        Edit("one two\u{1}\u{1B}d\u{1B}d\u{5}\u{19}", "one two"),
        Edit("one two\u{1B}b\u{B}\u{15}\u{19}", "one two"),
        Edit("abc\u{17}de\(left)\(delete)\u{19}", "dabc"),
        Edit("abc\u{17}e\u{301}\u{19}", "e\u{301}abc"),
        Edit("one\u{15}\(up)\u{15}\u{19}\u{1B}y", "one"),
        Edit("one\u{17}x\(up)\(down)\u{19}", "xone"),
        Edit("one two\u{1B}b\u{1B}[3;5~\u{19}\u{19}", "one twotwo"),
        Edit("abcd\(left)\u{0}\(left)\(left)\u{1B}w\u{5}\u{19}", "abcdbc"),
      ])
    func killed(_ edit: Edit) throws {
      try check(edit, EditorSession.Program(entries: ["old"]))
    }

    @Test("Killed text is there in the next line")
    func nextLine() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write("one two\u{17}\r")
      #expect(session.result() == .line("one "))
      session.terminal.write("\u{19}\r")
      #expect(session.result(1) == .line("two"))
    }

    @Test(
      "Undo takes back a word or a function, redo makes it again",
      arguments: [
        Edit("one two\u{1F}", "one "),
        Edit("one two\u{1F}\u{1F}", ""),
        Edit("one two\u{1F}\u{1F}\u{1B}/", "one "),
        Edit("one two\u{1F}\u{1F}\u{1B}/\u{1B}/", "one two"),
        Edit("one two\u{17}\u{1F}", "one two"),
        Edit("one two\u{15}\u{1F}\u{17}", "one "),
        Edit("one\u{1F}x\u{1B}/", "x"),
        Edit("ae\u{301}\u{1F}b", "b"),
        Edit("one two\u{1B}b\u{1B}u\u{18}\u{15}", "one two"),
        Edit("one\u{1B}[200~ two three\u{1B}[201~\u{1F}", "one"),
        Edit("one two three\u{1B}rx", "x"),
        Edit("👩‍💻x\u{7F}\u{7F}\u{1F}\u{1F}", "👩‍💻x"),
      ])
    func undo(_ edit: Edit) throws { try check(edit) }

    @Test(
      "One rule for words counts clusters",
      arguments: [
        Edit("one a-b\u{1B}bX", "one a-Xb"),
        Edit("one a-b\u{1B}[1;5DX", "one a-Xb"),
        Edit("one a-b\u{17}", "one a-"),
        Edit("one a-b\u{1B}\u{7F}", "one a-"),
        Edit("cafe\u{301}s x\u{1}\u{1B}f!", "cafe\u{301}s! x"),
        Edit("x 👩‍💻\u{17}", ""),
        Edit("a b c d\u{1B}3\u{1B}bX", "a Xb c d"),
        Edit("cafe\u{301} x\u{1}\u{1B}u", "CAFE\u{301} x"),
        Edit("ONE two\u{1}\u{1B}c\u{1B}c", "One Two"),
        Edit("ÉCOLE\u{1}\u{1B}l", "école"),
        Edit("one two\u{1B}t", "two one"),
        Edit("one, two three\u{1}\u{1B}f\u{1B}tX", "two, oneX three"),
        Edit("ab\u{14}c", "bac"),
        Edit("abc\(left)\u{14}X", "acbX"),
        Edit("ab\u{1}\u{14}X", "Xab"),
        Edit("a👩‍💻\u{14}", "👩‍💻a"),
        Edit("a   b\(left)\(left)\u{1B}\\X", "aXb"),
        Edit("abcabc\u{1}\u{1D}cX", "abXcabc"),
        Edit("abcabc\u{1B}\u{1D}bX", "abcaXbc"),
        Edit("abc\u{1B}2\(left)X", "aXbc"),
      ])
    func words(_ edit: Edit) throws { try check(edit) }

    @Test(
      "Ctrl-U and Ctrl-K stay within a row, and at its edge join rows",
      arguments: [
        Edit("one {\rtwo} x;\u{1B}b\u{15}", "one {\nx;"),
        Edit("one {\rtwo}\u{1}\u{B}\u{15}}", "one {}"),
        Edit("one {\rtwo}\(up)\u{1}\u{B}\u{19}", "one {\ntwo}"),
        Edit("one {\rtwo}\(up)\u{5}\u{B}", "one {two}"),
      ])
    func rows(_ edit: Edit) throws {
      try check(
        edit,
        EditorSession.Program(
          isComplete: { $0.contains("{") == $0.contains("}") || $0.hasSuffix(";") }))
    }

    @Test("Alt-# stores the line as a comment")
    func comment() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.terminal.write("cancel all\u{1B}#")
      #expect(session.result() == .line("#cancel all"))
    }

    @Test("A late reply of the terminal does not reach the line")
    func replies() throws {
      try check(
        Edit(
          "a\u{1B}]11;rgb:1e1e/1e1e/1e1e\u{1B}\\b\u{1B}]4;1;red\u{7}c\u{1B}P>|tmux\u{1B}\\d",
          "abcd"))
      try check(Edit("a\u{1B}P1\u{1}b", "ba"))
    }

    // MARK: vi

    @Test(
      "In vi mode Escape and 'i' leave and enter inserting",
      arguments: [
        (["one two", "\u{1B}", "bix"], "one xtwo"),
        (["one two", "\u{1B}", "0dwix"], "xtwo"),
        (["one two", "\u{1B}", "xu"], "one two"),
        (["one two", "\u{1B}", "x", "u\u{12}"], "one tw"),
        (["one", "\u{1B}", "k"], "old"),
        (["one", "\u{1B}", "0", "\u{1B}[C", "ix"], "oxne"),
      ] as [([String], String)])
    func vi(keys: [String], line: String) throws {
      let session = try EditorSession(
        EditorSession.Program(entries: ["old"], bindings: [["-v"]]))
      session.waitForPrompt()
      for key in keys {
        session.terminal.write(key)
        // A person needs longer, too, than the terminal for the rest of a sequence.
        if key == "\u{1B}" { session.terminal.wait(TerminalKeyReader.patience * 4) }
      }
      session.terminal.write("\r")
      #expect(session.result() == .line(line))
    }

    @Test("Keys can be bound to the editor's functions and to libedit's, by libedit's names")
    func bindings() throws {
      let session = try EditorSession(
        EditorSession.Program(
          bindings: [
            ["^O", "ed-kill-line"], ["\\e[3~", "em-yank"], ["^G", "vi-comment-out"],
            ["-s", "^X^T", "text"], ["^L", "ed-newline"],
          ]))
      session.waitForPrompt()
      session.terminal.write("ab\u{1}\u{F}\(Self.delete)\(Self.delete)\u{18}\u{14}\u{C}")
      #expect(session.result() == .line("ababtext"))
      session.terminal.write("x\u{7}")
      #expect(session.result(1) == .line("#x"))
    }
  }
}
