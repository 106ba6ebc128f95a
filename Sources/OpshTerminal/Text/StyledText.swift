/// Text whose parts have styles.
///
/// Control characters in it are shown, never sent: rendering makes them visible, except for
/// newlines and tabs.
///
/// ```swift
/// let line = StyledText("finished", style: TextStyle(color: .green)) + " in 276 ms"
/// print(line.rendered(color: true))
/// ```
public struct StyledText: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// A piece of text in one style.
  public struct Span: Sendable, Equatable {
    /// The characters.
    public var text: String
    /// Their look.
    public var style: TextStyle

    /// Creates a span.
    public init(_ text: String, style: TextStyle = .plain) {
      self.text = text
      self.style = style
    }
  }

  /// The pieces, in order.
  public private(set) var spans: [Span]

  /// Creates a text in one style.
  public init(_ text: String = "", style: TextStyle = .plain) {
    spans = text.isEmpty ? [] : [Span(text, style: style)]
  }

  /// Creates a text from pieces; neighbours of the same style become one.
  public init(spans: [Span]) {
    self.spans = []
    for span in spans { append(span) }
  }

  /// Creates a text without style from a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The characters without their styles.
  public var plain: String {
    spans.count == 1 ? spans[0].text : spans.map(\.text).joined()
  }

  /// The number of columns that the widest line takes.
  public var columns: Int {
    TextWidth.columns(of: plain)
  }

  /// Whether there is nothing in it.
  public var isEmpty: Bool {
    spans.isEmpty
  }

  /// Adds a piece at the end.
  public mutating func append(_ span: Span) {
    guard !span.text.isEmpty else { return }
    if let last = spans.last, last.style == span.style {
      spans[spans.count - 1].text += span.text
    } else {
      spans.append(span)
    }
  }

  /// Joins two texts.
  public static func + (left: StyledText, right: StyledText) -> StyledText {
    var result = left
    result += right
    return result
  }

  /// Adds a text at the end of another.
  public static func += (left: inout StyledText, right: StyledText) {
    for span in right.spans { left.append(span) }
  }

  /// Returns the text as it is sent to a terminal or a file.
  ///
  /// - Parameter color: Whether to put in the sequences for the styles.
  /// - Returns: Text without control characters other than newline, tab and the styles' own.
  public func rendered(color: Bool) -> String {
    var result = ""
    for span in spans {
      let text = VisibleText.escape(span.text, keepNewlines: true)
      let sequence = color ? span.style.sequence : ""
      result += sequence.isEmpty ? text : sequence + text + TextStyle.reset
    }
    return result
  }
}
