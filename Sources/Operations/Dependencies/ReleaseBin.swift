import Foundation

/// Lets go of long chains without recursion.
///
/// Releasing the last operation of a chain releases the one it depends on, and so on: as nested
/// `deinit`s a hundred thousand of them overflow the stack. Here each `deinit` only puts its edges
/// into the bin of its thread, and the outermost one empties it in a loop.
///
/// A bin is a variable of that outermost `deinit`. One for all threads would have each of them wait
/// for the others at every operation that has dependencies.
enum ReleaseBin {
  /// Under which a thread finds its bin while it is being emptied; nil if the system has no room for
  /// one more key.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Lets go of the edges, of which the caller must not keep a copy: the last reference has to go
  /// here.
  static func empty(_ edges: inout UpstreamEdges) {
    guard let key else { return edges = UpstreamEdges() }
    if let bin = pthread_getspecific(key)?.assumingMemoryBound(to: [UpstreamEdges].self) {
      bin.pointee.append(UpstreamEdges())
      swap(&bin.pointee[bin.pointee.count - 1], &edges)
      return
    }
    var waiting: [UpstreamEdges] = []
    withUnsafeMutablePointer(to: &waiting) { bin in
      pthread_setspecific(key, bin)
      edges = UpstreamEdges()
      while !bin.pointee.isEmpty {
        // They are released at the end of each turn, when the bin is ready for what they keep.
        let batch = bin.move()
        bin.initialize(to: [])
        withExtendedLifetime(batch) {}
      }
      pthread_setspecific(key, nil)
    }
  }
}
