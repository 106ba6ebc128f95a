/// The unfinished operations of a queue, in the order of adding.
///
/// Each operation stores its place, so that removing it takes constant time; the gaps are closed when
/// they are the majority.
struct UnfinishedOperations {
  private var places: [ObservableOperation?] = []
  private(set) var count = 0
  /// Rises when operations move to other places.
  private(set) var generation = 0

  /// How many places there are; some are empty.
  var placeCount: Int { places.count }

  /// The operation at a place, if there is one.
  subscript(place: Int) -> ObservableOperation? { places[place] }

  var isEmpty: Bool { count == 0 }

  mutating func add(_ operation: ObservableOperation) {
    operation.core.place = Int32(places.count)
    places.append(operation)
    count += 1
  }

  mutating func remove(_ operation: ObservableOperation) {
    places[Int(operation.core.place)] = nil
    count -= 1
    if count == 0 {
      generation += 1
      places.removeAll(keepingCapacity: places.capacity <= 1024)
    } else if places.count >= 64, count * 4 < places.count {
      closeGaps()
    }
  }

  /// The operations in the order of adding; takes time for each of them.
  var operations: [ObservableOperation] { places.compactMap { $0 } }

  func forEach(_ body: (ObservableOperation) -> Void) {
    for case let operation? in places { body(operation) }
  }

  private mutating func closeGaps() {
    generation += 1
    var next = 0
    for index in places.indices {
      guard let operation = places[index] else { continue }
      operation.core.place = Int32(next)
      if next != index {
        places[next] = operation
        places[index] = nil
      }
      next += 1
    }
    places.removeLast(places.count - next)
  }
}
