import CommandParts
import Foundation
import ShellLanguage
import ShellSession
import OpshTerminal

/// `apropos`: commands and pages by what they are about.
enum Apropos: Command {
  static let word = Positional<String>("word", help: "word to look for")

  static let path = ["apropos"]
  static let declaration = CommandDeclaration(
    summary: "Finds commands and pages by a word",
    discussion: """
      It looks in names, summaries, search terms, options and explanations, and in the pages of \
      'help' about concepts. What is about the word comes first; what only mentions it is listed \
      by name at the end. It knows the public methods and properties of Foundation's Operation, \
      BlockOperation and OperationQueue, with or without the class and the argument labels.
      """,
    positionals: [word],
    examples: [
      .init("apropos suspend", "what Foundation calls isSuspended"),
      .init("apropos addDependency", "a method of Foundation"),
      .init("apropos deadlock", "a concept"),
    ],
    searchTerms: ["search", "find", "help"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let word = invocation.call[Self.word].trimmingCharacters(in: .whitespaces)
    var names = FoundationName.all.filter { $0.isNamed(word) }
    let reference = ReferenceWord.named(word)
    let found = AproposEntry.matches(
      word, preferred: names.map(\.page) + (reference?.pages ?? []))
    // A part of a name is a guess: what has the word as its name is nearer.
    if names.isEmpty, word.count >= 5, found.first?.rank != 0 {
      let near = FoundationName.all.filter { $0.contains(word) }
      if near.count <= 3 { names = near }
    }
    for name in names {
      invocation.print(
        StyledText(
          "Foundation's \(name.type).\(name.name): \(name.form) (help \(name.page))"))
    }
    if let reference {
      invocation.print(StyledText("\(word): \(reference.summary) (help \(reference.names[0]))"))
    }
    guard !(found.isEmpty && names.isEmpty && reference == nil) else {
      invocation.printNothing(StyledText(VisibleText.escape("no command is about '\(word)'")))
      return .list([])
    }
    let mentioned = AproposEntry.mentioned(in: found)
    let about = found.filter { $0.rank < mentioned }
    // A word that is only mentioned has no better answer.
    let listed = about.isEmpty && names.isEmpty && reference == nil ? found : about
    let width = listed.map { TextWidth.columns(of: $0.title) }.max() ?? 0
    for entry in listed {
      invocation.print(
        StyledText(
          TextWidth.pad(entry.title, to: min(width, 26)), style: TextStyle(color: .cyan))
          + StyledText("  " + entry.summary))
    }
    if listed.count < found.count {
      let further = found.dropFirst(listed.count).map(\.title)
      let shown = further.prefix(12).joined(separator: ", ")
      let titles = shown + (further.count > 12 ? " and \(further.count - 12) more" : "")
      let text = "Also mentioned in: \(titles)"
      for line in Prose.wrap(text, columns: 98, terminal: invocation.width) {
        invocation.print(StyledText(line, style: .dim))
      }
    }
    return .list(found.map { .string($0.title) })
  }
}
