/// The ids of recently removed operations, for readers that track the list incrementally.
package struct RecentRemovals: Sendable {
  /// The removals since an earlier read.
  package struct Page: Sendable {
    package let ids: [Int]
    /// The number of removals ever; the next read continues there.
    package let count: Int
    /// Whether the list is complete; it is not if the earlier read was too long ago.
    package let isComplete: Bool
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
