import ShellLanguage

/// A command or a page that `apropos` finds, with how near it is to the word.
struct AproposEntry {
  /// What `help` shows it by.
  let title: String
  let summary: String
  /// The lower, the more it is about the word.
  let rank: Int

  /// The rank from which the word is only mentioned: in the summary, if many summaries have it.
  static func mentioned(in found: [AproposEntry]) -> Int {
    found.filter { $0.rank < 6 }.count > 20 ? 5 : 6
  }

  /// What is about a word, the nearest first.
  ///
  /// - Parameters:
  ///   - word: The word.
  ///   - preferred: Words after `help` of the pages that come first whatever they say.
  /// - Returns: The entries, each title once.
  static func matches(_ word: String, preferred: [String] = []) -> [AproposEntry] {
    let search = Search(word)
    let all = concepts(search) + commands(search) + language(search) + topics(search)
    let ranked = all.enumerated().compactMap { index, entry -> (entry: AproposEntry, index: Int)? in
      let isPreferred = preferred.contains { entry.title == $0 || entry.title == "help \($0)" }
      guard let rank = isPreferred ? -1 : entry.rank else { return nil }
      return (AproposEntry(title: entry.title, summary: entry.summary, rank: rank), index)
    }
    return ranked.sorted { ($0.entry.rank, $0.index) < ($1.entry.rank, $1.index) }
      .map(\.entry).uniqued()
  }

  /// What to type in place of a word that has no page: the pages that are most about it.
  ///
  /// - Parameter word: The word, or several with blanks between them.
  /// - Returns: The help of an error; nil if no page is about the word.
  static func help(for word: String) -> String? {
    var found = matches(word)
    if found.isEmpty, word.count > 3, word.hasSuffix("s") {
      found = matches(String(word.dropLast()))
    }
    let pages = found.compactMap(\.page).prefix(3).map { "'\($0)'" }
    guard !pages.isEmpty else { return nil }
    return "try \(pages.joined(separator: " or ")); 'apropos' finds more"
  }

  /// The command that shows its page; nil for a word of the language, whose title is its usage.
  private var page: String? {
    if title.hasPrefix("help ") { return title }
    return CommandRegistry.catalog.signature(at: title.split(separator: " ").map(String.init))
      .map { "help \($0.fullName)" }
  }

  /// What may be found; without a rank, the word is nowhere in it.
  private typealias Candidate = (title: String, summary: String, rank: Int?)

  private static func commands(_ search: Search) -> [Candidate] {
    CommandRegistry.signatures.map { signature in
      let concept = Concept.all.first { [$0.name] == signature.path }
      let ranks = [search.rank(signature), concept.flatMap(search.rank)].compactMap { $0 }
      return (signature.fullName, signature.summary, ranks.min())
    }
  }

  /// The concepts that aren't on the page of a command.
  private static func concepts(_ search: Search) -> [Candidate] {
    let names = Set(CommandRegistry.signatures.map(\.fullName))
    return Concept.all.filter { !names.contains($0.name) }.map {
      ("help \($0.name)", $0.summary, search.rank($0))
    }
  }

  private static func language(_ search: Search) -> [Candidate] {
    Keyword.allCases.map {
      ($0.usage, $0.summary, search.rank(names: [$0.rawValue], terms: $0.searchTerms))
    }
      + BuiltinFunction.all.map {
        ($0.usage, $0.summary, search.rank(names: [$0.name], terms: []))
      }
  }

  private static func topics(_ search: Search) -> [Candidate] {
    [
      (
        "help \(ConceptList.name)", ConceptList.heading,
        search.rank(names: [ConceptList.name], terms: ["ideas"])
      )
    ]
      + HelpTopic.all.filter { $0.mentions(search.word) }.map {
        ("help \($0.name)", $0.heading, $0.name == search.word ? 0 : 5)
      }
  }

  /// A word to look for.
  private struct Search {
    let word: String

    init(_ word: String) { self.word = word.lowercased() }

    private func isIn(_ text: String) -> Bool { text.lowercased().contains(word) }
    private func isWordOf(_ text: String) -> Bool {
      text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" }.contains(word[...])
    }

    /// 0 for a name, 1 for a word of a name, 2 for a search term, 3 and 4 for parts of these.
    func rank(names: [String], terms: [String]) -> Int? {
      if names.contains(where: { $0.lowercased() == word }) { return 0 }
      if names.contains(where: isWordOf) { return 1 }
      if terms.contains(where: { $0.lowercased() == word }) { return 2 }
      if terms.contains(where: isWordOf) { return 3 }
      return (names + terms).contains(where: isIn) ? 4 : nil
    }

    func rank(_ signature: CommandSignature) -> Int? {
      if let rank = rank(names: [signature.fullName], terms: signature.searchTerms) { return rank }
      if isIn(signature.summary) { return 5 }
      if signature.options.contains(where: { isIn($0.name) || isIn($0.help) }) { return 6 }
      return isIn(signature.discussion) ? 7 : nil
    }

    func rank(_ concept: Concept) -> Int? {
      if let rank = rank(names: [concept.name] + concept.aliases, terms: concept.searchTerms) {
        return rank
      }
      if isIn(concept.summary) { return 5 }
      return [concept.text, concept.foundation].contains(where: isIn) ? 7 : nil
    }
  }
}

extension [AproposEntry] {
  /// The entries without later ones of the same title.
  fileprivate func uniqued() -> [AproposEntry] {
    var titles: Set<String> = []
    return filter { titles.insert($0.title).inserted }
  }
}
