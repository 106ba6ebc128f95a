public import Foundation

extension InspectableQueue {
  /// The class of service for operations that have none of their own; it counts from their start.
  ///
  /// ``ObservableOperation/effectiveQualityOfService`` says which one an operation works with.
  public var qualityOfService: QualityOfService {
    get { read { $0.quality } }
    set {
      engine.transact { state in
        let old = core.quality
        guard old != newValue else { return }
        state.decide(.quality(old: old, new: newValue), of: self)
      }
      driver?.didSetQuality()
    }
  }

  /// The class of service that operations without one of their own get: that of the queue, or else
  /// that of the group whose operations are on it.
  public var effectiveQualityOfService: QualityOfService {
    let (own, group) = read { core in
      (core.effectiveQuality, core.membership?.isHeld == true ? core.membership?.group : nil)
    }
    return own == .default ? group?.effectiveQualityOfService ?? own : own
  }
}

extension ObservableOperation {
  /// The class of service that its work has: its own, or else that of its queue, or else that of the
  /// group that it is in.
  ///
  /// It is settled when the operation begins to execute; later changes have no effect on it.
  /// Apple's Foundation has the same rule. On Linux an operation of Foundation's without a class of
  /// its own stays without one, but for those that `addOperation(_:)` makes of a closure.
  public var effectiveQualityOfService: QualityOfService {
    var operation = self
    // Groups may be nested deeply.
    while true {
      let (quality, isSettled) = operation.read { core in
        guard core.times.executing == 0 else { return (core.startQuality, true) }
        return (core.effectiveQuality(on: core.queue), false)
      }
      guard !isSettled, quality == .default, let group = operation.group else { return quality }
      operation = group
    }
  }
}

extension QueueCore {
  /// That of the queue, or else of a group that has begun.
  var effectiveQuality: QualityOfService { quality == .default ? inheritedQuality : quality }
}

extension OperationCore {
  /// The class of service with which it would begin, in a transaction.
  func effectiveQuality(on queue: InspectableQueue?) -> QualityOfService {
    quality == .default ? queue?.core.effectiveQuality ?? .default : quality
  }
}
