import Terminal

/// Collects the candidates that begin with what has been typed, and not too many of them.
///
/// A session may hold 100,000 operations. Nobody reads as many names, but what all of them have in
/// common is put into the line: so when the list is full, the first and the last name by the
/// alphabet are still kept, and no name between them shares less with them than they do.
struct CandidateList {
  private static let limit = 400

  let prefix: String
  let ignoresCase: Bool
  private let quoting: WordQuoting
  private let folded: String
  private var kept: [CompletionCandidate] = []
  private var seen: Set<String> = []
  private var least: CompletionCandidate?
  private var greatest: CompletionCandidate?

  /// Creates an empty list.
  ///
  /// - Parameters:
  ///   - prefix: What candidates begin with, quotes resolved.
  ///   - ignoresCase: Whether capital and small letters are alike.
  ///   - quoting: How candidates are spelt in the line.
  init(prefix: String, ignoresCase: Bool, quoting: WordQuoting) {
    self.prefix = prefix
    self.ignoresCase = ignoresCase
    self.quoting = quoting
    folded = ignoresCase ? prefix.lowercased() : prefix
  }

  var isEmpty: Bool { kept.isEmpty }

  /// Whether further candidates change nothing but the first and the last by the alphabet.
  var isFull: Bool { kept.count >= Self.limit }

  var candidates: [CompletionCandidate] {
    guard let least, let greatest else { return kept }
    return kept + [least, greatest].filter { !seen.contains($0.text) }
  }

  /// Whether the text begins with what has been typed.
  ///
  /// Asked first where a summary costs something.
  func wants(_ text: String) -> Bool {
    folded.isEmpty || (ignoresCase ? text.lowercased() : text).hasPrefix(folded)
  }

  /// Adds a candidate that begins with what has been typed; others, and those that are there, are
  /// passed over.
  ///
  /// - Parameters:
  ///   - text: The candidate, not yet quoted.
  ///   - summary: What is said about it.
  ///   - appendsSpace: Whether the word is complete with it.
  ///   - verbatim: Whether the text goes into the line as it is, whatever has been typed.
  mutating func add(
    _ text: String, summary: @autoclosure () -> String = "", appendsSpace: Bool = true,
    verbatim: Bool = false
  ) {
    guard verbatim || wants(text) else { return }
    let spelling = verbatim ? text : quoting.spell(text, isComplete: appendsSpace)
    guard isFull else {
      guard seen.insert(spelling).inserted else { return }
      kept.append(
        CompletionCandidate(
          spelling, summary: VisibleText.escape(summary()), appendsSpace: appendsSpace))
      return
    }
    if least.map({ spelling < $0.text }) ?? true {
      least = CompletionCandidate(spelling, appendsSpace: appendsSpace)
    }
    if greatest.map({ spelling > $0.text }) ?? true {
      greatest = CompletionCandidate(spelling, appendsSpace: appendsSpace)
    }
  }

  /// How much of the only candidate stands behind the cursor already: in the middle of a word
  /// nothing is put in twice.
  func repeatedCount(of request: Completer.Request) -> Int {
    guard let only = kept.first, kept.count == 1, only.text.hasPrefix(request.replaced) else {
      return 0
    }
    let rest = only.text.dropFirst(request.replaced.count)
    return request.after.hasPrefix(rest) ? rest.count : 0
  }
}
