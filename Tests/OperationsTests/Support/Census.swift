import OpshLocking

/// Counts what a test made and what is still alive of it.
final class Census: Sendable {
  /// An object that lives as long as a reference to it exists.
  final class Resident: Sendable {
    private let census: Census

    fileprivate init(_ census: Census) {
      self.census = census
      census.alive.withLock { $0 += 1 }
    }

    deinit {
      census.alive.withLock { $0 -= 1 }
    }
  }

  private let alive = Locked(0)

  /// Makes something to be kept; what captures it is alive as long as it is.
  func resident() -> Resident { Resident(self) }

  /// How many are alive.
  var count: Int { alive.withLock { $0 } }
}
