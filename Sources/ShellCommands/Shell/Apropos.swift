import Foundation
import ShellLanguage
import ShellSession
import Terminal

/// `apropos`: commands by what they are about.
enum Apropos: Command {
  static let word = Positional<String>("word", help: "word to look for")

  static let signature = CommandSignature(
    path: ["apropos"],
    summary: "Finds commands by a word",
    discussion: "It looks in names, summaries, search terms, options and explanations.",
    positionals: [word],
    examples: [.init("apropos suspend", "what Foundation calls isSuspended")],
    searchTerms: ["search", "find", "help"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let word = invocation.call[Self.word].lowercased()
    let ranked = CommandRegistry.signatures.compactMap { signature in
      rank(signature, word).map { (rank: $0, signature: signature) }
    }
    let found = ranked.sorted { $0.rank < $1.rank }.map(\.signature)
    let keywords = Keyword.allCases.filter {
      $0.rawValue.contains(word) || $0.searchTerms.contains { $0.contains(word) }
    }
    for keyword in keywords {
      invocation.print(StyledText(VisibleText.escape("\(keyword.usage)  \(keyword.summary)")))
    }
    let topics = HelpTopic.all.filter { $0.mentions(word) }
    for topic in topics {
      invocation.print(StyledText("help \(topic.name)  \(topic.heading)"))
    }
    if found.isEmpty, !(keywords.isEmpty && topics.isEmpty) {
      return .list(keywords.map { .string($0.rawValue) } + topics.map { .string($0.name) })
    }
    if found.isEmpty {
      invocation.printNothing(StyledText(VisibleText.escape("no command is about '\(word)'")))
    } else {
      Help.list(found, invocation)
    }
    return .list(found.map { .string($0.path.joined(separator: " ")) })
  }

  /// The lower the better; nil where the word is nowhere.
  private static func rank(_ signature: CommandSignature, _ word: String) -> Int? {
    func holds(_ text: String) -> Bool { text.lowercased().contains(word) }
    if signature.path.contains(where: holds) { return 0 }
    if signature.searchTerms.contains(where: holds) { return 1 }
    if holds(signature.summary) { return 2 }
    if signature.options.contains(where: { holds($0.name) || holds($0.help) }) { return 3 }
    return holds(signature.discussion) ? 4 : nil
  }
}
