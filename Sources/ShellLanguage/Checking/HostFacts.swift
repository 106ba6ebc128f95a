/// What a host knows of its operations, queues and their properties before a script runs.
///
/// What single commands do, they say themselves (``HostCommand``).
public struct HostFacts: Sendable {
  /// A kind of things with names.
  public struct Namespace: Sendable {
    /// The names that there are.
    public let names: Set<String>
    /// The properties, and what each can be; what is missing here can be anything.
    public let properties: [String: StaticKind]
    /// Whether a name is kept until it is removed; otherwise it is free again when what has it has
    /// finished.
    public let isLasting: Bool
    /// Words that mean something else where a name can stand, such as `all`.
    ///
    /// Numbers, literals and patterns can stand there, too. Nil where nothing but a name can.
    public let otherWords: Set<String>?
    /// What to do where a name does not exist.
    public let help: String
    /// The command that shows what has one of the names, such as `show`.
    public let shownBy: String?
    /// Returns what to do instead of giving a literal for a name.
    public let helpForLiteral: @Sendable (String) -> String?

    /// Creates a namespace.
    public init(
      names: Set<String>, properties: [String: StaticKind], isLasting: Bool = false,
      otherWords: Set<String>? = nil, help: String, shownBy: String? = nil,
      helpForLiteral: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
      self.helpForLiteral = helpForLiteral
      self.shownBy = shownBy
      self.names = names
      self.properties = properties
      self.isLasting = isLasting
      self.otherWords = otherWords
      self.help = help
    }

    /// Returns the same with further names.
    fileprivate func adding(_ names: Set<String>) -> Namespace {
      Namespace(
        names: self.names.union(names), properties: properties, isLasting: isLasting,
        otherWords: otherWords, help: help, shownBy: shownBy, helpForLiteral: helpForLiteral)
    }

    /// Whether a word can stand for nothing but a name.
    func isName(_ word: String) -> Bool {
      guard let otherWords else { return true }
      let isNumber =
        LiteralReader.value(of: word) != nil
        || word.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") }
      return !isNumber && !GlobPattern.isPattern(word) && !otherWords.contains(word)
    }

    /// Whether a word stands for nothing, whatever there is: `0`, `1.5` or `5-2` where numbers from
    /// 1 and ranges of them can stand.
    func isImpossible(_ word: String) -> Bool {
      guard otherWords != nil, word.utf8.first?.isDigit == true, !isName(word),
        !GlobPattern.isPattern(word)
      else { return false }
      let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard let first = ends[0], let last = ends[ends.count - 1], ends.count <= 2 else {
        return true
      }
      return last < max(1, first)
    }
  }

  /// What has names, by what messages call one of it, such as `operation`.
  public let namespaces: [String: Namespace]
  /// What `count of WORD` counts, such as `ops`: the namespace that the word is about.
  public let collections: [String: String]
  /// Returns whether a word is the name of a program of the system.
  let isProgram: @Sendable (String) -> Bool

  /// Creates facts.
  public init(
    namespaces: [String: Namespace], collections: [String: String],
    isProgram: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.namespaces = namespaces
    self.collections = collections
    self.isProgram = isProgram
  }

  /// Returns the same with further names.
  func adding(_ names: (_ namespace: String) -> Set<String>) -> HostFacts {
    HostFacts(
      namespaces: Dictionary(
        uniqueKeysWithValues: namespaces.map { key, namespace in
          (key, namespace.adding(names(key)))
        }),
      collections: collections, isProgram: isProgram)
  }

  /// Returns whether there is something of a name.
  func has(_ name: String, in namespace: String) -> Bool {
    namespaces[namespace]?.names.contains(name) == true
  }

  /// Returns the properties of what is in a namespace; nil where nothing is known.
  func properties(of namespace: String) -> [String: StaticKind]? {
    namespaces[namespace]?.properties
  }
}
