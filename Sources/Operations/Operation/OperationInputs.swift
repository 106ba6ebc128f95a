/// What takes values over from what an operation depends on.
///
/// They are kept by upstream operation: to search a list for each would make removing a hundred
/// thousand dependencies take the square of their number.
struct OperationInputs {
  /// Takes the value of one operation.
  final class Input {
    /// Its place in the order of adding.
    let place: Int
    let take: @Sendable () -> Void

    init(place: Int, take: @escaping @Sendable () -> Void) {
      self.place = place
      self.take = take
    }
  }

  private var byUpstream: [Int: [Input]] = [:]
  private var nextPlace = 0

  var isEmpty: Bool { byUpstream.isEmpty }

  mutating func add(of upstream: Int, take: @escaping @Sendable () -> Void) {
    byUpstream[upstream, default: []].append(Input(place: nextPlace, take: take))
    nextPlace += 1
  }

  /// Takes out those that belong to an operation.
  mutating func remove(of upstream: Int) -> [Input] {
    byUpstream.removeValue(forKey: upstream) ?? []
  }

  /// Takes out all, in any order.
  mutating func takeAll() -> [Input] {
    defer { self = OperationInputs() }
    return byUpstream.values.flatMap { $0 }
  }
}
