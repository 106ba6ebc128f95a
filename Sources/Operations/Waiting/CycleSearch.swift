/// Looks for operations that wait for one another in a cycle, so that none of them can finish.
struct CycleSearch {
  private struct Level {
    let event: WaitEvent
    var needs: ArraySlice<WaitEvent>
  }

  private var graph = WaitGraph()

  /// Returns a cycle that an operation is in, or else one that it waits for.
  ///
  /// The search takes the lock for a bounded number of events at a time; that the cycle is one is
  /// confirmed with the lock held once.
  ///
  /// - Parameters:
  ///   - operation: An operation that has not finished.
  ///   - pause: Called between the search and the confirmation, without the lock.
  /// - Returns: Operations of which each waits for the next, and the last for the first; nil if there
  ///   is no cycle.
  mutating func cycle(
    from operation: ObservableOperation, beforeConfirming pause: () -> Void = {}
  ) -> [ObservableOperation]? {
    let (start, finish) = (WaitEvent.start(operation), WaitEvent.finish(operation))
    let own =
      graph.path(from: finish, to: [finish], in: operation.engine)
      ?? graph.path(from: start, to: [start], in: operation.engine)
    guard let cycle = own?.dropLast() ?? cycleOfOthers(from: finish, in: operation.engine) else {
      return nil
    }
    pause()
    guard confirm(Array(cycle), in: operation.engine) else { return nil }
    let operations = cycle.operations
    return operations.count > 1 && operations.first === operations.last
      ? operations.dropLast() : operations
  }

  /// Searches depth first, with a stack of its own, because chains may be long.
  private mutating func cycleOfOthers(
    from root: WaitEvent, in engine: OperationEngine
  ) -> ArraySlice<WaitEvent>? {
    var stack = [Level(event: root, needs: [])]
    var onPath: Set<WaitEvent> = [root]
    var seen: Set<WaitEvent> = []
    var cycle: ArraySlice<WaitEvent>?
    engine.guardedInPieces { state in
      var steps = 0
      while let top = stack.indices.last {
        guard steps < WaitSearch.longestPiece else { return false }
        steps += 1
        if seen.insert(stack[top].event).inserted {
          stack[top].needs = graph.needs(of: stack[top].event, in: state).certain[...]
          steps += stack[top].needs.count
        }
        guard let need = stack[top].needs.popFirst() else {
          onPath.remove(stack.removeLast().event)
          continue
        }
        if onPath.contains(need) {
          cycle = stack.map(\.event).drop { $0 != need }
          return true
        }
        guard !seen.contains(need) else { continue }
        onPath.insert(need)
        stack.append(Level(event: need, needs: []))
      }
      return true
    }
    return cycle
  }

  /// Whether each of the events requires the next at this moment, and the last the first.
  private mutating func confirm(_ cycle: [WaitEvent], in engine: OperationEngine) -> Bool {
    engine.guardedState { state in
      zip(cycle, cycle.dropFirst() + cycle.prefix(1)).allSatisfy { event, next in
        graph.needs(of: event, in: state).certain.contains(next)
      }
    }
  }
}
