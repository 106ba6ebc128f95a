import ShellLanguage
import ShellSession

extension Save {
  /// The script with comments in place of statements with a secret.
  ///
  /// A comment takes all lines of a statement, and all statements of a line, so that the rest is
  /// still a script.
  ///
  /// - Parameters:
  ///   - text: The script.
  ///   - secrets: The secrets.
  /// - Returns: The script without secrets, and the number of comments.
  static func withoutSecrets(
    _ text: String, _ secrets: SecretMask = SecretMask()
  ) -> (text: String, count: Int) {
    guard secrets.holdsSecret(text) else { return (text, 0) }
    let script = Parser.parse(SourceText(name: "", text: text))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var starts = [0]
    for line in lines { starts.append((starts.last ?? 0) + line.utf8.count + 1) }
    func number(_ place: Int) -> Int { max(0, (starts.firstIndex { $0 > place } ?? 1) - 1) }
    let spans = script.statements.map { statement in
      let range = statement.range
      let first = number(range.lower)
      return (
        lines: first...max(first, number(max(range.lower, range.upper - 1))),
        isSecret: secrets.holdsSecret(script.source.text(in: range))
      )
    }
    var left = Set(lines.indices.filter { secrets.holdsSecret(lines[$0]) })
    for span in spans where span.isSecret { left.formUnion(span.lines) }
    var count = -1
    while count != left.count {
      count = left.count
      for span in spans where !left.isDisjoint(with: span.lines) { left.formUnion(span.lines) }
    }
    return commentedOut(lines, left, secrets)
  }

  private static func commentedOut(
    _ lines: [String], _ left: Set<Int>, _ secrets: SecretMask
  ) -> (text: String, count: Int) {
    var (result, block, count) = ([String](), [String](), 0)
    for (index, line) in lines.enumerated() {
      if left.contains(index) {
        block.append(line)
        guard !left.contains(index + 1) else { continue }
        result.append("# Left out, for it holds a secret; with that in place of the stars it runs:")
        result += secrets.mask(block.joined(separator: "\n"))
          .split(separator: "\n", omittingEmptySubsequences: false).map { "# " + $0 }
        block = []
        count += 1
      } else {
        result.append(line)
      }
    }
    return (result.joined(separator: "\n"), count)
  }
}
