public import Foundation

extension InspectableQueue {
  /// One consistent look at a queue.
  public struct Snapshot: Sendable {
    /// The holder of a slot.
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
    /// The holders of the slots, in the order of the slots.
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
}
