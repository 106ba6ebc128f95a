/// The lines of one frame, to be shown above the line being typed.
public struct PendingOutput: Sendable, Equatable {
  /// The lines, oldest first.
  public var lines: [StyledText]
  /// Whether more lines wait for the next frame.
  public var hasMore: Bool

  /// Creates the lines of a frame.
  public init(lines: [StyledText] = [], hasMore: Bool = false) {
    self.lines = lines
    self.hasMore = hasMore
  }

  /// Nothing to show.
  public static let none: PendingOutput = PendingOutput()
}
