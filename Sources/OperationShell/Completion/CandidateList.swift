import ShellSession
import OpshTerminal

/// Collects a limited number of candidates that fit the typed text.
///
/// A session may have 100,000 operations. A list of them is useless, but their common prefix is
/// inserted into the line: so if the list is full, the alphabetically first and last name are still
/// tracked, and every name between them shares at least their common prefix.
struct CandidateList {
  private static let limit = 400

  let prefix: String
  let match: CandidateMatch
  /// Names that have been typed already where each counts once.
  var excluded: Set<String> = []
  private let quoting: WordQuoting
  private var kept: [CompletionCandidate] = []
  private var seen: Set<String> = []
  private var least: CompletionCandidate?
  private var greatest: CompletionCandidate?

  /// Creates an empty list.
  init(prefix: String, match: CandidateMatch, quoting: WordQuoting) {
    self.prefix = prefix
    self.match = match
    self.quoting = quoting
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

  /// Whether the text fits the typed text.
  ///
  /// Checked first if the summary is expensive.
  ///
  /// - Parameters:
  ///   - text: The candidate.
  ///   - start: How many characters at its beginning must be as typed: the folder of a path.
  /// - Returns: Whether it can be offered.
  func wants(_ text: String, after start: Int = 0) -> Bool {
    if start > 0 { guard text.prefix(start) == prefix.prefix(start) else { return false } }
    return match.holds(text.dropFirst(start), typed: prefix.dropFirst(start))
      && !excluded.contains(text)
  }

  /// Adds a candidate that fits the typed text; ignores others and duplicates.
  ///
  /// - Parameters:
  ///   - text: The candidate, not yet quoted.
  ///   - summary: Its description.
  ///   - appendsSpace: Whether the word is complete with it.
  ///   - verbatim: Whether the text is inserted unchanged, whatever was typed.
  ///   - isWanted: Whether it fits, where the caller knows.
  mutating func add(
    _ text: String, summary: @autoclosure () -> String = "", appendsSpace: Bool = true,
    verbatim: Bool = false, isWanted: Bool? = nil
  ) {
    guard verbatim || isWanted ?? wants(text) else { return }
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
