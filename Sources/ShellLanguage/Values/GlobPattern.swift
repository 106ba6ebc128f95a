/// A pattern in which `*` stands for any text and `?` for any one character.
public struct GlobPattern: Sendable {
  private enum Sign: Hashable {
    case anyText
    case anyCharacter
    case letter(Character)
  }

  private var signs: [Sign]

  /// Creates a pattern.
  public init(_ pattern: String) {
    signs = pattern.map { letter in
      switch letter {
      case "*": .anyText
      case "?": .anyCharacter
      default: .letter(letter)
      }
    }
  }

  /// Adds another pattern at the end.
  mutating func append(_ pattern: GlobPattern) { signs += pattern.signs }

  /// Adds a text at the end, in which no sign stands for anything else.
  mutating func append(literal text: String) { signs += text.map { .letter($0) } }

  /// Whether the text has a wildcard in it.
  public static func isPattern(_ text: String) -> Bool {
    text.utf8.contains { $0 == 0x2A || $0 == 0x3F }
  }

  /// Returns whether some number after a text makes it fit the pattern.
  func matchesNumber(after text: String) -> Bool {
    // Every way to read the signs up to a letter of the text, and then up to a digit.
    var places = skippingStars([0])
    for letter in text { places = advance(places) { $0 == .letter(letter) } }
    func advanceDigit(_ places: Set<Int>) -> Set<Int> {
      advance(places) { sign in
        if case .letter(let letter) = sign { letter.isASCII && letter.isNumber } else { false }
      }
    }
    for _ in 0...signs.count {
      places = advanceDigit(places)
      if places.contains(signs.count) { return true }
    }
    return false
  }

  /// The places in the pattern after one more character, of which `fits` says which letters are it.
  private func advance(_ places: Set<Int>, _ fits: (Sign) -> Bool) -> Set<Int> {
    var next: Set<Int> = []
    for place in places where place < signs.count {
      switch signs[place] {
      case .anyText: next.insert(place)
      case .anyCharacter: next.insert(place + 1)
      case .letter: if fits(signs[place]) { next.insert(place + 1) }
      }
    }
    return skippingStars(next)
  }

  /// The places, and those behind `*`, which may stand for nothing.
  private func skippingStars(_ places: Set<Int>) -> Set<Int> {
    var all = places
    for start in places {
      var place = start
      while place < signs.count, signs[place] == .anyText {
        place += 1
        all.insert(place)
      }
    }
    return all
  }

  /// Returns whether the whole text fits the pattern.
  ///
  /// It remembers only the last `*`, which is enough, and keeps hostile patterns from taking
  /// exponential time.
  public func matches(_ text: String) -> Bool {
    let letters = Array(text)
    var position = 0
    var index = 0
    var star: (index: Int, position: Int)?
    while position < letters.count {
      if index < signs.count, signs[index] == .anyText {
        star = (index, position)
        index += 1
      } else if index < signs.count,
        signs[index] == .anyCharacter || signs[index] == .letter(letters[position])
      {
        index += 1
        position += 1
      } else if let last = star {
        index = last.index + 1
        position = last.position + 1
        star = (last.index, position)
      } else {
        return false
      }
    }
    return signs[index...].allSatisfy { $0 == .anyText }
  }
}
