import Foundation
import Testing

/// A reference that keeps nothing alive.
struct Weak {
  private weak var object: AnyObject?

  init(_ object: AnyObject?) {
    self.object = object
  }

  /// Waits a while until all have gone: threads of Foundation's may be about to let go of some.
  static func expectGone(_ watched: [Weak], sourceLocation: SourceLocation = #_sourceLocation) {
    let deadline = ContinuousClock.now + .seconds(20)
    var left = watched
    while true {
      left = left.filter { $0.object != nil }
      if left.isEmpty || ContinuousClock.now > deadline { break }
      sched_yield()
    }
    #expect(
      left.isEmpty, "\(left.count) of \(watched.count) are still there",
      sourceLocation: sourceLocation)
  }
}
