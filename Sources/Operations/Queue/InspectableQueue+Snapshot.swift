public import Foundation

extension InspectableQueue {
  /// One consistent look at a queue.
  public struct Snapshot: Sendable {
    /// Who holds a slot.
    public struct SlotHolder: Sendable, Equatable {
      /// The number of the slot, from 1.
      public let slot: Int
      /// The operation in it.
      public let operation: OperationIdentity
    }

    /// The queue's name.
    public let name: String
    /// How many operations execute at once at most; -1 for no limit.
    public let width: Int
    /// Whether it starts nothing for now.
    public let isSuspended: Bool
    /// The class of service for operations that have none of their own.
    public let qualityOfService: QualityOfService
    /// How many operations are `pending`.
    public let pending: Int
    /// How many operations are `ready`.
    public let ready: Int
    /// How many operations are `executing`.
    public let executing: Int
    /// How many operations have finished on this queue.
    public let finished: Int
    /// Who holds the slots, in the order of the slots.
    public let slotHolders: [SlotHolder]
  }

  /// One consistent look at the queue.
  public var snapshot: Snapshot {
    read { core in
      Snapshot(
        name: core.name, width: core.width, isSuspended: core.isSuspended,
        qualityOfService: core.quality, pending: core.pending, ready: core.readyCount,
        executing: core.executing, finished: core.finished,
        slotHolders: core.slots.enumerated().compactMap { index, operation in
          operation.map {
            Snapshot.SlotHolder(slot: index + 1, operation: $0.identityInTransaction)
          }
        })
    }
  }

  /// The unfinished operations in the order in which they are to finish, as far as it can be told.
  ///
  /// First come those that hold a slot, then the others in the order in which one slot would start
  /// them: the ready by priority and order, and the pending when what they wait for on this queue
  /// has finished. Last come those that wait for something elsewhere, and what a barrier among them
  /// holds up.
  public var predictedOrder: [ObservableOperation] {
    log.guarded {
      var order = core.slots.compactMap { $0 }
      let waiting = core.operations.filter { $0.core.slot == 0 }
      var unmet: [Int: Int] = [:]
      var dependents: [Int: [ObservableOperation]] = [:]
      for operation in waiting where !operation.core.isReady {
        unmet[operation.id] = Int(operation.core.unmet)
        for edge in operation.core.upstream where edge.operation.core.state != .finished {
          dependents[edge.operation.id, default: []].append(operation)
        }
      }
      var ready = Heap(waiting.filter { $0.core.isReady }.map { Rank($0) })
      var placed = Set(order.map(\.id))
      func place(after operation: ObservableOperation) {
        for dependent in dependents[operation.id] ?? [] {
          let left = (unmet[dependent.id] ?? 0) - 1
          unmet[dependent.id] = left
          if left == 0 { ready.insert(Rank(dependent)) }
        }
      }
      for operation in order { place(after: operation) }
      // Nothing passes a barrier: those of one turn come only when all of the turns before have.
      var unplaced: [Rank.Turn: Int] = [:]
      for operation in waiting { unplaced[Rank(operation).turn, default: 0] += 1 }
      var turns = unplaced.keys.sorted()[...]
      while let entry = ready.first, entry.turn == turns.first {
        _ = ready.popFirst()
        unplaced[entry.turn, default: 0] -= 1
        if unplaced[entry.turn] == 0 { turns = turns.dropFirst() }
        order.append(entry.operation)
        placed.insert(entry.operation.id)
        place(after: entry.operation)
      }
      return order
        + waiting.filter { !placed.contains($0.id) }
        .sorted { Rank($0) < Rank($1) }
    }
  }
}
