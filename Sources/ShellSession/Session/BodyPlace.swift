import ShellLanguage

/// The statement that the body of an operation runs.
package struct BodyPlace: Sendable {
  let source: SourceText
  let range: SourceRange

  /// The first line of the statement, and where it stands: `'sleep 1s' (tour.opsh:12)`.
  ///
  /// - Parameter secrets: What masks its secrets, before it is cut: a part of a secret is not known.
  /// - Returns: The text without secrets.
  func text(masking secrets: SecretMask) -> String {
    let line = secrets.mask(source.text(in: range)).prefix { !$0.isNewline }
      .trimmingPrefix { $0 == " " }
    let shown = line.count > Self.longest ? line.prefix(Self.longest - 1) + "…" : line
    return "'\(shown)' (\(source.name):\(source.place(of: range.lower).line))"
  }

  private static let longest = 60
}
