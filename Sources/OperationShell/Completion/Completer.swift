import CommandParts
import ShellCommands
import ShellLanguage
import ShellSession
import OpshTerminal

/// Completes the word at the cursor: the language provides the expected kind, the session the
/// existing objects.
struct Completer {
  private let shell: Shell

  init(shell: Shell) { self.shell = shell }

  // After 'reset' and 'back' the shell has others.
  var session: Session { shell.session }
  var interpreter: Interpreter { shell.interpreter }

  /// Returns the candidates at the cursor, and the range that they replace.
  func completions(for text: String, cursor: Int) -> CompletionResult {
    let index = text.index(text.startIndex, offsetBy: cursor, limitedBy: text.endIndex)
    let place = index ?? text.endIndex
    let before = String(text[..<place])
    return completions(context(at: before), before, after: String(text[place...]))
  }

  /// Returns what the first candidate adds to a text, unless finding it takes long.
  func likeliestEnd(of text: String) -> String? {
    guard session.jobs.operations.count <= Self.manyOperations else { return nil }
    let context = context(at: text)
    guard !context.prefix.isEmpty, !context.expectations.contains(where: \.readsFolders) else {
      return nil
    }
    let found = completions(context, text, after: "")
    let replaced = text.dropFirst(found.range.lowerBound)
    guard let first = found.candidates.first?.text, first.hasPrefix(replaced) else { return nil }
    return String(first.dropFirst(replaced.count))
  }

  /// Returns how usage lines write the argument that is next after a text.
  func nextArgument(after text: String) -> String? {
    for case .value(let kind, let name, let signature) in context(at: text).expectations {
      guard let positional = signature.positional(named: name) else { return kind.placeholder }
      return positional.usage
    }
    return nil
  }

  private static let manyOperations = 10_000

  private func context(at before: String) -> CompletionContext {
    CompletionContext.at(
      before, cursor: before.utf8.count, catalog: session.run.catalog,
      definitions: interpreter.definitions, aliases: interpreter.aliases)
  }

  private func completions(
    _ context: CompletionContext, _ before: String, after: String
  ) -> CompletionResult {
    let start = before.utf8.index(before.startIndex, offsetBy: context.range.lower)
    // A combining mark after a quote or a dash forms one character with it, which can't be replaced
    // in part.
    guard let start = start.samePosition(in: before) else { return .none }
    let request = Request(
      context: context, replaced: String(before[start...]), before: String(before[..<start]),
      after: after)
    let ways = context.prefix.isEmpty ? [.prefix] : CandidateMatch.allCases
    guard
      let found = ways.lazy.map({ candidates(request, fitting: $0) }).first(where: { !$0.isEmpty })
    else { return .none }
    let lower = before[..<start].count
    let upper = before.count + found.repeatedCount(of: request)
    return CompletionResult(
      range: lower..<upper, candidates: found.candidates, count: found.count)
  }

  /// A parsed request of the editor.
  struct Request {
    let context: CompletionContext
    /// The typed text between the start of the candidates and the cursor.
    let replaced: String
    let before: String
    let after: String

    var prefix: String { context.prefix }

    /// The names before the word at the cursor, those before a comma in it included.
    var given: Set<String> {
      let typed = before.reversed().prefix { !$0.isWhitespace && $0 != "=" }.reversed()
      return Set(context.words.dropFirst()).union(
        String(typed).split(separator: ",").map(String.init))
    }
  }

  private func candidates(_ request: Request, fitting match: CandidateMatch) -> CandidateList {
    var list = CandidateList(
      prefix: request.prefix, match: match,
      quoting: WordQuoting(quote: request.context.quote, replaced: request.replaced))
    for expectation in request.context.expectations {
      add(expectation, request, to: &list)
    }
    return list
  }

