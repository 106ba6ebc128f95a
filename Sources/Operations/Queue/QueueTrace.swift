/// What a finished operation knows of the queue that it was on; guarded by the lock of its engine.
final class QueueTrace {
  /// The queue, of which the caller must let go outside the lock.
  weak var queue: InspectableQueue?
  var label: QueueLabel

  init(label: QueueLabel) {
    self.label = label
  }
}
