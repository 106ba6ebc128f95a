import Foundation
import OpshLocking
import TestSupport
import Testing

@testable import OpshTerminal

extension LineEditorTests {
  @Suite("Output above the line")
  struct Events {
    private func event(_ number: Int) -> StyledText {
      StyledText("event \(number) ready → executing")
    }

    /// The numbers of the shown events, in screen order.
    private func shownEvents(_ screen: ScreenModel) -> [Int] {
      screen.logicalLines.compactMap { line in
        guard line.hasPrefix("event ") else { return nil }
        return Int(line.dropFirst(6).prefix { $0.isNumber })
      }
    }

    @Test(
      "Typing among 200 events corrupts neither line nor events", arguments: [true, false])
    func typingAmongEvents(joinsClusters: Bool) throws {
      let session = try EditorSession(rows: 10, joinsClusters: joinsClusters)
      session.waitForPrompt()
      let queue = session.queue
      let left = "\u{1B}[D"
      // Each edit comes with five events; their order is fixed, their timing is not.
      let edits = [
        "fetch ", "größe ", "漢字", left, "の", "👩‍💻", left, left, "x", "\u{5}", " end", "\u{1}", ">",
        "\u{5}", "\u{7F}", "\u{7F}", "nd", "e\u{301}", "\u{7F}", "!",
      ]
      for round in 0..<40 {
        queue.append((0..<5).map { event(round * 5 + $0) })
        session.terminal.write(round % 2 == 0 ? edits[round / 2] : "")
        session.terminal.pump(for: .milliseconds(5))
      }
      #expect(session.terminal.wait { shownEvents($0).count == 200 })
      #expect(shownEvents(session.terminal.screen) == Array(0..<200))
      let line = ">fetch größe 漢xの👩‍💻字 end!"
      // Without joining, the second half of the picture is overwritten by the next character.
      let seen = joinsClusters ? line : line.replacing("👩‍💻", with: "👩\u{200D}")
      let isLine = session.terminal.wait { $0.cursorLine == "opsh> " + seen }
      #expect(isLine, "\(session.terminal.screen.text)")
      // Every row but the last two is an event: no part of an earlier prompt remains.
      let others = session.terminal.screen.allLines.filter { !$0.hasPrefix("event ") && $0 != "" }
      #expect(others == ["opsh> " + seen])
      session.terminal.write("\r")
      #expect(session.result() == .line(line))
    }

    @Test("500 lines typed during 5,000 simultaneous events are read exactly as typed")
    func manyLinesAndEvents() throws {
      let session = try EditorSession(columns: 60, rows: 12)
      session.waitForPrompt()
      let lines = (0..<500).map { "fetch questions --page \($0) --tagged größe-漢字" }
      let queue = session.queue
      let isTyped = Locked(false)
      let producer = Thread {
        var number = 0
        // A burst, and then a steady stream during the typing.
        queue.append((0..<5_000).map { StyledText("event \($0)") })
        number = 5_000
        while !isTyped.withLock({ $0 }) {
          queue.append([StyledText("event \(number)")])
          number += 1
          usleep(100)
        }
      }
      producer.start()
      for line in lines { session.terminal.write(line + "\r") }
      _ = session.result(499)
      isTyped.withLock { $0 = true }
      #expect((0..<500).map { session.result($0) } == lines.map { .line($0) })
      #expect(session.terminal.wait(for: "more events"))
      let shown = shownEvents(session.terminal.screen)
      #expect(shown == shown.sorted() && Set(shown).count == shown.count && shown.first == 0)
    }

    @Test("After output without a newline, the prompt starts on the next row")
    func unfinishedOutput() throws {
      let session = try EditorSession(columns: 40)
      session.waitForPrompt()
      session.queue.append(["event 1"])
      #expect(session.terminal.wait(for: "event 1"))
      session.terminal.write("x\r")
      #expect(session.result() == .line("x"))
      #expect(session.terminal.wait { $0.lines.contains("opsh> x") && $0.cursorLine == "opsh>" })
      #expect(session.terminal.screen.lines.prefix(3) == ["event 1", "opsh> x", "opsh>"])
    }

