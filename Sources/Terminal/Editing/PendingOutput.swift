/// Lines to be shown above the line being typed, one frame's worth.
public struct PendingOutput: Sendable, Equatable {
  /// The lines, oldest first.
  public var lines: [StyledText]
  /// Whether more lines wait for the next frame.
  public var hasMore: Bool

  /// Creates a frame's worth of lines.
  public init(lines: [StyledText] = [], hasMore: Bool = false) {
    self.lines = lines
    self.hasMore = hasMore
  }

  /// Nothing to show.
  public static let none: PendingOutput = PendingOutput()
}
