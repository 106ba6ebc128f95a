import Synchronization

/// Keeps an observation active until it is invalidated or deallocated.
///
/// A call that another thread is making at this moment may still be running when `invalidate()`
/// returns; no further one is made.
public final class ObservationToken: Sendable {
  /// The observer; nil once it was ended.
  private let observer: Atomic<Unmanaged<Observer>?>

  /// Creates a token that ends an observer, or nothing.
  init(_ observer: Observer?) {
    self.observer = Atomic(observer.map { Unmanaged.passRetained($0) })
  }

  /// Ends the observation; doing so twice is harmless.
  public func invalidate() {
    let taken = observer.exchange(nil, ordering: .acquiringAndReleasing)
    taken?.takeRetainedValue().end()
  }

  deinit {
    invalidate()
  }
}
