/// A key that a program in the full screen receives.
public enum TerminalKey: Sendable, Equatable {
  /// A character.
  case character(Character)
  case up, down, left, right
  case pageUp, pageDown, home, end
  case tab, enter, escape, backspace
  /// Ctrl-C as a byte, from a terminal that makes no signal of it.
  case interrupt
  /// Another control character, or a key without a meaning here.
  case other
  /// Text that was pasted.
  case paste(String)
}

/// Decodes the bytes of a terminal into the keys of a full screen.
///
/// Unlike the line editor it must know a lone Escape from the beginning of a sequence: the caller
/// says when no byte has followed for a moment.
public struct TerminalKeyReader: Sendable {
  /// How long the rest of a sequence may take.
  public static let patience: Duration = .milliseconds(50)

  private var decoder = KeyDecoder()

  /// Creates a reader without pending bytes.
  public init() {}

  /// Whether the bytes so far are the beginning of a key.
  public var isInsideKey: Bool { decoder.isInsideKey }

  /// Decodes bytes.
  ///
  /// - Parameter bytes: What was read, in pieces of any size.
  /// - Returns: The keys that are complete.
  public mutating func feed(_ bytes: some Sequence<UInt8>) -> [TerminalKey] {
    var keys: [Key] = []
    for byte in bytes { decoder.feed(byte, into: &keys) }
    return keys.map(Self.key)
  }

  /// Ends an incomplete key after ``patience``.
  ///
  /// - Returns: Escape, if that is all there was; an incomplete sequence is dropped.
  public mutating func endKey() -> [TerminalKey] {
    defer { decoder.reset() }
    return decoder.isAtEscape ? [.escape] : []
  }

  private static func key(_ key: Key) -> TerminalKey {
    switch key {
    case .escape: .escape
    case .paste(let text): .paste(text)
    case .special(let special): Self.key(special)
    case .scalar(let scalar): Self.key(scalar)
    }
  }

  private static func key(_ special: SpecialKey) -> TerminalKey {
    switch special {
    case .up: .up
    case .down: .down
    case .left, .wordLeft: .left
    case .right, .wordRight: .right
    case .home: .home
    case .end: .end
    case .older: .pageUp
    case .newer: .pageDown
    case .delete, .deleteWord, .backTab: .other
    }
  }

  private static func key(_ scalar: Unicode.Scalar) -> TerminalKey {
    switch scalar.value {
    case 0x03: .interrupt
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x00...0x1F, 0x80...0x9F, 0xFFFD: .other
    default: .character(Character(scalar))
    }
  }
}
