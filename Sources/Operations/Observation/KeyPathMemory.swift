import Synchronization

/// Remembers which property a key path object names: comparing it with every key path there is
/// takes longer than all the rest of an observation.
///
/// A place in the source that writes a key path makes one object for all its runs. An entry is
/// written once and never changed, and it keeps its object alive, so that no other can ever have
/// that address: a look needs no lock. An object whose places are taken by others is not
/// remembered, so that a program which makes key paths as it goes fills this memory and no more.
struct KeyPathMemory: ~Copyable {
  /// In the lowest bits of an entry stands the property, or this for one that cannot be observed.
  private static let none: UInt64 = 0xf
  private static let keyBits: UInt64 = 0xf

  /// Addresses of key paths with their properties in the lowest bits; 0 where nothing is.
  private let entries = InlineArray<128, Atomic<UInt64>> { _ in Atomic(0) }

  /// Returns the property that a key path names.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - find: Finds the property by comparing.
  /// - Returns: The property, or nil for one that cannot be observed.
  func key(of keyPath: AnyKeyPath, orFind find: (AnyKeyPath) -> ObservedKey?) -> ObservedKey? {
    let address = UInt64(UInt(bitPattern: ObjectIdentifier(keyPath)))
    let places = Self.places(of: address)
    for place in [places.0, places.1] {
      let entry = entries[place].load(ordering: .acquiring)
      if entry & ~Self.keyBits == address { return Self.key(in: entry) }
    }
    let key = find(keyPath)
    // Objects lie at multiples of 16; should one not, there is no room for the property.
    guard address & Self.keyBits == 0 else { return key }
    let entry = address | (key.map { UInt64($0.rawValue) } ?? Self.none)
    for place in [places.0, places.1] {
      let (isWritten, present) = entries[place].compareExchange(
        expected: 0, desired: entry, ordering: .acquiringAndReleasing)
      if isWritten { _ = Unmanaged.passRetained(keyPath) }
      if isWritten || present == entry { break }
    }
    return key
  }

  private static func key(in entry: UInt64) -> ObservedKey? {
    ObservedKey(rawValue: UInt8(entry & keyBits))
  }

  /// Where an object may be entered.
  private static func places(of address: UInt64) -> (Int, Int) {
    // Multiplied by the golden ratio, addresses that lie close together are far apart.
    let first = Int((address &* 0x9e37_79b9_7f4a_7c15) >> 57)
    return (first, first ^ 1)
  }
}
