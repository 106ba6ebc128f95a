import Foundation
import TestSupport
import Testing

@Suite("Editing and history at the prompt", .serialized, .timeLimit(.minutes(15)))
struct EditingTests {
  @Test("Typed lines have times and numbers, are found, and are deleted in all shells")
  func history() throws {
    let home = try TemporaryFolder()
    let first = try PromptSession(columns: 120, home: home)
    let second = try PromptSession(columns: 120, home: home)
    first.enter("echo One")
    first.enter("echo two")
    first.enter("history search ONE")
    first.see(/^ +1  \d{4}-\d\d-\d\d \d\d:\d\d  echo One$/)
    // The second shell reads the file at its next prompt.
    second.enter("echo next")
    second.terminal.write("\u{10}\u{10}\u{10}\u{10}")
    #expect(second.terminal.wait { $0.cursorLine == "opsh> echo One" }, "\(second.screen.text)")
    second.terminal.write("\u{5}\u{15}")
    second.waitForPrompt()
    second.enter("history delete 1")
    first.enter("echo next")
    first.enter("history 9 --json")
    first.see(/"number":1,"typed":"\d{4}-[^"]+","text":"echo two"/)
    first.enter("history delete 99")
    first.see("the history has no line 99")
    for session in [first, second] {
      session.terminal.write("quit\r")
      session.expectExit(0)
    }
    #expect(home.read(".local/state/opsh/history")?.contains("echo One") == false)
  }

  @Test("'!!' with Space becomes the last line, which is seen before Enter")
  func historyWord() throws {
    let session = try PromptSession()
    session.enter("echo a b")
    session.terminal.write("!! ")
    #expect(session.terminal.wait { $0.cursorLine == "opsh> echo a b" })
    session.terminal.write("!$\t\r")
    session.see("a b b")
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Alt-e edits the line in $VISUAL, and puts it back into the line")
  func externalEditor() throws {
    let folder = try TemporaryFolder()
    let editor = try folder.write(
      "#!/bin/sh\nsed 's/old/new/' \"$2\" > \"$2.out\"; mv \"$2.out\" \"$2\"; echo in the editor\n",
      to: "editor", permissions: 0o755)
    let session = try PromptSession(environment: ["VISUAL": "\(editor) -x", "EDITOR": "false"])
    session.type("echo old text")
    session.terminal.write("\u{1B}e")
    session.see("in the editor")
    #expect(
      session.terminal.wait { $0.cursorLine == "opsh> echo new text" && $0.marksPastes },
      "\(session.screen.text)")
    session.terminal.write("\u{1F}")
    #expect(session.terminal.wait { $0.cursorLine == "opsh> echo old text" })
    session.terminal.write("\r")
    session.see(/^old text$/)
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Keys are bound and listed by libedit's names, also in ~/.editrc and in vi mode")
  func bindings() throws {
    let home = try TemporaryFolder()
    _ = try home.write(
      "# comment\nbind ^O ed-kill-line\nother:bind ^O ed-newline\nopsh:bind -s ^G 'echo '\n",
      to: ".editrc")
    let session = try PromptSession(columns: 120, rows: 60, home: home)
    session.type("abc")
    session.terminal.write("\u{1}\u{F}\u{7}two\r")
    session.see(/^two$/)
    session.enter("set editing vi")
    session.terminal.write("echo one")
    #expect(session.terminal.wait { $0.cursorLine == "opsh> echo one" })
    session.terminal.write("\u{1B}")
    session.terminal.wait(.milliseconds(300))
    session.terminal.write("bcwvi\r")
    session.see(/^vi$/)
    session.enter("set editing")
    session.see(/^vi$/)
    session.enter("bind -e")
    session.enter("bind ^O nonsense")
    session.see("[bad-binding]")
    session.enter("bind")
    session.see(/"\^O" +-> +ed-kill-line/)
    session.see(/^deleteWord +-> +em-delete-next-word/)
    session.enter("bind -l")
    session.see(/^em-yank-pop +After a yank/)
    session.see(/^vi-change-meta +Vi change/)
    session.terminal.write("quit\r")
    session.expectExit(0)
  }
}
