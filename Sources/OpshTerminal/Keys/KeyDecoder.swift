/// Decodes the bytes of a terminal into keys.
///
/// Sequences are decoded here and not by libedit, because libedit inserts the rest of unknown ones
/// (a function key leaves `5~` in the line), and because a paste must reach the line in one piece.
/// There is no timer: an escape waits for the bytes after it.
struct KeyDecoder: Sendable {
  /// The maximum size of a paste; the rest is dropped.
  static let greatestPaste = 4 << 20

  private enum State: Sendable {
    case ground
    case character(needed: Int)
    case escape
    case application
    case sequence
    case consoleFunctionKey
    case paste
    /// A reply of the terminal that ends with BEL or `ESC \`; the introducer, and whether the last
    /// byte was an escape.
    case reply(introducer: UInt8, isAtEscape: Bool)
  }

  private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

  private var state = State.ground
  private var bytes: [UInt8] = []
  private var matchedEnd = 0

  /// The number of bytes that may be read at once without taking any that belong to the next
  /// reader.
  ///
  /// Bytes after Enter may be input for a program that the line starts: so one byte at a time,
  /// except inside a paste, up to the length of its end mark.
  var greatestRead: Int {
    if case .paste = state { return Self.pasteEnd.count - matchedEnd }
    return 1
  }

  /// Whether the bytes so far are an incomplete key.
  var isInsideKey: Bool {
    if case .ground = state { return false }
    return true
  }

  /// Whether the only byte of an incomplete key is an escape.
  var isAtEscape: Bool {
    if case .escape = state { return true }
    return false
  }

  /// Discards an incomplete key.
  mutating func reset() {
    state = .ground
    bytes = []
    matchedEnd = 0
  }

  /// Decodes a byte and appends the keys it completes.
  mutating func feed(_ byte: UInt8, into keys: inout [Key]) {
    switch state {
    case .ground: ground(byte, &keys)
    case .character(let needed): character(byte, needed: needed, &keys)
    case .escape: escape(byte, &keys)
    case .application:
      state = .ground
      if let key = Self.applicationKey(byte) { keys.append(key) }
    case .sequence: sequence(byte, &keys)
    case .consoleFunctionKey: state = .ground
    case .paste: paste(byte, &keys)
    case .reply(let introducer, let isAtEscape):
      reply(byte, introducer: introducer, isAtEscape: isAtEscape, &keys)
    }
  }

