extension Script {
  /// The text without some of its statements, and without the separators that follow them.
  ///
  /// - Parameter isOmitted: Whether to leave out the statement with an index.
  /// - Returns: The text; nil if no statement remains.
  public func text(omitting isOmitted: (Int) -> Bool) -> String? {
    let omitted = statements.indices.filter(isOmitted)
    guard omitted.isEmpty || omitted.count < statements.count else { return nil }
    var rest = ""
    var place = 0
    for index in omitted {
      rest += source.text(in: SourceRange(place, max(place, statements[index].range.lower)))
      let isLast = index == statements.count - 1
      // The separator before the next statement is removed with it.
      place = isLast ? statements[index].range.upper : statements[index + 1].range.lower
      while isLast, let letter = rest.last, letter.isWhitespace || letter == ";" {
        rest.removeLast()
      }
    }
    return rest + source.text(in: SourceRange(place, source.count))
  }
}
