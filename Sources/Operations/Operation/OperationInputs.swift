/// What takes values over from what an operation depends on, in the order in which it was added.
///
/// All that belongs to one upstream operation can be taken out, in the time of that alone: else
/// removing a hundred thousand dependencies would take the square of their number.
struct OperationInputs {
  /// Takes the value of one operation.
  final class Input {
    /// The number of that operation.
    let upstream: Int
    let take: @Sendable () -> Void

    init(upstream: Int, take: @escaping @Sendable () -> Void) {
      self.upstream = upstream
      self.take = take
    }
  }

  private static let longestScan = 16

  /// Nil for one that was taken out of a long list.
  private var places: [Input?] = []
  private var gapCount = 0
  /// Where the inputs of an operation stand; made when one is taken out of a long list.
  private var positions: [Int: [Int]]?

  var isEmpty: Bool { places.count == gapCount }

  mutating func append(_ input: Input) {
    positions?[input.upstream, default: []].append(places.count)
    places.append(input)
  }

  /// Takes out those that belong to an operation.
  mutating func remove(of upstream: Int) -> [Input] {
    guard positions != nil || places.count > Self.longestScan else {
      let removed = places.compactMap { $0?.upstream == upstream ? $0 : nil }
      places.removeAll { $0?.upstream == upstream }
      return removed
    }
    if positions == nil {
      positions = Dictionary(
        grouping: places.indices, by: { position in places[position]?.upstream ?? 0 })
    }
    let removed = (positions?.removeValue(forKey: upstream) ?? []).compactMap { position in
      defer { places[position] = nil }
      return places[position]
    }
    gapCount += removed.count
    if gapCount * 2 > places.count {
      places.removeAll { $0 == nil }
      (gapCount, positions) = (0, nil)
    }
    return removed
  }

  /// Takes out all.
  mutating func takeAll() -> [Input] {
    defer { self = OperationInputs() }
    return places.compactMap { $0 }
  }
}