  private func add(
    _ expectation: CompletionContext.Expectation, _ request: Request, to list: inout CandidateList
  ) {
    switch expectation {
    case .command(let path): addCommands(after: path, to: &list)
    case .option(let signature): addOptions(of: signature, request, to: &list)
    case .value(let kind, let name, let signature):
      addValues(kind, of: name, signature, request, to: &list)
    case .keyword(let words):
      // A brace is one of them, which is not quoted.
      for word in words where list.wants(word) { list.add(word, verbatim: true) }
    case .operators: addOperators(to: &list)
    case .comparand(let property): addValues(ofProperty: property, to: &list)
    case .variable: addVariables(request, to: &list)
    case .property(let base): addProperties(of: base, request, to: &list)
    case .operand: addOperands(to: &list)
    case .program: PathCompletion(outside: session.outside).addPrograms(to: &list)
    case .file: PathCompletion(outside: session.outside).addFiles(to: &list)
    }
  }

  // MARK: Commands and their arguments

  private func addCommands(after path: [String], to list: inout CandidateList) {
    let catalog =
      path.isEmpty
      ? session.run.catalog.replacing(with: interpreter.definitions) : session.run.catalog
    let aliases = path.isEmpty ? interpreter.aliases : [:]
    for word in catalog.subcommands(of: path) where list.wants(word) && aliases[word] == nil {
      list.add(word, summary: summary(of: path + [word], in: catalog))
    }
    if !path.isEmpty, catalog.signature(at: path) == nil { addHelpOption(to: &list) }
    guard path.isEmpty else { return }
    for (name, text) in aliases.sorted(by: { $0.key < $1.key }) {
      list.add(name, summary: session.screen.secrets.mask(text))
    }
    // `else` and `catch` start no statement.
    for keyword in Keyword.allCases where keyword != .else && keyword != .catch {
      list.add(keyword.rawValue, summary: keyword.summary)
    }
  }

  /// The command's summary, or its subcommands if it is not a command by itself.
  private func summary(of path: [String], in catalog: CommandCatalog) -> String {
    if let signature = catalog.signature(at: path) { return signature.summary }
    return catalog.subcommands(of: path).joined(separator: ", ")
  }

  private func addOptions(
    of signature: CommandSignature, _ request: Request, to list: inout CandidateList
  ) {
    let rest = request.after.prefix { $0 != ";" && $0 != "\n" }.split(separator: " ")
    let given = Set(
      (request.context.words + rest.map(String.init)).filter { $0.hasPrefix("--") }
        .map { $0.prefix { $0 != "=" } })
    for option in signature.options where option.repeats || !given.contains("--\(option.name)") {
      // Every command has `--json`, so it is only offered after a typed `--j`.
      if option.name == "json", option.kind == nil, !list.prefix.hasPrefix("--j") { continue }
      list.add("--\(option.name)", summary: option.help)
    }
    if request.context.words == signature.path, signature.option(named: "help") == nil {
      addHelpOption(to: &list)
    }
  }

  /// `--help` directly after a command, once a hyphen is typed: every command has it.
  private func addHelpOption(to list: inout CandidateList) {
    guard list.prefix.hasPrefix("-") else { return }
    list.add("--help", summary: "show the help of the command")
  }

