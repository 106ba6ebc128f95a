package import Operations

extension ObservableOperation {
  /// Whether it was cancelled before it started: a cancelled operation ignores its dependencies.
  package var ignoresDependencies: Bool { isCancelled && timestamps.executing == nil }
}
