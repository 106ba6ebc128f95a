/// What can be known of a value before anything runs.
public struct StaticKind: Sendable, Hashable {
  /// The families of values that are told apart here.
  public enum Family: String, Sendable, Hashable, CaseIterable {
    /// No value.
    case null
    /// Text.
    case string
    /// Whole numbers and those with a fraction.
    case number
    /// True or false.
    case boolean
    /// Lengths of time.
    case duration
    /// Numbers of bytes.
    case size
    /// Shares of a hundred.
    case percent
    /// Several values.
    case list
    /// Named values.
    case record
    /// A live thing of the host.
    case object
  }

  /// The families it can be of; all of them where nothing is known.
  let families: Set<Family>
  /// The texts it can be, where it is a text and those are known.
  let words: [String]?
  /// The name of its shape, where that is known: what properties it has.
  let shape: String?

  init(_ families: Set<Family>, words: [String]? = nil, shape: String? = nil) {
    self.families = families
    self.words = words
    self.shape = shape
  }

  /// Nothing is known.
  public static let unknown = StaticKind(Set(Family.allCases))

  /// One of several families.
  public static func oneOf(_ families: Family...) -> StaticKind { StaticKind(Set(families)) }

  /// One of these words, or null.
  public static func words(_ words: [String], orNull: Bool = false) -> StaticKind {
    StaticKind(orNull ? [.string, .null] : [.string], words: words)
  }

  /// A live thing of the host with the properties of that shape.
  public static func object(_ shape: String) -> StaticKind {
    StaticKind([.object], shape: shape)
  }

  /// A record with the properties of that shape.
  public static func record(_ shape: String) -> StaticKind {
    StaticKind([.record], shape: shape)
  }

  var isUnknown: Bool { families.count == Family.allCases.count }

  /// How messages name it: `a boolean`.
  var description: String {
    if let words, families.contains(.string) {
      return words.count == 1 ? "'\(words[0])'" : "one of " + words.joined(separator: ", ")
    }
    let names = Family.allCases.filter { families.contains($0) && $0 != .null }.map { family in
      family == .object ? shape ?? "object" : family.rawValue
    }
    guard let name = names.first, names.count == 1 else {
      return names.isEmpty ? "null" : names.joined(separator: " or ")
    }
    return ("aeiou".contains(name.first ?? "x") ? "an " : "a ") + name
  }

  init(of value: Value) {
    switch value {
    case .null: self.init([.null])
    case .string(let text): self.init([.string], words: [text])
    case .integer, .real: self.init([.number])
    case .boolean: self.init([.boolean])
    case .duration: self.init([.duration])
    case .size: self.init([.size])
    case .percent: self.init([.percent])
    case .list: self.init([.list])
    case .record: self.init([.record])
    case .object: self.init([.object])
    }
  }
}

extension StaticKind {
  /// Whether some value of this kind can equal some value of the other.
  func canEqual(_ other: StaticKind) -> Bool {
    families.contains { left in
      other.families.contains { right in Self.canEqual(left, self, right, other) }
    }
  }

  private static func canEqual(
    _ left: Family, _ leftKind: StaticKind, _ right: Family, _ rightKind: StaticKind
  ) -> Bool {
    if left == .string, right == .string {
      guard let first = leftKind.words, let second = rightKind.words else { return true }
      return first.contains { second.contains($0) }
    }
    if left == .string { return leftKind.canRead(as: right) }
    if right == .string { return rightKind.canRead(as: left) }
    if left == .object, right == .object {
      return leftKind.shape == nil || rightKind.shape == nil || leftKind.shape == rightKind.shape
    }
    return areComparable(left, right)
  }

  /// Whether one of the texts reads as a value of that family, next to which it counts as one.
  private func canRead(as family: Family) -> Bool {
    guard let words else { return family != .list && family != .record && family != .null }
    // The name of an operation is as good as the operation.
    if family == .object { return true }
    return words.contains { word in
      guard let value = LiteralReader.value(of: word) else { return false }
      return StaticKind(of: value).families.contains { Self.areComparable($0, family) }
    }
  }

  /// Whether some value of this kind has an order with some value of the other; null has with all.
  func canBeOrdered(with other: StaticKind) -> Bool {
    // What has not come yet is null, which has no order, but the value that comes may have.
    let (ours, theirs) = (families.subtracting([.null]), other.families.subtracting([.null]))
    if ours.isEmpty || theirs.isEmpty { return true }
    return ours.contains { left in
      theirs.contains { right in
        switch (left, right) {
        case (.string, .string): true
        case (.string, _): canRead(as: right)
        case (_, .string): other.canRead(as: left)
        case (.boolean, _), (.list, _), (.record, _), (.object, _): false
        default: Self.areComparable(left, right)
        }
      }
    }
  }

  /// Numbers compare with every amount, the others with their like.
  private static func areComparable(_ left: Family, _ right: Family) -> Bool {
    if left == right { return true }
    let amounts: Set<Family> = [.duration, .size, .percent]
    return (left == .number && amounts.contains(right))
      || (right == .number && amounts.contains(left))
  }
}
