import Locking

/// Lets go of long chains without recursion.
///
/// Releasing the last operation of a chain releases the one it depends on, and so on: as nested
/// `deinit`s a hundred thousand of them overflow the stack. Here each `deinit` only puts its edges
/// into the bin, and the outermost one empties it in a loop.
final class ReleaseBin: Sendable {
  static let shared = ReleaseBin()

  private struct State {
    var edges: [UpstreamEdges] = []
    var isEmptying = false
  }
  private let state = Locked(State())

  /// Takes the edges away from the caller, who must not keep a copy: the last reference has to go
  /// here.
  func take(_ edges: inout UpstreamEdges) {
    let isMine = state.withLock { state in
      state.edges.append(UpstreamEdges())
      swap(&state.edges[state.edges.count - 1], &edges)
      if state.isEmptying { return false }
      state.isEmptying = true
      return true
    }
    guard isMine else { return }
    while true {
      // The edges are released at the end of each turn, outside the lock.
      let batch = state.withLock { state in
        let batch = state.edges
        state.edges = []
        if batch.isEmpty { state.isEmptying = false }
        return batch
      }
      if batch.isEmpty { return }
    }
  }
}
