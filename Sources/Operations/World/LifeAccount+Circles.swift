/// Operations that wait for one another.
package struct WaitCircle {
  /// The numbers of those in it.
  package let operations: [Int]
  /// The circle in words.
  package let reason: WaitReason
  /// When the last of their waits began, and it closed.
  package let start: ContinuousClock.Instant
}

extension LifeAccount {
  /// With more unfinished operations no circle is looked for, which takes time for each.
  private static let mostOperations = 10_000

  /// Returns the circles that have closed and not opened again.
  package func circles() -> [WaitCircle] {
    let unfinished = lives.filter { $0.value.finished == 0 }.keys.sorted()
    guard !unfinished.isEmpty, unfinished.count <= Self.mostOperations else { return [] }
    let stuck = fold.engine.stuckOperations(among: unfinished.compactMap { fold.operations[$0] })
    return stuck.filter { $0.root.code == .deadlock }.map { circle in
      let ids = circle.root.operations.map(\.id)
      let start = ids.compactMap { lives[$0]?.told?.start }.max() ?? presentTime
      return WaitCircle(
        operations: ids, reason: circle.root, start: fold.engine.start.instant(at: start))
    }
  }

  /// The last span of an operation, as one that begins now; nil for one that has ended.
  package func lastNews(of id: Int) -> SpanNews? {
    guard let life = lives[id], life.finished == 0, var span = life.told else { return nil }
    span.start = presentTime
    span.continues = false
    return span
  }
}
