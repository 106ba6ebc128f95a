/// What can be known of a value before anything runs.
public struct StaticKind: Sendable, Hashable {
  /// Families of values.
  public struct Families: OptionSet, Sendable, Hashable {
    /// One bit for each family.
    public let rawValue: UInt16

    /// Creates families from their bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(bit: UInt16) { rawValue = 1 << bit }

    /// No value.
    public static let null = Families(bit: 0)
    /// Text.
    public static let string = Families(bit: 1)
    /// Whole numbers and those with a fraction.
    public static let number = Families(bit: 2)
    /// True or false.
    public static let boolean = Families(bit: 3)
    /// Lengths of time.
    public static let duration = Families(bit: 4)
    /// Numbers of bytes.
    public static let size = Families(bit: 5)
    /// Shares of a hundred.
    public static let percent = Families(bit: 6)
    /// Several values.
    public static let list = Families(bit: 7)
    /// Named values.
    public static let record = Families(bit: 8)
    /// A live thing of the host.
    public static let object = Families(bit: 9)

    fileprivate static let names = [
      "null", "string", "number", "boolean", "duration", "size", "percent", "list", "record",
      "object",
    ]

    static let all = Families(rawValue: 1 << UInt16(names.count) - 1)

    /// How many there are.
    var count: Int { rawValue.nonzeroBitCount }

    /// One by one.
    var members: [Families] {
      Self.names.indices.map { Families(bit: UInt16($0)) }.filter(contains)
    }

    fileprivate var name: String { Self.names[rawValue.trailingZeroBitCount] }

    fileprivate var isAmount: Bool { isSubset(of: [.duration, .size, .percent]) }
  }

  /// The families it can be of; all of them where nothing is known.
  public let families: Families
  /// The texts it can be, where it is a text and those are known.
  public let words: [String]?
  /// The name of its shape, where that is known: what properties it has.
  let shape: String?

  init(_ families: Families, words: [String]? = nil, shape: String? = nil) {
    self.families = families
    self.words = words
    self.shape = shape
  }

  /// Nothing is known.
  public static let unknown = StaticKind(.all)

  /// One of several families.
  public static func oneOf(_ families: Families...) -> StaticKind {
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

  var isUnknown: Bool { families == .all }

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
    _ left: Families, _ leftKind: StaticKind, _ right: Families, _ rightKind: StaticKind
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
  private func canRead(as family: Families) -> Bool {
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
  private static func areComparable(_ left: Families, _ right: Families) -> Bool {
    if left == right { return true }
    return (left == .number && right.isAmount) || (right == .number && left.isAmount)
  }
}
