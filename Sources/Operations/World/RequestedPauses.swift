/// The pauses that servers asked for.
struct RequestedPauses {
  private var planned: [Int: Int64] = [:]
  private var requested: [(end: Int64, id: Int)] = []
  /// Whose response asked for the pause of each operation that pauses; nil for none.
  private(set) var lasting: [Int: Int?] = [:]

  /// How far the times of the same pause are apart that a server and an operation tell of.
  private static let tolerance: Int64 = 20_000_000
  private static let recent = 100

  mutating func plan(_ duration: Duration, of id: Int) {
    planned[id] = duration.wholeNanoseconds
  }

  mutating func request(until end: Int64, by id: Int) { requested.append((end, id)) }

  mutating func begin(of id: Int, reason: String, at time: Int64) {
    let end = planned.removeValue(forKey: id).map { time.addingClamped($0) }
    // What is random in it must not hide that the response to the operation asked for it.
    let asksItself = reason.contains(RetryDecision.requestedPauseNote)
    lasting[id] = asksItself ? id : end.flatMap { asker(ofPauseUntil: $0) }
  }

  /// The operation whose response asked for a pause that ends at a time.
  private func asker(ofPauseUntil end: Int64) -> Int? {
    let known = requested.suffix(Self.recent).map { (id: $0.id, distance: abs($0.end - end)) }
    let nearest = known.min { $0.distance < $1.distance }
    return nearest.flatMap { $0.distance <= Self.tolerance ? $0.id : nil }
  }
}
