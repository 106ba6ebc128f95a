import Foundation

/// The one rule for words: letters, digits and underscores, counted in clusters.
extension LineEditor {
  private func isWordPart(_ code: Int32) -> Bool {
    clusters.decode(code).first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
  }

  /// The start of the word before the cursor, or of the one some words before that.
  func wordStart(_ count: Int = 1) -> Int {
    guard let editLine else { return 0 }
    let codes = editLine.codes
    var position = editLine.cursor
    for _ in 0..<count where position > 0 { position = wordStart(in: codes, before: position) }
    return position
  }

  /// The end of the word after the cursor, or of the one some words after that.
  func wordEnd(_ count: Int = 1) -> Int {
    guard let editLine else { return 0 }
    let codes = editLine.codes
    var position = editLine.cursor
    for _ in 0..<count where position < codes.count {
      position = wordEnd(in: codes, after: position)
    }
    return position
  }

  private func wordStart(in codes: [Int32], before position: Int) -> Int {
    var position = position
    while position > 0, !isWordPart(codes[position - 1]) { position -= 1 }
    while position > 0, isWordPart(codes[position - 1]) { position -= 1 }
    return position
  }

  private func wordEnd(in codes: [Int32], after position: Int) -> Int {
    var position = position
    while position < codes.count, !isWordPart(codes[position]) { position += 1 }
    while position < codes.count, isWordPart(codes[position]) { position += 1 }
    return position
  }

  // MARK: Exchanging

  /// Exchanges the characters around the cursor, at the end of a row the last two.
  func transposeCharacters() -> EditOutcome {
    guard let editLine else { return .beep }
    let codes = editLine.codes
    let start = lineStart(before: editLine.cursor)
    let end = lineEnd(after: editLine.cursor)
    guard editLine.cursor > start, end - start > 1 else { return .beep }
    let right = min(editLine.cursor, end - 1)
    editLine.replace((right - 1)..<(right + 1), with: [codes[right], codes[right - 1]])
    return .proceed
  }

  /// Exchanges the word at or after the cursor and the one before it, and moves behind both.
  func transposeWords() -> EditOutcome {
    guard let editLine else { return .beep }
    let codes = editLine.codes
    let secondEnd = wordEnd(in: codes, after: editLine.cursor)
    let secondStart = wordStart(in: codes, before: secondEnd)
    let firstStart = wordStart(in: codes, before: secondStart)
    let firstEnd = wordEnd(in: codes, after: firstStart)
    guard firstStart < secondStart, firstEnd <= secondStart else { return .beep }
    let exchanged =
      codes[secondStart..<secondEnd] + codes[firstEnd..<secondStart] + codes[firstStart..<firstEnd]
    editLine.replace(firstStart..<secondEnd, with: Array(exchanged))
    return .proceed
  }

  // MARK: Case

  func changeCase(_ change: (Character) -> String) -> EditOutcome {
    changeCase(first: change, rest: change)
  }

  /// Changes the case up to the end of the word.
  ///
  /// - Parameters:
  ///   - first: The change of a word's first letter.
  ///   - rest: The change of its other letters.
  /// - Returns: Whether there was a word.
  func changeCase(
    first: (Character) -> String, rest: (Character) -> String
  ) -> EditOutcome {
    guard let editLine else { return .beep }
    let range = editLine.cursor..<wordEnd(argument.count)
    guard !range.isEmpty else { return .beep }
    var isInWord = false
    var text = ""
    for code in editLine.codes[range] {
      guard isWordPart(code), let character = clusters.decode(code).first else {
        isInWord = false
        text += clusters.decode(code)
        continue
      }
      text += isInWord ? rest(character) : first(character)
      isInWord = true
    }
    editLine.replace(range, with: clusters.encode(text))
    return .proceed
  }
}
