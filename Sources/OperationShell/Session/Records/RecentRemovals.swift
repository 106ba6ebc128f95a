/// The ids of operations that were taken away lately, for what keeps account of the others.
struct RecentRemovals: Sendable {
  /// What was taken away since a look.
  struct Page: Sendable {
    let ids: [Int]
    /// How many were ever taken away: where the next look goes on.
    let count: Int
    /// Whether no id is missing, because the look before was not too long ago.
    let isComplete: Bool
  }

  private static let limit = 8192

  private var ids: [Int] = []
  private var forgotten = 0

  mutating func append(_ id: Int) {
    ids.append(id)
    guard ids.count > 2 * Self.limit else { return }
    forgotten += ids.count - Self.limit
    ids.removeFirst(ids.count - Self.limit)
  }

  func page(after count: Int) -> Page {
    Page(
      ids: Array(ids.dropFirst(max(0, count - forgotten))), count: forgotten + ids.count,
      isComplete: count >= forgotten)
  }
}
