import OpshLocking

extension CallStack {
  /// Leaves room for code that does not ask, such as a host's commands.
  private static let nesting = CallStack(reserve: 4 << 20)

  /// Whether nested text must be parsed, checked and run no deeper.
  ///
  /// The shell's interpreter thread has room for ``Parser/maximumDepth`` levels; on a smaller stack
  /// the error comes earlier.
  static var isNearlyFull: Bool { nesting.isShort }
}
