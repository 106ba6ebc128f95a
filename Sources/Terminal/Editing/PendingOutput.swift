/// Lines to be shown above the line being typed, one frame's worth.
public struct PendingOutput: Sendable, Equatable {
  /// The lines, oldest first.
  public var lines: [StyledText]
  /// How many lines are left out for good; the editor says so after `lines`.
  public var omitted: Int
  /// Whether more lines wait for the next frame.
  public var hasMore: Bool

  /// Creates a frame's worth of lines.
  public init(lines: [StyledText] = [], omitted: Int = 0, hasMore: Bool = false) {
    self.lines = lines
    self.omitted = omitted
    self.hasMore = hasMore
  }

  /// Nothing to show.
  public static let none: PendingOutput = PendingOutput()
}