  private mutating func ground(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case 0x1B: state = .escape
    case 0x00...0x7F: keys.append(.scalar(Unicode.Scalar(byte)))
    case 0xC2...0xDF: begin(byte, needed: 1)
    case 0xE0...0xEF: begin(byte, needed: 2)
    case 0xF0...0xF4: begin(byte, needed: 3)
    default: keys.append(.scalar("\u{FFFD}"))
    }
  }

  private mutating func begin(_ byte: UInt8, needed: Int) {
    bytes = [byte]
    state = .character(needed: needed)
  }

  private mutating func character(_ byte: UInt8, needed: Int, _ keys: inout [Key]) {
    guard Self.continues(bytes, byte) else {
      // As Unicode recommends: one replacement for what was well-formed so far.
      state = .ground
      keys.append(.scalar("\u{FFFD}"))
      ground(byte, &keys)
      return
    }
    bytes.append(byte)
    guard needed == 1 else {
      state = .character(needed: needed - 1)
      return
    }
    state = .ground
    let text = String(decoding: bytes, as: UTF8.self)
    keys += text.unicodeScalars.map { .scalar($0) }
  }

  private static func continues(_ bytes: [UInt8], _ byte: UInt8) -> Bool {
    guard bytes.count == 1 else { return (0x80...0xBF).contains(byte) }
    switch bytes[0] {
    case 0xE0: return (0xA0...0xBF).contains(byte)
    case 0xED: return (0x80...0x9F).contains(byte)
    case 0xF0: return (0x90...0xBF).contains(byte)
    case 0xF4: return (0x80...0x8F).contains(byte)
    default: return (0x80...0xBF).contains(byte)
    }
  }

  private mutating func escape(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "["):
      bytes = []
      state = .sequence
    case UInt8(ascii: "O"): state = .application
    case UInt8(ascii: "]"), UInt8(ascii: "P"):
      bytes = []
      state = .reply(introducer: byte, isAtEscape: false)
    case 0x1B: keys.append(.escape)
    default:
      state = .ground
      keys.append(.escape)
      ground(byte, &keys)
    }
  }

  /// Drops a reply to a question of a program that has ended, such as for a colour, which would
  /// otherwise be typed into the line.
  ///
  /// Replies begin with a digit or a sign, which tells them from Alt and a letter; a control
  /// character such as Enter ends what was none.
  private mutating func reply(
    _ byte: UInt8, introducer: UInt8, isAtEscape: Bool, _ keys: inout [Key]
  ) {
    if isAtEscape {
      state = byte == UInt8(ascii: "\\") ? .ground : .escape
      if case .escape = state { escape(byte, &keys) }
      return
    }
    if bytes.isEmpty {
      let first: ClosedRange<UInt8> = introducer == UInt8(ascii: "P") ? 0x21...0x3F : 0x30...0x39
      guard first.contains(byte) else {
        keys += [.escape, .scalar(Unicode.Scalar(introducer))]
        state = .ground
        feed(byte, into: &keys)
        return
      }
      bytes = [byte]
    }
    switch byte {
    case 0x07: state = .ground
    case 0x1B: state = .reply(introducer: introducer, isAtEscape: true)
    case 0x00..<0x20:
      state = .ground
      ground(byte, &keys)
    default: break
    }
  }

  private static func applicationKey(_ byte: UInt8) -> Key? {
    switch byte {
    case UInt8(ascii: "M"): .scalar("\n")
    default: cursorKey(byte, modifier: nil)
    }
  }

  private mutating func sequence(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "[") where bytes.isEmpty: state = .consoleFunctionKey
    case 0x20...0x3F:
      // Longer than any key's sequence: it is dropped up to its end.
      if bytes.count < 32 { bytes.append(byte) }
    case 0x40...0x7E:
      state = .ground
      finishSequence(byte, &keys)
    case 0x1B: state = .escape
    default:
      state = .ground
      ground(byte, &keys)
    }
  }

  private mutating func finishSequence(_ final: UInt8, _ keys: inout [Key]) {
    let parameters = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) }
    let modifier = parameters.count > 1 ? parameters[1] : nil
    guard final == UInt8(ascii: "~") else {
      if let key = Self.cursorKey(final, modifier: modifier) { keys.append(key) }
      return
    }
    switch parameters.first ?? nil {
    case 1, 7: keys.append(.special(.home))
    case 4, 8: keys.append(.special(.end))
    case 3: keys.append(.special(modifier.map { $0 > 2 } ?? false ? .deleteWord : .delete))
    case 5: keys.append(.special(.older))
    case 6: keys.append(.special(.newer))
    case 200:
      bytes = []
      matchedEnd = 0
      state = .paste
    default: break
    }
  }

  private static func cursorKey(_ final: UInt8, modifier: Int?) -> Key? {
    // 1 and the sum of 1 for Shift, 2 for Alt, 4 for Control.
    let jumps = modifier.map { $0 > 2 } ?? false
    switch final {
    case UInt8(ascii: "A"): return .special(.up)
    case UInt8(ascii: "B"): return .special(.down)
    case UInt8(ascii: "C"): return .special(jumps ? .wordRight : .right)
    case UInt8(ascii: "D"): return .special(jumps ? .wordLeft : .left)
    case UInt8(ascii: "H"): return .special(.home)
    case UInt8(ascii: "F"): return .special(.end)
    case UInt8(ascii: "Z"): return .special(.backTab)
    default: return nil
    }
  }

  private mutating func paste(_ byte: UInt8, _ keys: inout [Key]) {
    if byte == Self.pasteEnd[matchedEnd] {
      matchedEnd += 1
      guard matchedEnd == Self.pasteEnd.count else { return }
      keys.append(.paste(Self.pastedText(bytes)))
      reset()
      return
    }
    // The mark's first byte occurs nowhere else in it, so a mismatch starts over.
    keep(Self.pasteEnd[..<matchedEnd])
    matchedEnd = byte == Self.pasteEnd[0] ? 1 : 0
    if matchedEnd == 0 { keep([byte]) }
  }

  private mutating func keep(_ more: some Collection<UInt8>) {
    if bytes.count + more.count <= Self.greatestPaste { bytes += more }
  }

  /// Terminals send a newline as a carriage return, which the line discipline turns into a
  /// newline and the reverse: every form of a line's end becomes one newline.
  private static func pastedText(_ bytes: [UInt8]) -> String {
    var normalized: [UInt8] = []
    normalized.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let next = index + 1 < bytes.count ? bytes[index + 1] : nil
      if byte == 0x0A || byte == 0x0D {
        normalized.append(0x0A)
        if let next, next != byte, next == 0x0A || next == 0x0D { index += 1 }
      } else {
        normalized.append(byte)
      }
      index += 1
    }
    return String(decoding: normalized, as: UTF8.self)
  }
}
