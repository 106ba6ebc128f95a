extension Dictionary {
  /// A copy with the least capacity.
  func shrunk() -> [Key: Value] {
    var copy = [Key: Value](minimumCapacity: count)
    for (key, value) in self { copy[key] = value }
    return copy
  }
}
