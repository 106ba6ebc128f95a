import Foundation

/// Releases long chains of operations without recursion.
///
/// Releasing the last operation of a chain releases the one it depends on, and so on: as nested
/// `deinit`s a hundred thousand of them overflow the stack. Here each `deinit` only moves references
/// to operations into the pool of its thread, and the outermost one empties the pool in a loop.
///
/// A pool is a variable of that outermost `deinit`. With one pool for all threads each thread would
/// wait for the others at every operation that has dependencies.
enum ReleasePool {
  /// The key under which a thread finds its pool while that is being emptied; nil if the system has
  /// no room for one more key.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// What waits to be released.
  struct Contents {
    private var edges: [UpstreamEdges] = []
    private var others: [Any?] = []

    var isEmpty: Bool { edges.isEmpty && others.isEmpty }

    /// Moves edges here; the caller must not keep a copy.
    mutating func take(_ edges: inout UpstreamEdges) {
      self.edges.append(UpstreamEdges())
      swap(&self.edges[self.edges.count - 1], &edges)
    }

    /// Moves something else here that may hold operations; the caller must not keep a copy.
    mutating func take(_ other: inout Any?) {
      others.append(nil)
      swap(&others[others.count - 1], &other)
    }
  }

  /// Releases what `fill` moves into the pool.
  ///
  /// The optimizer moves the release of a value that is overwritten in front of a call into C, so
  /// that the nested `deinit`s would run before their thread has a pool. So what `fill` overwrites
  /// must not be the last reference: it swaps, or keeps a copy in a variable that it then moves.
  static func release(_ fill: (inout Contents) -> Void) {
    guard let key else {
      var contents = Contents()
      return fill(&contents)
    }
    if let pool = pthread_getspecific(key)?.assumingMemoryBound(to: Contents.self) {
      return fill(&pool.pointee)
    }
    var contents = Contents()
    fill(&contents)
    withUnsafeMutablePointer(to: &contents) { pool in
      pthread_setspecific(key, pool)
      while !pool.pointee.isEmpty {
        var batch = Contents()
        swap(&batch, &pool.pointee)
        drop(&batch)
      }
      pthread_setspecific(key, nil)
    }
  }

  // Not inlined, so that the release stays where it is called: after the pool was made ready for what
  // follows from it, and before the next look into the pool.
  @inline(never) private static func drop(_ batch: inout Contents) {
    batch = Contents()
  }
}
