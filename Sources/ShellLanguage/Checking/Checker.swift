/// Finds everything that can be known to be wrong with a script without running it.
public enum Checker: Sendable {
  /// How far the names of operations and queues are checked.
  public enum NameCheck: Sendable {
    /// Not at all: other statements may make what these use.
    case none
    /// What is certainly a mistake, if the script is all that makes names.
    case mistakes
    /// Also, as a warning, what a script may ask for only to see that it is not there.
    case all
  }

  /// Checks a script.
  ///
  /// Nothing is run and nothing is opened, except that `include` may read other scripts.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - catalog: The commands there are.
  ///   - knownVariables: Variables that exist already, in addition to those the script makes.
  ///   - definitions: Commands that scripts have defined already.
  ///   - aliases: Words that stand for the beginning of a command.
  ///   - warnsUnused: Whether a variable that nothing reads is worth a warning; not so for a
  ///     statement of a session that goes on.
  ///   - facts: What the host knows about its commands and things.
  ///   - names: How far the names that it uses must be among those it makes.
  ///   - keepsGoing: Whether the script goes on after a statement that fails.
  ///   - inheritsOptions: Whether it runs where commands may have options of what is around it.
  ///   - isSourced: Whether a statement runs it, so that nothing in it is at the top level.
  ///   - corrects: Whether errors say which line was meant, which takes long.
  ///   - include: Returns the script that `source PATH` would run, or nil if that is not known;
  ///     throws an `UnplacedError` or a `Diagnostic` where it cannot be read.
  ///   - noteText: Called with the name of a variable or a parameter and a text written out that it
  ///     gets, or may get.
  ///   - follow: Called with each statement of the top level in order, and with its call of a
  ///     command of the host if it certainly is one; returns what those before it make wrong with it.
  /// - Returns: What is wrong, in order of place, with what reading the script found.
  public static func check(
    _ script: Script, catalog: CommandCatalog, knownVariables: Set<String> = [],
    definitions: [CommandSignature] = [], aliases: [String: String] = [:],
    warnsUnused: Bool = true, facts: HostFacts? = nil, names: NameCheck = .none,
    keepsGoing: Bool = false, inheritsOptions: Bool = false, isSourced: Bool = false,
    corrects: Bool = true,
    include: ((_ path: String, _ from: SourceText) throws -> Script?)? = nil,
    noteText: @escaping (_ name: String, _ text: String) -> Void = { _, _ in },
    follow: ((Statement, CommandCall?) -> Diagnostic?)? = nil
  ) -> [Diagnostic] {
    let known = ScriptFacts(
      ScriptFacts.Setting(
        catalog: catalog, facts: facts, names: names, keepsGoing: keepsGoing,
        warnsUnused: warnsUnused, inheritsOptions: inheritsOptions,
        isSourced: isSourced, include: include,
        noteText: noteText, follow: follow),
      words: WordMeanings(definitions: definitions, aliases: aliases, in: catalog))
    let globals = known.check(script, variables: knownVariables)
    let found = (script.diagnostics + known.findings).enumerated().sorted {
      // What stands in included scripts keeps the place where it was found.
      let left = $0.element.source.isSame(as: script.source) ? $0.element.range.lower : Int.max
      let right = $1.element.source.isSame(as: script.source) ? $1.element.range.lower : Int.max
      return (left, $0.offset) < (right, $1.offset)
    }.map(\.element)
    guard corrects, let facts, found.contains(where: { $0.severity == .error }) else {
      return found
    }
    let corrector = LineCorrector(
      catalog: catalog, variables: Set(globals.visibleNames),
      definitions: Array(known.words.definitions.values), aliases: known.words.aliases,
      facts: facts.adding(known.symbols.names))
    return corrector.correcting(found)
  }
}
