/// The look of a text that is being typed, and what is shown around it.
public struct LineLook: Sendable, Equatable {
  /// A stretch of the text in a style.
  public struct Stretch: Sendable, Equatable {
    /// Where it stands, in UTF-8 offsets.
    public var range: Range<Int>
    /// Its style.
    public var style: TextStyle

    /// Creates a stretch.
    public init(_ range: Range<Int>, _ style: TextStyle) {
      self.range = range
      self.style = style
    }
  }

  /// The styles; of stretches that overlap, the last one counts.
  public var stretches: [Stretch]
  /// The prompts of the lines after the first; further lines have the last one.
  public var continuations: [StyledText]
  /// Text after the cursor at the end that a key takes into the line.
  public var suggestion: String
  /// Text after the cursor at the end that says what can follow, where nothing is suggested.
  public var hint: String
  /// The style of the suggestion and the hint; nil where styles do not tell them from typed text, so
  /// that neither is shown.
  public var suggestionStyle: TextStyle?

  /// The prompt of a line after the first one that says nothing of what is open.
  public static let continuation: StyledText = StyledText("... ", style: .dim)

  /// Creates a look.
  public init(
    stretches: [Stretch] = [], continuations: [StyledText] = [], suggestion: String = "",
    hint: String = "", suggestionStyle: TextStyle? = nil
  ) {
    self.stretches = stretches
    self.continuations = continuations
    self.suggestion = suggestion
    self.hint = hint
    self.suggestionStyle = suggestionStyle
  }

  /// The look of text that nothing is known of.
  public static let plain: LineLook = LineLook()

  /// The styles of the clusters of the text.
  func styles(of clusters: [String]) -> [TextStyle] {
    guard !stretches.isEmpty else { return [] }
    var places: [Int] = []
    places.reserveCapacity(clusters.count)
    var offset = 0
    for cluster in clusters {
      places.append(offset)
      offset += cluster.utf8.count
    }
    var styles = Array(repeating: TextStyle.plain, count: clusters.count)
    for stretch in stretches {
      var low = places.partitioningIndex { $0 >= stretch.range.lowerBound }
      while low < places.count, places[low] < stretch.range.upperBound {
        styles[low] = stretch.style
        low += 1
      }
    }
    return styles
  }
}

extension [Int] {
  /// The first index from which a condition holds for all, where it holds for none before.
  fileprivate func partitioningIndex(_ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
