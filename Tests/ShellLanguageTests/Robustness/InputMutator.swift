/// Makes new inputs of old ones, blind to what they reach.
struct InputMutator {
  private static let pieces: [[UInt8]] =
    (FuzzTests.pieces + [
      " ", "\n", "{ ", " }", "( ", " )", "\u{0}", "\u{FEFF}", "format(", "list(", "1000001",
      "let x = (", "${x}", "if (", ") { ", "try { ", "} catch e { ", "def f a b=2 {", "for x in ",
    ]).map { Array($0.utf8) } + [[0xFF], [0xC3], [0xE2, 0x80]]

  var generator: FuzzTests.Generator

  /// One to eight changes, with parts of another input among them.
  mutating func mutate(_ input: [UInt8], with other: [UInt8]) -> [UInt8] {
    var bytes = input
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let end = min(bytes.count, place + Int.random(in: 1...12, using: &generator))
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: bytes.removeSubrange(place..<end)
      case 1:
        bytes.insert(contentsOf: Self.pieces.randomElement(using: &generator) ?? [], at: place)
      case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 3 where !other.isEmpty:
        let start = Int.random(in: 0..<other.count, using: &generator)
        let length = Int.random(in: 1...40, using: &generator)
        bytes.insert(contentsOf: other[start..<min(other.count, start + length)], at: place)
      case 4 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 5 where place < bytes.count:
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      case 6:
        bytes.replaceSubrange(place..<end, with: Self.pieces.randomElement(using: &generator) ?? [])
      default: break
      }
      if bytes.count > 4_000 { bytes.removeLast(bytes.count - 4_000) }
    }
    return bytes
  }
}
