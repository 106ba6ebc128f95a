import OpshLocking

/// A text with a name, that can say where in it an offset is.
///
/// Copies are cheap: they share one storage.
///
/// ```swift
/// let source = SourceText(name: "tour.opsh", text: "echo hello\nwait")
/// source.place(of: 11)  // line 2, column 1
/// ```
public struct SourceText: Sendable {
  /// The name of the text that is typed at the prompt.
  public static let promptName: String = "<prompt>"

  private let storage: Storage

  /// What stands for the file in messages: a path, `-c`, `<stdin>` or `<prompt>`.
  public var name: String { storage.name }

  /// The number of the text's first line.
  public var firstLine: Int { storage.firstLine }

  /// Creates a source text; `firstLine` is greater than 1 for a later piece of a stream.
  public init(name: String, text: String, firstLine: Int = 1) {
    self.storage = Storage(name: name, text: text, firstLine: firstLine, aliasStart: nil)
  }

  /// Creates a copy of a text with the text of an alias appended, on a line of its own.
  init(_ original: SourceText, alias: String) {
    storage = Storage(
      name: original.name, text: original.text + "\n" + alias, firstLine: original.firstLine,
      aliasStart: original.aliasStart ?? original.count + 1)
  }

  /// Where the texts of aliases begin, which are appended to the script.
  var aliasStart: Int? { storage.aliasStart }

  /// The whole text.
  public var text: String { storage.text }

  /// The length in UTF-8 bytes.
  public var count: Int { storage.text.utf8.count }

  /// The mark that a text may begin with, which is not part of its content.
  static let byteOrderMark = "\u{FEFF}"

  /// The range of the whole text.
  public var range: SourceRange { SourceRange(0, count) }

  /// Whether the text has one line; a line break at its end does not count.
  public var isOneLine: Bool {
    guard let end = text.utf8.firstIndex(of: 0x0A) else { return true }
    return text.utf8.index(after: end) == text.utf8.endIndex
  }

  /// Returns line and column of an offset; one beyond the end counts as the end.
  public func place(of offset: Int) -> SourcePlace {
    let starts = storage.lineStarts()
    let clamped = min(max(offset, starts[0]), count)
    let line = Self.lineIndex(of: clamped, in: starts)
    return SourcePlace(
      line: firstLine + line, column: storage.column(of: clamped, from: starts[line]))
  }

  /// Returns the line that holds an offset, without its line break.
  public func lineText(at offset: Int) -> String {
    let range = lineRange(at: offset)
    return storage.text(from: range.lower, to: range.upper)
  }

  /// Returns the range of the line that holds an offset, without its line break.
  public func lineRange(at offset: Int) -> SourceRange {
    let starts = storage.lineStarts()
    let line = Self.lineIndex(of: min(max(offset, 0), count), in: starts)
    var end = line + 1 < starts.count ? starts[line + 1] - 1 : count
    if end > starts[line], line + 1 < starts.count, storage.byte(at: end - 1) == 0x0D { end -= 1 }
    return SourceRange(starts[line], end)
  }

  /// Returns the text of a range.
  public func text(in range: SourceRange) -> String {
    storage.text(from: range.lower, to: range.upper)
  }

  /// Returns what to write where a `$` stands before a name with a hyphen, which ends a variable.
  ///
  /// - Parameters:
  ///   - name: The variable's name, up to the hyphen.
  ///   - range: Where it stands.
  /// - Returns: One sentence of help; nil where no hyphen follows.
  func helpForHyphen(after name: String, _ range: SourceRange) -> String? {
    guard let (whole, hasProperty) = hyphenated(name, range) else { return nil }
    return hasProperty
      ? "for a property of the operation write: ${\(whole)}"
      : "an operation is named without '$': \(whole)"
  }

  /// What to write in an expression in place of `$questions-1.state`; nil where a value may be
  /// subtracted.
  func helpForHyphenatedProperty(of name: String, _ range: SourceRange) -> String? {
    guard let (whole, hasProperty) = hyphenated(name, range), hasProperty else { return nil }
    return "for a property of the operation write \(whole), in a text ${\(whole)}"
  }

