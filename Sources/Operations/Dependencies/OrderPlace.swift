/// What an operation keeps for the ``TopologicalOrder``: eight bytes.
struct OrderPlace {
  /// Where it stands; with none it stands where its number does.
  var node = OrderList.Node.none
  /// Where the last search that came by has noted it, which may be out of date: a search takes it
  /// for true only where its own notes say the same.
  var visit: UInt32 = 0

  /// Whether it does not stand where its number does.
  var isStored: Bool { node != .none }
}
