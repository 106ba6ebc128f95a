/// A change as the engine passes it to an observer.
struct Change {
  /// The values before and after.
  enum Values {
    /// No observer asked for them.
    case none
    /// A flag that takes this value; so it had the other one.
    case flag(Bool)
    case pair(Pair)
  }

  /// Values of other properties, apart, because the flags are what is mostly observed.
  final class Pair: Sendable {
    let old: PropertyValue?
    let new: PropertyValue?

    init(old: PropertyValue?, new: PropertyValue?) {
      self.old = old
      self.new = new
    }
  }

  /// Which call it is.
  enum Moment {
    case initial, before, after
  }

  let moment: Moment
  let values: Values

  /// The value before, unless this is an initial call.
  var old: PropertyValue? {
    guard moment != .initial else { return nil }
    switch values {
    case .none: return nil
    case .flag(let value): return .flag(!value)
    case .pair(let pair): return pair.old
    }
  }

  /// The value after, unless this is a prior call.
  var new: PropertyValue? {
    guard moment != .before else { return nil }
    switch values {
    case .none: return nil
    case .flag(let value): return .flag(value)
    case .pair(let pair): return pair.new
    }
  }
}
