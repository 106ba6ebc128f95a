import Synchronization

/// All commands there are, found by the words that begin a statement.
///
/// It is a class because it never changes, and everything that looks at commands refers to it.
public final class CommandCatalog: Sendable {
  /// What the first words of a statement lead to.
  public enum Match: Sendable {
    /// A command; the count says how many words name it.
    case command(CommandSignature, wordCount: Int)
    /// No command begins so.
    case unknownCommand
    /// The command needs a further word that it does not have, after so many words.
    case missingSubcommand(wordCount: Int)
    /// The further word, at this index, is none that the command knows.
    case unknownSubcommand(index: Int)
  }

  /// A command, whose signature is made when it is first needed: a script uses few of all commands,
  /// and making all of them was a third of the time that 'opsh -c quit' takes.
  private final class Entry: Sendable {
    let path: [String]
    private let make: @Sendable () -> CommandSignature
    private let made = AtomicLazyReference<CommandSignature>()

    init(_ path: [String], _ make: @escaping @Sendable () -> CommandSignature) {
      self.path = path
      self.make = make
    }

    var signature: CommandSignature { made.load() ?? made.storeIfNil(make()) }
  }

  /// What the words up to here lead to.
  private struct Node {
    /// The index of the command, if the words are one.
    var entry: Int?
    /// The indexes of the nodes after a further word.
    var children: [String: Int] = [:]
  }

  /// What `count of` can count in addition to lists, such as `ops`.
  public let collections: [String]
  /// The words that select elements of a collection, such as states of operations.
  public let selectingWords: [String: [String]]
  /// Returns the page of `help` that explains a word that is not a command.
  private let page: @Sendable (String) -> String?
  /// What words of other shells and languages may stand for, in lower case.
  private let meanings: [String: [String]]
  private let deliberateWords: Set<String>
  private let entries: [Entry]
  /// The first one stands before any word.
  private let nodes: [Node]

  /// Creates a catalogue; of two commands with the same path the later counts.
  private init(
    _ entries: [Entry], collections: [String], selectingWords: [String: [String]],
    page: @escaping @Sendable (String) -> String?,
    meanings: [String: [String]], deliberateWords: Set<String>
  ) {
    self.meanings = meanings
    self.deliberateWords = deliberateWords
    self.collections = collections
    self.selectingWords = selectingWords
    self.page = page
    self.entries = entries
    var nodes = [Node()]
    for (index, entry) in entries.enumerated() where !entry.path.isEmpty {
      var node = 0
      for word in entry.path {
        if let child = nodes[node].children[word] {
          node = child
        } else {
          nodes[node].children[word] = nodes.count
          node = nodes.count
          nodes.append(Node())
        }
      }
      nodes[node].entry = index
    }
    self.nodes = nodes
  }

  /// Creates a catalogue of signatures.
  public convenience init(_ signatures: [CommandSignature], collections: [String] = []) {
    self.init(
      signatures.map { signature in Entry(signature.path) { signature } },
      collections: collections, selectingWords: [:], page: { _ in nil }, meanings: [:],
      deliberateWords: [])
  }

  /// Creates a catalogue of the host's commands.
  ///
  /// - Parameters:
  ///   - commands: The commands.
  ///   - collections: What `count of` can count in addition to lists.
  ///   - selectingWords: The words that select elements of these collections in a `for`.
  ///   - page: Returns the page of `help` that explains a word that is not a command.
  ///   - meanings: What words of other shells and languages may stand for: names of commands,
  ///     options and choices, and an empty text where one may be left out.
  ///   - deliberateWords: The words of commands, and the programs, that end or start something: no
  ///     correction suggests them for another word.
  ///   - options: Returns further options of a command, given its own declaration.
  public convenience init(
    of commands: [any HostCommand.Type], collections: [String],
    selectingWords: [String: [String]],
    page: @escaping @Sendable (String) -> String?, meanings: [String: [String]],
    deliberateWords: Set<String>,
    adding options: @escaping @Sendable (CommandDeclaration) -> [any OptionDeclaration]
  ) {
    self.init(
      commands.map { command in
        Entry(command.path) {
          let own = command.declaration
          return CommandSignature(path: command.path, own.adding(options(own)), command: command)
        }
      }, collections: collections, selectingWords: selectingWords, page: page, meanings: meanings,
      deliberateWords: deliberateWords)
  }

  /// Returns the commands with those that scripts have defined, which replace any of their name.
  public func replacing(with definitions: [CommandSignature]) -> CommandCatalog {
    guard !definitions.isEmpty else { return self }
    let names = Set(definitions.map(\.name))
    return CommandCatalog(
      entries.filter { !names.contains($0.path.first ?? "") }
        + definitions.map { signature in Entry(signature.path) { signature } },
      collections: collections, selectingWords: selectingWords, page: page, meanings: meanings,
      deliberateWords: deliberateWords)
  }

