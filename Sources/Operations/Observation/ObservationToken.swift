import Locking

/// Keeps an observation going; when it goes away, the observer is no longer called.
///
/// A call that has begun on another thread may still be running when `invalidate()` returns; none
/// begins afterwards.
public final class ObservationToken: Sendable {
  private let action: Locked<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Locked(action)
  }

  /// Ends the observation; doing so twice is harmless.
  public func invalidate() {
    let action = self.action.withLock { action in
      let taken = action
      action = nil
      return taken
    }
    action?()
  }

  deinit {
    invalidate()
  }
}
