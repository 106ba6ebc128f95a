import Operations
import ShellLanguage
import Terminal

/// `events`: whether and which transitions are shown.
enum Events: Command {
  static let signature = CommandSignature(
    path: ["events"],
    summary: "Shows, mutes or filters the transitions on display",
    discussion: """
      'events off' mutes them and 'events on' shows them again; 'events filter' shows only those \
      into certain states, with certain outcomes, or of operations whose names match a name or \
      pattern, and without words all again. The log records all of them anyway.
      """,
    positionals: [
      .init("change", .choice(["on", "off", "filter"]), .optional, help: "what to do"),
      .init(
        "words", .string, .repeating,
        help: "for 'filter': states, outcomes, names or patterns"),
    ],
    examples: [
      .init("events off; delay 10ms; wait; log; events on", "muted, but recorded"),
      .init("events filter finished; delay 10ms; wait; events filter", "only the ends"),
      .init("events filter 'a*'; delay 10ms --name b; wait; events filter", "only some operations"),
    ],
    searchTerms: ["mute", "quiet", "transitions", "show", "hide"])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    let words = invocation.call.strings("words")
    // What happened before this statement is shown as it was asked for then.
    session.drainIfInterpreter()
    switch invocation.call.string("change") {
    case "on":
      session.feed.destination =
        session.configuration.events == .off
        ? (session.output.isJSON ? .standardOutput : .standardError) : session.configuration.events
    case "off": session.feed.destination = .off
    case "filter": session.feed.filter = try filter(words, invocation)
    default: describe(invocation)
    }
    return .null
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "words" ? CompletionCandidate.statesAndOutcomes : []
  }

  private static func filter(
    _ words: [String], _ invocation: Invocation
  ) throws -> EventFeed.Filter {
    let registry = invocation.session.operations
    let states = CompletionCandidate.statesAndOutcomes.map(\.text)
    var filter = EventFeed.Filter()
    for (index, word) in words.enumerated() {
      if states.contains(word) {
        filter.states.insert(word)
      } else if GlobPattern.isPattern(word) || registry.operation(named: word) != nil {
        filter.names.append(word)
      } else {
        throw refusal(of: word, at: index, states + registry.names, invocation.call)
      }
    }
    return filter
  }

  /// A misspelt state would filter everything away.
  private static func refusal(
    of word: String, at index: Int, _ candidates: [String], _ call: CommandCall
  ) -> Diagnostic {
    var diagnostic = call.failure(
      "unknown-filter", "'\(word)' is no state, no outcome, and no operation's name", at: "words",
      help: Spelling.help(for: word, among: candidates)
        ?? "a pattern such as '\(word)*' also stands for operations that are built later")
    let arguments = call.arguments("words")
    if index < arguments.count { diagnostic.range = arguments[index].range }
    return diagnostic
  }

  private static func describe(_ invocation: Invocation) {
    let feed = invocation.session.feed
    let filter = feed.filter
    let words = filter.states.sorted() + filter.names
    let shown = feed.destination == .off ? "off" : "on (\(feed.destination.rawValue))"
    invocation.printText(
      "events are \(shown)" + (words.isEmpty ? "" : ", only \(words.joined(separator: " "))"))
  }
}
