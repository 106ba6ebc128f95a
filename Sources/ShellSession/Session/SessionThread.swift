import Foundation

/// The interpreter's thread, the only one that shows events, reads signals and runs handlers.
struct SessionThread: Sendable {
  private let thread = pthread_self()

  /// Whether the calling thread is this one.
  var isCurrent: Bool { pthread_equal(pthread_self(), thread) != 0 }
}