  private func addValues(
    _ kind: ArgumentKind, of name: String, _ signature: CommandSignature, _ request: Request,
    to list: inout CandidateList
  ) {
    let command = signature.shellCommand
    let parameter = name.drop { $0 == "-" }
    for completion in command?.completions ?? [] where completion.parameter == parameter {
      for candidate in completion.candidates(session.jobs, session.outside) {
        list.add(
          candidate.text, summary: candidate.summary, appendsSpace: candidate.appendsSpace)
      }
    }
    switch kind {
    case .choice, .boolean:
      for word in kind.choices { list.add(word) }
    case .duration, .size, .percent: addAmounts(of: kind, to: &list)
    case .oneOf(let kinds):
      for kind in kinds { addValues(kind, of: name, signature, request, to: &list) }
    case .name("operation"), .name("open group"):
      let takesSeveral = signature.positional(named: name).map {
        $0.arity == .oneOrMore || $0.arity == .repeating
      }
      list.excluded = request.given
      defer { list.excluded = [] }
      // Nothing is left to name.
      if takesSeveral == true, list.excluded.contains("all") { return }
      let isInAll = { [jobs = session.jobs] operation in
        command?.selects(operation, isAll: true, in: jobs) ?? true
      }
      addOperations(to: &list, offersAll: takesSeveral ?? true ? isInAll : nil) {
        command?.isOffered($0) ?? true
      }
    case .word(of: SelectionWord.noun, _) where !list.prefix.isEmpty:
      for candidate in CompletionCandidate.statesAndOutcomes {
        list.add(candidate.text, summary: candidate.summary)
      }
    case .name("queue"): addQueues(to: &list)
    case .name("alias"):
      list.excluded = request.given
      defer { list.excluded = [] }
      for (name, text) in interpreter.aliases.sorted(by: { $0.key < $1.key }) {
        list.add(name, summary: session.screen.secrets.mask(text))
      }
    case .newName where name == "--exclusive": addExclusiveNames(to: &list)
    case .name("command"):
      // `help queue pa`: the words of a command, one after the other.
      let path = Array(request.context.words.drop { $0 != signature.name }.dropFirst())
      for word in session.run.catalog.subcommands(of: path) where list.wants(word) {
        list.add(word, summary: summary(of: path + [word], in: session.run.catalog))
      }
      if signature.path == ["help"] { addHelpPages(after: path, to: &list) }
    case .file: PathCompletion(outside: session.outside).addFiles(to: &list)
    case .condition: addFilterWords(request, to: &list)
    case .expression where list.prefix.isEmpty:
      list.add("(", summary: "an expression", verbatim: true)
    case .block where list.prefix.isEmpty: list.add("{", summary: "statements", verbatim: true)
    default: break
    }
  }

  /// The pages of `help` that are not about commands: an empty word lists the topics, and the others
  /// appear as one types.
  private func addHelpPages(after path: [String], to list: inout CandidateList) {
    for topic in HelpTopic.all {
      let words = topic.name.split(separator: " ").map(String.init)
      guard words.count == path.count + 1, words.dropLast() == path[...],
        !session.run.catalog.names.contains(topic.name)
      else { continue }
      list.add(words[path.count], summary: topic.heading)
    }
    guard path.isEmpty else { return }
    list.add(ConceptList.name, summary: ConceptList.heading)
    guard !list.prefix.isEmpty else { return }
    for concept in Concept.all { list.add(concept.name, summary: concept.summary) }
    for keyword in Keyword.allCases { list.add(keyword.rawValue, summary: keyword.summary) }
    for function in BuiltinFunction.all { list.add(function.name, summary: function.summary) }
  }

  /// Adds candidates for the last word of an expression in quotes: `--where 'state == re`.
  private func addFilterWords(_ request: Request, to list: inout CandidateList) {
    let start = request.prefix.lastIndex { !$0.isLetter && !$0.isNumber }
    let typed = start.map { request.prefix[request.prefix.index(after: $0)...] }
    let word = String(typed ?? request.prefix[...])
    let head = request.replaced.dropLast(word.count)
    guard request.replaced.hasSuffix(word) else { return }
    var words = CandidateList(
      prefix: word, match: list.match, quoting: WordQuoting(quote: nil, replaced: ""))
    let before = String(request.prefix.dropLast(word.count))
    if let property = CompletionContext.comparedProperty(in: before) {
      addValues(ofProperty: property, to: &words)
    } else {
      for name in OperationObject.propertyNames where name != "result" { words.add(name) }
      for candidate in CompletionCandidate.statesAndOutcomes {
        words.add(candidate.text, summary: candidate.summary)
      }
    }
    for candidate in words.candidates {
      list.add(
        head + candidate.text, summary: candidate.summary, appendsSpace: false, verbatim: true)
    }
  }
}

extension CompletionContext.Expectation {
  /// Whether its candidates are in folders, which are not read for each key.
  fileprivate var readsFolders: Bool {
    switch self {
    case .program, .file: true
    case .value(let kind, _, _): kind == .file
    default: false
    }
  }
}
