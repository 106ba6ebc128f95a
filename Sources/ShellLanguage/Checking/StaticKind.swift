/// What can be known of a value before anything runs.
public struct StaticKind: Sendable, Hashable {
  /// The families of values that are distinguished here.
  public enum Family: UInt16, Sendable, Hashable, CaseIterable {
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

    fileprivate var bit: UInt16 { 1 << rawValue }

    fileprivate var name: String { "\(self)" }

    fileprivate var isAmount: Bool { self == .duration || self == .size || self == .percent }
  }

  /// Several families.
  ///
  /// Kinds are made for every variable and every operand, and a real set would need memory for each.
  struct Families: OptionSet, Hashable {
    let rawValue: UInt16

    static let null = Families([.null])
    static let string = Families([.string])
    static let number = Families([.number])
    static let boolean = Families([.boolean])
    static let duration = Families([.duration])
    static let size = Families([.size])
    static let percent = Families([.percent])
    static let list = Families([.list])
    static let record = Families([.record])
    static let object = Families([.object])

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ families: [Family]) { rawValue = families.reduce(0) { $0 | $1.bit } }

    /// How many there are.
    var count: Int { rawValue.nonzeroBitCount }

    /// One by one.
    var members: [Family] { Family.allCases.filter { rawValue & $0.bit != 0 } }
  }

  /// The families it can be of; all of them where nothing is known.
  let families: Families
  /// The texts it can be, where it is a text and those are known.
  let words: [String]?
  /// The name of its shape, where that is known: what properties it has.
  let shape: String?

  init(_ families: Families, words: [String]? = nil, shape: String? = nil) {
    self.families = families
    self.words = words
    self.shape = shape
  }

  /// Nothing is known.
  public static let unknown = StaticKind(Families(Family.allCases))

  /// One of several families.
  public static func oneOf(_ families: Family...) -> StaticKind {
    StaticKind(Families(families))
  }

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
    let names = families.subtracting(.null).members.map { family in
      family == .object ? shape ?? "object" : family.name
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
    case .spelled(let number, _): self.init(of: number)
    case .list: self.init([.list])
    case .record: self.init([.record])
    case .object: self.init([.object])
    }
  }
}

extension StaticKind {
  /// Whether some value of this kind can equal some value of the other.
  func canEqual(_ other: StaticKind) -> Bool {
    families.members.contains { left in
      other.families.members.contains { right in Self.canEqual(left, self, right, other) }
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
      return StaticKind(of: value).families.members.contains { Self.areComparable($0, family) }
    }
  }

  /// Whether some value of this kind has an order with some value of the other; null has with all.
  func canBeOrdered(with other: StaticKind) -> Bool {
    // What has not come yet is null, which has no order, but the value that comes may have.
    let (ours, theirs) = (families.subtracting(.null), other.families.subtracting(.null))
    if ours.isEmpty || theirs.isEmpty { return true }
    return ours.members.contains { left in
      theirs.members.contains { right in
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
    return (left == .number && right.isAmount) || (right == .number && left.isAmount)
  }
}
