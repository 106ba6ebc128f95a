/// What the queue of a group knows of the group; guarded by the lock of its engine.
struct GroupMembership {
  /// The group; a reference taken under the lock must be released outside of it.
  weak var group: GroupOperation?
  /// The group again, while it has to be kept until its operations have ended.
  var kept: GroupOperation?
  /// Whether the group has not begun, so that nothing starts.
  var isHeld = true
  /// Whether the group takes no more operations.
  var isClosed = false
  /// Whether what is added to the group is cancelled at once.
  var isCancelled = false
}