    @Test("Wide characters at an odd margin keep their positions among events")
    func wideCharacters() throws {
      let session = try EditorSession(columns: 21, rows: 12)
      session.waitForPrompt()
      let text = String(repeating: "漢", count: 30)
      session.terminal.write(text + "\u{1}")
      session.queue.append([event(1), event(2)])
      #expect(session.terminal.wait { shownEvents($0) == [1, 2] })
      session.terminal.write("ab\u{5}c")
      // 13 columns are left of the first row's 21, and one stays empty: a 漢 does not fit.
      let rows = ["opsh> ab漢漢漢漢漢漢", "漢漢漢漢漢漢漢漢漢漢", "漢漢漢漢漢漢漢漢漢漢", "漢漢漢漢c"]
      let isDrawn = session.terminal.wait { $0.lines.filter { $0 != "" }.suffix(4) == rows[...] }
      #expect(isDrawn, "\(session.terminal.screen.text)")
      session.terminal.write("\r")
      #expect(session.result() == .line("ab" + text + "c"))
    }

    @Test("A line longer than the screen is edited at the cursor")
    func longLine() throws {
      let session = try EditorSession(columns: 20, rows: 5)
      session.waitForPrompt()
      let text = (0..<60).map { "word\($0)" }.joined(separator: " ")
      session.terminal.write(text)
      #expect(session.terminal.wait { $0.cursorLine.hasSuffix("word59") })
      session.queue.append([event(1)])
      session.terminal.write("\u{1}>")
      #expect(session.terminal.wait { $0.cursorLine.hasPrefix("opsh> >word0") })
      session.queue.append([event(2)])
      #expect(session.terminal.wait { shownEvents($0) == [1, 2] })
      session.terminal.write("\u{5}<\r")
      #expect(session.result() == .line(">" + text + "<"))
    }

    @Test("The line survives a narrow and a wide window")
    func resizing() throws {
      let session = try EditorSession(columns: 60, rows: 12)
      session.waitForPrompt()
      let text = "fetch questions --pagesize 5 --tagged swift --sort votes --site stackoverflow"
      session.terminal.write(text)
      #expect(session.terminal.wait { $0.lines.joined().contains(text) })
      for (index, columns) in [40, 30, 100, 60].enumerated() {
        session.terminal.resize(columns: columns, rows: 12)
        session.send(.windowChange)
        session.queue.append([event(index)])
        #expect(session.terminal.wait { shownEvents($0) == Array(0...index) })
        let all = "opsh> " + text
        let rows = stride(from: 0, to: all.count, by: columns).map {
          String(all.dropFirst($0).prefix(columns)).trimmingSuffix()
        }
        let isDrawn = session.terminal.wait { screen in
          screen.allLines.filter {
            $0 != "" && !$0.hasPrefix("event") && !"executing".hasSuffix($0)
          }
            == rows
        }
        #expect(isDrawn, "\(columns): \(session.terminal.screen.text)")
      }
      session.terminal.write("!\r")
      #expect(session.result() == .line(text + "!"))
    }

    @Test(
      "A long line is edited after the window has lost rows or columns",
      arguments: [(80, 10), (10, 40)])
    func shrinking(columns: Int, rows: Int) throws {
      let session = try EditorSession(columns: 80, rows: 40)
      session.waitForPrompt()
      let text = String(repeating: "word ", count: 200)
      session.terminal.write(text)
      session.queue.append([event(0)])
      #expect(session.terminal.wait { shownEvents($0) == [0] })
      session.terminal.resize(columns: columns, rows: rows)
      session.send(.windowChange)
      session.terminal.write(String(repeating: "x", count: 100) + "\r")
      #expect(session.result() == .line(text + String(repeating: "x", count: 100)))
    }

