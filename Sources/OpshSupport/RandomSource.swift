/// A small, fast generator of random numbers that gives the same numbers on every machine.
///
/// It is SplitMix64 (Steele, Lea and Flood, 2014): one addition and three multiplications a
/// number, and any 64 bits are a good seed.
public struct RandomSource: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  /// Starts a sequence.
  ///
  /// - Parameter seed: Any number; the same one gives the same sequence.
  public init(seed: UInt64) {
    state = seed
  }

  /// Starts one of many independent sequences of the same seed.
  public init(seed: UInt64, stream: UInt64) {
    var mixer = RandomSource(seed: seed)
    var other = RandomSource(seed: stream &* 0xD1B5_4A32_D192_ED03 ^ mixer.next())
    state = other.next()
  }

  /// Draws 64 bits.
  @inlinable
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Draws a number from 0 up to, but not including, a bound.
  @inlinable
  public mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Draws a number in a closed range.
  @inlinable
  public mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// Draws a number from 0 up to, but not including, 1.
  @inlinable
  public mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Decides whether something of a probability happens.
  @inlinable
  public mutating func chance(_ probability: Double) -> Bool {
    unit() < probability
  }

  /// Draws an element of an array that is not empty.
  @inlinable
  public mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
