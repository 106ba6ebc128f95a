import Foundation

/// One line of output in comparable form: parts that differ from run to run are masked.
package struct TranscriptLine: Sendable, Equatable {
  /// The original line.
  package let text: String
  /// With masks, and with runs of spaces as a single space.
  package let masked: String
  /// Whether it is a transition, which another thread produces at any time.
  let isTransition: Bool

  /// Matches any number of lines if it is alone on a line.
  package static let anything = "…"

  package init(_ text: String) {
    self.text = text
    masked = Self.squeezed(Self.mask(text))
    isTransition = Self.isTransition(masked)
  }

  package var isAnything: Bool { masked == Self.anything }

  package var isBlank: Bool { masked.allSatisfy(\.isWhitespace) }

  /// Whether an actual line matches this one.
  package func accepts(_ actual: TranscriptLine) -> Bool {
    matches(actual.masked[...])
      || (actual.masked.hasPrefix("<prompt>:") && matches(Self.withoutPlace(actual.masked)))
  }

  private func matches(_ actual: Substring) -> Bool {
    if masked == actual { return true }
    guard masked.contains(Self.anything) else { return false }
    return Self.glob(masked.components(separatedBy: Self.anything), actual)
  }

  /// An error in a typed line in its terminal form, from which the expected line may be copied.
  private static func withoutPlace(_ line: String) -> Substring {
    line.prefixMatch(of: #/<prompt>:\d+:\d+: /#).map { line[$0.range.upperBound...] } ?? line[...]
  }

  /// Whether the pieces occur in the text in this order, the first at its start and the last at its
  /// end.
  private static func glob(_ pieces: [String], _ text: Substring) -> Bool {
    guard let first = pieces.first, let last = pieces.last, text.hasPrefix(first) else {
      return false
    }
    var rest = text.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = rest.range(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count >= last.count && rest.hasSuffix(last)
  }

  private static func squeezed(_ text: String) -> String {
    text.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
  }

  private static func isTransition(_ masked: String) -> Bool {
    let words = masked.split(separator: " ")
    guard words.count >= 4, words[0] == "[time]" || words[0] == "…" else { return false }
    let states: Set<Substring> = ["created", "pending", "ready", "executing", "finished"]
    if words.count >= 5, words[3] == "→", states.contains(words[2]) { return true }
    return words[2].hasSuffix(",") && states.contains(words[2].dropLast())
  }

  // MARK: Masks

  /// The line with times, durations, rates, ports, and bars and shares of times masked.
  package static func mask(_ text: String) -> String {
    // Most lines contain nothing to mask.
    guard text.utf8.contains(where: { $0 >= 0x30 && $0 <= 0x39 }) else { return text }
    var masked = text
    masked.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?/, with: "[time]")
    masked.replace(/\b\d\d:\d\d:\d\d(?:\.\d+)?\b/, with: "[time]")
    masked.replace(/(127\.0\.0\.1|localhost|\[::1\]):\d+\b/) { "\($0.output.1):[port]" }
    masked.replace(/(^|[\s(=,:'"])\d[\d,]*(?:\.\d+)?(?:(?: ?[kMG]?B| answers)?\/s\b| per second\b)/)
    {
      "\($0.output.1)[rate]"
    }
    // Two numbers are a single duration, too: 59.9 s today may be 1 min 0 s tomorrow.
    masked.replace(/(^|[\s(=,:'"])(?:\d+ min \d+ s|\d+ h \d+ min)(?=$|[\s),;:.'"])/) {
      "\($0.output.1)[duration]"
    }
    masked.replace(/(^|[\s(=,:'"])\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|m|min|h)(?=$|[\s),;:.'"])/) {
      "\($0.output.1)[duration]"
    }
    masked.replace(/(^|[\s(=,:'"])\d+\.\d{3}(?=$|[\s),;:'"])/) { "\($0.output.1)[time]" }
    // What 'blame' and 'stats' draw of the durations before it.
    masked.replace(/(\[duration\]\s+)(?:< )?\d+%(?:\s+█+)?/) { "\($0.output.1)[share]" }
    masked.replace(/(\[duration\]\s+)[▁▂▃▄▅▆▇█][▁▂▃▄▅▆▇█ ]*$/) { "\($0.output.1)[spread]" }
    return masked
  }
}
