import ShellSession
import OpshTerminal

/// Collects a limited number of candidates that begin with the typed text.
///
/// A session may have 100,000 operations. A list of them is useless, but their common prefix is
/// inserted into the line: so if the list is full, the alphabetically first and last name are still
/// tracked, and every name between them shares at least their common prefix.
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
  init(prefix: String, ignoresCase: Bool, quoting: WordQuoting) {
    self.prefix = prefix
    self.ignoresCase = ignoresCase
    self.quoting = quoting
    folded = ignoresCase ? prefix.lowercased() : prefix
  }

  var isEmpty: Bool { kept.isEmpty }

  /// The number of candidates, also of those that are not kept.
  var count: Int { seen.count }

  /// Whether further candidates only affect the alphabetically first and last.
  var isFull: Bool { kept.count >= Self.limit }

  var candidates: [CompletionCandidate] {
    guard let least, let greatest else { return kept }
    return kept + (least.text == greatest.text ? [least] : [least, greatest])
  }

  /// Whether the text begins with the typed text.
  ///
  /// Checked first if the summary is expensive.
  func wants(_ text: String) -> Bool {
    folded.isEmpty || (ignoresCase ? text.lowercased() : text).hasPrefix(folded)
  }

  /// Adds a candidate that begins with the typed text; ignores others and duplicates.
  ///
  /// - Parameters:
  ///   - text: The candidate, not yet quoted.
  ///   - summary: Its description.
  ///   - appendsSpace: Whether the word is complete with it.
  ///   - verbatim: Whether the text is inserted unchanged, whatever was typed.
  mutating func add(
    _ text: String, summary: @autoclosure () -> String = "", appendsSpace: Bool = true,
    verbatim: Bool = false
  ) {
    guard verbatim || wants(text) else { return }
    let spelling = verbatim ? text : quoting.spell(text, isComplete: appendsSpace)
    guard seen.insert(spelling).inserted else { return }
    guard isFull else {
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

  /// How much of the only candidate is already after the cursor, so that in the middle of a word
  /// nothing is inserted twice.
  func repeatedCount(of request: Completer.Request) -> Int {
    guard let only = kept.first, kept.count == 1, only.text.hasPrefix(request.replaced) else {
      return 0
    }
    let rest = only.text.dropFirst(request.replaced.count)
    return request.after.hasPrefix(rest) ? rest.count : 0
  }
}