    @Test("A slow terminal gets few lines, and keys still arrive")
    func slowTerminal() throws {
      let session = try EditorSession(columns: 60, rows: 12)
      session.waitForPrompt()
      session.terminal.slowness = (bytes: 200, pause: .milliseconds(1))
      let queue = session.queue
      for round in 0..<200 {
        queue.append((0..<100).map { event(round * 100 + $0) })
        session.terminal.pump(for: .milliseconds(1))
      }
      session.terminal.write("typed\r")
      #expect(session.result() == .line("typed"))
      session.terminal.slowness = nil
      #expect(shownEvents(session.terminal.screen).count < 20_000)
      #expect(session.terminal.wait(for: "more events"))
    }

    @Test("Control characters in events are escaped")
    func hostileEvents() throws {
      let session = try EditorSession()
      session.waitForPrompt()
      session.queue.append(["title \u{1B}[2J\u{1B}]0;x\u{7}\u{9B}31m\u{202E}end\r", "a\tb\nc"])
      #expect(session.terminal.wait(for: "c"))
      #expect(
        session.terminal.screen.lines.prefix(3) == [
          "title ^[[2J^[]0;x^G\\u{9B}31m\\u{202E}end^M", "a       b", "c",
        ])
      #expect(session.terminal.screen.bells == 0)
    }

    @Test("A menu of very many candidates asks, and says how many", arguments: [0, 99_598])
    func manyCandidates(others: Int) throws {
      let candidates = (1000..<1402).map { CompletionCandidate("name-\($0)-\($0 % 7)") }
      let session = try EditorSession(
        EditorSession.Program(completions: { text, _ in
          CompletionResult(
            range: 0..<text.count, candidates: candidates, count: candidates.count + others)
        }))
      session.waitForPrompt()
      session.terminal.write("name-1\t")
      let count = 402 + others
      #expect(session.terminal.wait(for: "\(count) candidates: Tab lists them"))
      #expect(!session.terminal.screen.text.contains("name-1000"))
      session.terminal.write("\t")
      #expect(session.terminal.wait(for: "name-1000-"))
      #expect(session.terminal.wait { $0.text.contains(" of \(count)") })
      #expect(session.terminal.screen.text.contains("other \(others)") == (others > 0))
      session.terminal.write("\r")
      #expect(session.result() == .line("name-1"))
    }

    @Test("Completion inserts the single candidate or the common prefix, then lists candidates")
    func completion() throws {
      let commands = ["queue", "questions", "quit"]
      let session = try EditorSession(
        EditorSession.Program(completions: { text, cursor in
          let word = String(text.prefix(cursor).reversed().prefix { $0 != " " }.reversed())
          return CompletionResult(
            range: (cursor - word.count)..<cursor,
            candidates: (commands + ["größe👩‍💻"]).filter { $0.hasPrefix(word) }
              .map { CompletionCandidate($0, summary: "about \($0)") })
        }))
      session.waitForPrompt()
      session.terminal.write("👩‍💻 gr\t")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> 👩‍💻 größe👩‍💻" })
      session.terminal.write("q\t")
      #expect(session.terminal.wait { $0.cursorLine == "opsh> 👩‍💻 größe👩‍💻 qu" })
      session.terminal.write("\t")
      #expect(session.terminal.wait(for: "questions  about questions"))
      #expect(session.terminal.wait { $0.cursorLine == "opsh> 👩‍💻 größe👩‍💻 qu" })
      session.terminal.write("i\t\r")
      #expect(session.result() == .line("👩‍💻 größe👩‍💻 quit "))
      let bells = session.terminal.screen.bells
      session.waitForPrompt()
      session.terminal.write("zz\t")
      #expect(session.terminal.wait { $0.bells == bells + 1 })
    }
  }
}

extension String {
  fileprivate func trimmingSuffix() -> String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}
