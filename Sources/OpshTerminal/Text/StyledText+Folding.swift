extension StyledText {
  /// Returns a line that is too long for the terminal as several, broken between its fields and
  /// between words, never inside a word.
  ///
  /// Fields stand two or more blanks apart, as in a row of a table. A field that does not fit goes
  /// to the next line as a whole; one that is longer than a line is broken at its blanks. A longer
  /// word is left to the terminal, so that it can be copied.
  ///
  /// - Parameter width: The columns of the terminal; nil leaves the line as it is.
  /// - Returns: The lines; at least one.
  public func folded(to width: Int?) -> [StyledText] {
    guard let width, width > Self.narrowest, columns > width else { return [self] }
    var folding = LineFolding(self, width: width)
    return folding.lines()
  }

  /// Returns the text on lines of at most the given number of columns, broken at blanks.
  ///
  /// - Parameter columns: The greatest number of columns of a line; a longer word is broken too.
  /// - Returns: The lines; at least one.
  public func wrapped(to columns: Int) -> [StyledText] {
    var folding = LineFolding(self, width: max(1, columns), indent: 0)
    return folding.wordLines()
  }

  /// Terminals that are narrower have no room for an indent.
  private static let narrowest = 20
}

/// The letters of a line, and the lines that they are put into.
private struct LineFolding {
  private struct Letter {
    let character: Character
    let style: TextStyle

    var isBlank: Bool { character == " " }
  }

  /// The least number of blanks between two fields.
  private static let leastGap = 2

  private let letters: [Letter]
  private let width: Int
  private let indent: Int
  private var done: [[Letter]] = []
  /// The line that is being filled; empty, or with its indent alone, at its beginning.
  private var line: [Letter] = []
  private var used = 0
  private var isFresh = true

  init(_ text: StyledText, width: Int, indent: Int? = nil) {
    letters = text.spans.flatMap { span in
      span.text.map { Letter(character: $0, style: span.style) }
    }
    self.width = width
    let leading = letters.prefix { $0.isBlank }.count
    let hasFields = zip(letters.dropFirst(leading), letters.dropFirst(leading + 1))
      .contains { $0.isBlank && $1.isBlank }
    self.indent =
      indent ?? min(hasFields ? leading + 4 : leading > 0 ? leading + 2 : 0, width / 2)
  }

  mutating func lines() -> [StyledText] {
    let leading = letters.prefix { $0.isBlank }
    line = Array(leading)
    used = leading.count
    for field in pieces(of: letters[leading.count...], gap: 2) {
      let size = columns(field.letters)
      if !isFresh {
        // Fewer blanks than in the rows around it, if only that makes it fit.
        let room = width - used - size
        if room >= Self.leastGap {
          put(field.letters, gap: field.gap <= room ? field.gap : Self.leastGap)
          continue
        }
        endLine()
      }
      if used + size <= width {
        put(field.letters, gap: 0)
      } else {
        putWords(of: field.letters)
      }
    }
    endLine()
    return done.map(Self.text)
  }

  /// The words one blank apart, whatever their gaps were.
  mutating func wordLines() -> [StyledText] {
    for word in pieces(of: letters[...], gap: 1) {
      var rest = word.letters
      if !isFresh, used + 1 + columns(rest) > width { endLine() }
      while columns(rest) > width {
        var count = min(rest.count, width)
        while count > 1, columns(rest.prefix(count)) > width { count -= 1 }
        // A wide character does not fit a line of one column.
        guard count < rest.count else { break }
        put(rest.prefix(count), gap: 0)
        endLine()
        rest = rest.dropFirst(count)
      }
      put(rest, gap: 1)
    }
    endLine()
    return done.isEmpty ? [StyledText()] : done.map(Self.text)
  }

  private mutating func putWords(of field: ArraySlice<Letter>) {
    for word in pieces(of: field, gap: 1) {
      if !isFresh, used + word.gap + columns(word.letters) > width { endLine() }
      put(word.letters, gap: word.gap)
    }
  }

  private mutating func put(_ letters: ArraySlice<Letter>, gap: Int) {
    if !isFresh { line += Array(repeating: Letter(character: " ", style: TextStyle()), count: gap) }
    used += columns(letters) + (isFresh ? 0 : gap)
    line += letters
    isFresh = false
  }

  private mutating func endLine() {
    guard !isFresh else { return }
    done.append(line)
    line = Array(repeating: Letter(character: " ", style: TextStyle()), count: indent)
    used = indent
    isFresh = true
  }

  /// The parts between runs of at least so many blanks, each with the blanks before it.
  private func pieces(
    of letters: ArraySlice<Letter>, gap least: Int
  ) -> [(gap: Int, letters: ArraySlice<Letter>)] {
    var pieces: [(gap: Int, letters: ArraySlice<Letter>)] = []
    var gap = 0
    var place = letters.startIndex
    while place < letters.endIndex {
      var end = place
      var blanks = 0
      while end + blanks < letters.endIndex, blanks < least {
        if letters[end + blanks].isBlank {
          blanks += 1
        } else {
          end += blanks + 1
          blanks = 0
        }
      }
      let next = letters[end...].firstIndex { !$0.isBlank } ?? letters.endIndex
      if end > place { pieces.append((gap, letters[place..<end])) }
      gap = next - end
      place = next
    }
    return pieces
  }

  private func columns(_ letters: ArraySlice<Letter>) -> Int {
    TextWidth.columns(of: String(letters.map(\.character)))
  }

  private static func text(_ letters: [Letter]) -> StyledText {
    var text = StyledText()
    var run = ""
    var style = TextStyle()
    for letter in letters {
      if letter.style != style, !run.isEmpty {
        text.append(StyledText.Span(run, style: style))
        run = ""
      }
      style = letter.style
      run.append(letter.character)
    }
    if !run.isEmpty { text.append(StyledText.Span(run, style: style)) }
    return text
  }
}