  /// What to write in place of `$name.property`, where the name is that of an operation or a queue.
  func helpForObject(_ name: String, _ range: SourceRange) -> String {
    let property = text(after: range)?.prefixMatch(of: /\.[A-Za-z]\w*/)?.output ?? ".name"
    return "for an operation or a queue write one of its properties: ${\(name)\(property)}"
  }

  private func hyphenated(
    _ name: String, _ range: SourceRange
  ) -> (whole: String, hasProperty: Bool)? {
    guard
      let match = text(after: range)?.prefixMatch(
        of: /-[A-Za-z0-9_-]*[A-Za-z0-9_](\.[A-Za-z]\w*)?/)
    else { return nil }
    return (name + match.output.0, match.output.1 != nil)
  }

  /// The rest of the line after a place, if there is any.
  private func text(after range: SourceRange) -> String? {
    let rest = lineText(at: range.upper).utf8.count
    let line = lineRange(at: range.upper)
    guard rest > 0, range.upper < line.upper else { return nil }
    return text(in: SourceRange(range.upper, line.upper))
  }

  /// Returns whether both are the same text, not only equal ones.
  public func isSame(as other: SourceText) -> Bool { storage === other.storage }

  private static func lineIndex(of offset: Int, in starts: [Int]) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }
}

extension SourceText {
  /// The shared part; line starts are found once, when a place is first asked for.
  fileprivate final class Storage: Sendable {
    let name: String
    let text: String
    let firstLine: Int
    let aliasStart: Int?
    private let starts = Locked<[Int]?>(nil)
    /// Known columns of the line that was asked for last, in order, the first at its start: a long
    /// line may have thousands of mistakes.
    private let columns = Locked<[Column]>([])

    private struct Column {
      let offset: Int
      let number: Int
    }

    /// How many bytes there are at least between two known columns.
    private static let columnInterval = 512

    init(name: String, text: String, firstLine: Int, aliasStart: Int?) {
      self.name = name
      self.aliasStart = aliasStart
      self.firstLine = firstLine
      var text = text
      text.makeContiguousUTF8()
      self.text = text
    }

    func lineStarts() -> [Int] {
      if let known = starts.withLock({ $0 }) { return known }
      // The mark is no character of the first line, and nothing is shown of it.
      let mark = SourceText.byteOrderMark.utf8
      var found = [text.utf8.starts(with: mark) ? mark.count : 0]
      var offset = 0
      for byte in text.utf8 {
        offset += 1
        if byte == 0x0A { found.append(offset) }
      }
      starts.withLock { $0 = found }
      return found
    }

    /// The column of an offset in the line that starts at another.
    func column(of offset: Int, from start: Int) -> Int {
      let known = columns.withLock { columns in
        if columns.first?.offset != start { columns = [Column(offset: start, number: 1)] }
        while let last = columns.last, let next = nextColumn(after: last, before: offset) {
          columns.append(next)
        }
        var (low, high) = (0, columns.count)
        while high - low > 1 {
          let middle = (low + high) / 2
          if columns[middle].offset <= offset { low = middle } else { high = middle }
        }
        return columns[low]
      }
      return known.number + text(from: known.offset, to: offset).count
    }

    /// The next column to keep: a character begins at every byte of ASCII, so what is before it can
    /// be counted.
    private func nextColumn(after column: Column, before end: Int) -> Column? {
      var offset = column.offset + Self.columnInterval
      while offset < end, byte(at: offset) >= 0x80 { offset += 1 }
      guard offset < end else { return nil }
      return Column(
        offset: offset, number: column.number + text(from: column.offset, to: offset).count)
    }

    func byte(at offset: Int) -> UInt8 {
      text.utf8[text.utf8.index(text.utf8.startIndex, offsetBy: offset)]
    }

    func text(from lower: Int, to upper: Int) -> String {
      let view = text.utf8
      let count = view.count
      let start = view.index(view.startIndex, offsetBy: min(max(lower, 0), count))
      let end = view.index(view.startIndex, offsetBy: min(max(upper, lower, 0), count))
      return String(decoding: view[start..<end], as: UTF8.self)
    }
  }
}
