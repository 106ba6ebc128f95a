import CommandParts
import Foundation
import OpshNetworking
import OpshLocking
import ShellLanguage
package import ShellSession
import OpshTerminal

/// `history`: the typed lines.
enum HistoryCommand: Command {
  static let count = Positional<Int?>(
    "count", .integer(minimum: 1), help: "number of lines, the latest (default: all)")

  static let path = ["history"]
  static let declaration = CommandDeclaration(
    summary: "Shows the typed lines, the latest last",
    discussion: """
      Lines that begin with a space are not stored; secrets are shown as stars, and lines with a \
      secret are stored for this session only. A text counts as a secret by its name (password, \
      token, api_key, Authorization and the like in headers, addresses, forms and JSON), by its \
      shape (Bearer, Basic, user:password@host, -u user:password, sk-…), or by its use: a text of 6 \
      characters or more that was sent as a credential, or that a variable or a parameter with such \
      a name has, is hidden in all output. Numbers are not ('let pin = 1234567'). What a \
      server sends is never changed. Each line has the time at which it was typed, in UTC. Shells \
      that run side by side see each other's lines at their next prompt. At the prompt, Ctrl-R \
      searches the history, Up shows the lines that begin with what is typed, and '!!', '!$', '!N', \
      '!-N' or '!?text' is replaced by a line, or by the last word of one, with Tab or Space.
      """,
    positionals: [count],
    examples: [.init("history 10", "the last ten lines")],
    searchTerms: ["lines", "typed", "recall", "search"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let count = HistoryLine.all(of: invocation).count
    return HistoryLine.print(
      HistoryLine.all(of: invocation).suffix(invocation.call[self.count] ?? count), invocation)
  }
}

/// `history search`: the typed lines that contain a text.
enum HistorySearchCommand: Command {
  static let text = Positional<String>("text", help: "text to look for; case does not matter")

  static let path = ["history", "search"]
  static let declaration = CommandDeclaration(
    summary: "Shows the typed lines that contain a text",
    positionals: [text],
    examples: [.init("history search 'fetch q'", "with their numbers, for '!N'")],
    searchTerms: ["find", "lines", "typed", "grep"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let text = invocation.call[self.text]
    return HistoryLine.print(
      HistoryLine.all(of: invocation).filter {
        $0.text.range(of: text, options: .caseInsensitive) != nil
      }, invocation)
  }
}

/// `history delete`: removes typed lines.
enum HistoryDelete: Command {
  static let number = Positional<[Int]>(
    "number", .integer(minimum: 1), atLeastOne: true, help: "numbers in 'history'")

  static let path = ["history", "delete"]
  static let declaration = CommandDeclaration(
    summary: "Removes typed lines, from the file and from the shells that use it",
    discussion: "Later lines get new numbers; the line with this command is one of them.",
    positionals: [number],
    examples: [
      .init("try { history delete 3 } catch e { echo $e.code }", "the third line, if there is one")
    ],
    searchTerms: ["remove", "forget", "clear", "lines", "typed"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let history = invocation.run.state.withLock { $0.history }
    let count = history?.entries.count ?? 0
    let numbers = call[number]
    if let missing = numbers.first(where: { $0 > count }) {
      throw call.failure(
        .unknownLine, "the history has no line \(missing)", at: number,
        help: "'history' lists the lines with their numbers")
    }
    guard history?.delete(Set(numbers.map { $0 - 1 })) == true else {
      throw call.failure(
        .unknownLine, "the history's file cannot be changed; the lines are removed here only")
    }
    return .integer(Int64(Set(numbers).count))
  }
}

/// A typed line as commands show it.
private struct HistoryLine {
  let number: Int
  let time: Date?
  let text: String

  /// The lines, without secrets.
  static func all(of invocation: Invocation) -> [HistoryLine] {
    guard let history = invocation.run.state.withLock({ $0.history }) else { return [] }
    let secrets = invocation.screen.secrets
    return history.entries.indices.map { index in
      HistoryLine(
        number: index + 1,
        time: history.time(of: index).map { Date(timeIntervalSince1970: Double($0)) },
        text: secrets.mask(history.entries[index]))
    }
  }

  static func print(_ lines: some Collection<HistoryLine>, _ invocation: Invocation) -> Value {
    for line in lines {
      if invocation.isJSON { line.printObject(invocation) } else { line.print(invocation) }
    }
    return .list(lines.map { .string($0.text) })
  }

  private func printObject(_ invocation: Invocation) {
    invocation.object(
      .line,
      [
        "number": .integer(Int64(number)), "text": .string(text),
        "typed": time.map { .string(DateText.text($0)) } ?? .null,
      ])
  }

  private func print(_ invocation: Invocation) {
    let digits = String(number)
    let indent = String(repeating: " ", count: max(0, 5 - digits.count)) + digits + "  "
    let date = time.map { DateText.minute($0) } ?? ""
    let margin = indent + TextWidth.pad(date, to: 16) + "  "
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let start = index == 0 ? margin : String(repeating: " ", count: margin.count)
      invocation.print(
        StyledText(start, style: .dim) + StyledText(VisibleText.escape(String(line))))
    }
  }
}

extension ObjectKind {
  package static let line = ObjectKind(
    type: "line", commands: "`history` and `history search`",
    keys: [
      ("number", "its number, as `!N` takes it"), ("typed", "when it was typed, in UTC, or null"),
      ("text", "the line, with secrets as stars"),
    ])
}

extension ErrorPage {
  static let unknownLine = ErrorPage(
    "unknown-line", "The history has no such line",
    "Numbers of lines are those in 'history'. They change when earlier lines are deleted.",
    help: "'history' lists the lines with their numbers", wrong: "history delete 9",
    right: "history", proof: .running)
}
