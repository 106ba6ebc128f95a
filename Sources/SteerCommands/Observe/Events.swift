import CommandParts
import Operations
package import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// `events`: which transitions are shown.
enum Events: Command {
  enum Change: String, CaseIterable, ParameterValue {
    case on, off, all, filter
  }

  static let change = Positional<Change?>("change", help: "what to do (default: show the state)")
  static let words = Positional<[String]>(
    "words",
    .oneOf([.choice(CompletionCandidate.statesAndOutcomes.map(\.text)), .name("operation")]),
    help: "for 'filter': states, outcomes, names or patterns")

  static let path = ["events"]
  static let declaration = CommandDeclaration(
    summary: "Shows, mutes or filters the transitions on display",
    discussion: """
      'events off' mutes them and 'events on' shows them again. At the prompt, five or more equal \
      transitions before the execution, such as those of 'delay 1s --count 20', are one line; \
      'events all' shows each. 'events filter' shows only those \
      into certain states, with certain outcomes, or of operations whose names match a name or \
      pattern, and without words all of them again. The log records all of them in any case.
      """,
    positionals: [change, words],
    examples: [
      .init("events off; delay 10ms; wait; log; events on", "muted, but recorded"),
      .init("events filter finished; delay 10ms; wait; events filter", "only the ends"),
      .init("events filter 'a*'; delay 10ms --name b; wait; events filter", "only some operations"),
    ],
    searchTerms: ["mute", "quiet", "transitions", "show", "hide"], traits: [.inspects])

  static let completions = [
    ParameterCompletion(words) { _, _ in CompletionCandidate.statesAndOutcomes }
  ]

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    // What happened before this statement is shown as it was asked for then.
    invocation.run.drainIfInterpreter()
    switch call[change] {
    case .on?: show(invocation, folds: invocation.screen.output.isPaced)
    case .all?: show(invocation, folds: false)
    case .off?: invocation.screen.feed.destination = .off
    case .filter?:
      try call.requireValue(words)
      invocation.screen.feed.filter = try filter(call[words], invocation)
    case nil: describe(invocation)
    }
    return .null
  }

  private static func show(_ invocation: Invocation, folds: Bool) {
    let (screen, configured) = (invocation.screen, invocation.run.configuration.events)
    screen.feed.folds = folds
    screen.feed.destination =
      configured == .off
      ? (screen.output.isJSON ? .standardOutput : .standardError) : configured
  }

  private static func filter(
    _ words: [String], _ invocation: Invocation
  ) throws -> EventFeed.Filter {
    let registry = invocation.jobs.operations
    let states = CompletionCandidate.statesAndOutcomes.map(\.text)
    var filter = EventFeed.Filter()
    for (index, word) in words.enumerated() {
      if states.contains(word) {
        filter.states.insert(word)
      } else if GlobPattern.isPattern(word) || registry.operation(named: word) != nil {
        filter.names.append(word)
      } else if let operation = word == "last"
        ? registry.all.last : Int(word).flatMap({ registry.operation(id: $0) })
      {
        filter.names.append(operation.displayName)
      } else {
        throw refusal(of: word, at: index, states + registry.names, invocation.call)
      }
    }
    return filter
  }

  /// An error for a misspelt state, which would hide everything.
  private static func refusal(
    of word: String, at index: Int, _ candidates: [String], _ call: CommandCall
  ) -> Diagnostic {
    call.failure(
      .unknownFilter, "'\(word)' is not a state, an outcome or an operation's name", at: Self.words,
      index: index,
      help: Spelling.help(for: word, among: candidates)
        ?? "a pattern such as '\(word)*' also stands for operations that are built later")
  }

  private static func describe(_ invocation: Invocation) {
    let feed = invocation.screen.feed
    let filter = feed.filter
    let words = filter.states.sorted() + filter.names
    let shown = feed.destination == .off ? "off" : "on (\(feed.destination.rawValue))"
    invocation.printText(
      "events are \(shown)" + (feed.folds ? ", equal ones as one line" : "")
        + (words.isEmpty ? "" : ", only \(words.joined(separator: " "))"))
  }
}

extension ErrorPage {
  package static let unknownFilter = ErrorPage(
    "unknown-filter", "The filter is not a state, an outcome or an operation",
    "A pattern also stands for operations that are built later.",
    wrong: "let name = 'questions'\nevents filter $name", right: "events filter questions-*",
    proof: .running)
}