  /// Returns what a word of another shell or language, in lower case, may stand for.
  func meanings(of word: String) -> [String] { meanings[word] ?? [] }

  /// Returns whether a word of a command, or a program, ends or starts something.
  func isDeliberate(_ word: String) -> Bool { deliberateWords.contains(word) }

  /// Returns whether only other languages need a word, or perhaps do.
  func canBeLeftOut(_ word: String) -> Bool { meanings[word.lowercased()]?.contains("") == true }

  /// Every signature, in the order given; all of them are made, which a run of few commands avoids.
  public var signatures: [CommandSignature] { entries.map(\.signature) }

  /// The words that name each command, in the order given.
  public var paths: [[String]] { entries.map(\.path) }

  /// The first words of all commands, sorted.
  public var names: [String] { nodes[0].children.keys.sorted() }

  /// Returns whether a command begins with the word.
  public func hasCommand(_ name: String) -> Bool { nodes[0].children[name] != nil }

  /// Returns whether no definition and no alias can have the name: a word of the language, or the
  /// command that runs what others have replaced.
  public func isReserved(_ name: String) -> Bool {
    Keyword(name) != nil || signature(at: [name])?.is(.runsOriginal) == true
  }

  /// Returns what the words lead to; nil stands for a word that is not bare.
  public func lookup(_ words: [String?]) -> Match { lookup(words.count) { words[$0] } }

  /// Returns what the words lead to that a statement begins with.
  public func lookup(_ words: [Argument]) -> Match { lookup(words.count) { words[$0].bareText } }

  private func lookup(_ count: Int, _ word: (Int) -> String?) -> Match {
    var node = 0
    var best: (entry: Int, count: Int)?
    var index = 0
    while index < count, let word = word(index), let child = nodes[node].children[word] {
      node = child
      index += 1
      if let entry = nodes[node].entry { best = (entry, index) }
    }
    if index == 0 { return .unknownCommand }
    let isStuck = !nodes[node].children.isEmpty && index < count
    if let best {
      let signature = entries[best.entry].signature
      // `queue puase` is a misspelt subcommand, unless `queue` itself takes words.
      if isStuck, let word = word(index), best.count == index,
        !signature.positionals.contains(where: { $0.kind != .block }), !word.hasPrefix("-")
      {
        return .unknownSubcommand(index: index)
      }
      return .command(signature, wordCount: best.count)
    }
    // An option cannot be meant as the missing word.
    if isStuck, let word = word(index), !word.hasPrefix("-") {
      return .unknownSubcommand(index: index)
    }
    return .missingSubcommand(wordCount: index)
  }

  /// Returns the signature whose path is exactly these words.
  public func signature(at path: [String]) -> CommandSignature? {
    index(at: path).map { entries[$0].signature }
  }

  /// Returns where in ``paths`` exactly these words stand.
  public func index(at path: [String]) -> Int? { node(at: path)?.entry }

  /// Returns the words that can follow these, sorted.
  public func subcommands(of path: [String]) -> [String] {
    node(at: path)?.children.keys.sorted() ?? []
  }

  /// The collections in words: `ops or queues`.
  var collectionsText: String {
    collections.isEmpty ? "the elements of a list" : collections.joined(separator: " or ")
  }

  /// Returns what may have been meant by the last of these words.
  public func suggestions(for path: [String]) -> [String] {
    guard let last = path.last else { return [] }
    let parent = Array(path.dropLast())
    return Spelling.suggestions(for: last, among: subcommands(of: parent))
  }

  /// Returns what to type in place of a word that commands or words of the language are found by.
  func searchHelp(for word: String) -> String? {
    let wanted = word.lowercased()
    if let help = Keyword.help(for: word) { return help }
    // The command of that very name in a group comes first: 'queue resume'.
    let named = signatures.filter { $0.path.count > 1 && $0.path.last == wanted }
    let others = signatures.filter {
      $0.searchTerms.contains(wanted) && $0.path.last != wanted
    }
    let known = meanings(of: wanted).filter { nodes[0].children[$0] != nil }
    var found = known
    for name in (named + others).map(\.fullName) where !found.contains(name) { found.append(name) }
    if named.isEmpty, known.isEmpty, let page = page(word) {
      return "'help \(page)' explains it"
        + (found.first.map { ", and '\($0)' has to do with it" } ?? "")
    }
    guard let first = found.first else { return nil }
    let rest = found.dropFirst().prefix(2).map { " or '\($0)'" }.joined()
    return "in opsh it is '\(first)'\(rest); 'apropos \(wanted)' finds all"
  }

  /// Returns whether the words are a command or lead to one.
  func hasWords(_ path: [String]) -> Bool { node(at: path) != nil }

  private func node(at path: [String]) -> Node? {
    var node = 0
    for word in path {
      guard let child = nodes[node].children[word] else { return nil }
      node = child
    }
    return nodes[node]
  }
}
