/// The keys that the line editor handles itself; all others are libedit's.
enum EditCommand: Equatable {
  case accept
  case complete
  case endOrDelete
  case clearScreen
  case searchBackward
  case searchForward
  case older
  case newer
  case up
  case down
  case left
  case right
  case wordLeft
  case wordRight
  case home
  case end
  case deleteForward
  case insertPaste
  case unavailable

  /// The command of a key's code.
  init(code: Int32) {
    switch code {
    case 0x0A, 0x0D: self = .accept
    case 0x09: self = .complete
    case 0x04: self = .endOrDelete
    case 0x0C: self = .clearScreen
    case 0x12: self = .searchBackward
    case 0x13: self = .searchForward
    case 0x10: self = .older
    case 0x0E: self = .newer
    case 0x01: self = .home
    case 0x05: self = .end
    case Self.pasteCode: self = .insertPaste
    default: self = Self.special(code) ?? .unavailable
    }
  }

  /// Special keys and pastes are passed to libedit as C1 control characters, which can be bound
  /// like any key and which no keyboard sends (``ClusterTable`` replaces those in a text).
  private static let specialBase: Int32 = 0x80
  static let pasteCode: Int32 = 0x9E

  static func code(of key: SpecialKey) -> Int32 {
    specialBase + Int32(key.rawValue)
  }

  private static func special(_ code: Int32) -> EditCommand? {
    guard let raw = UInt8(exactly: code - specialBase), let key = SpecialKey(rawValue: raw) else {
      return nil
    }
    switch key {
    case .up: return .up
    case .down: return .down
    case .left: return .left
    case .right: return .right
    case .home: return .home
    case .end: return .end
    case .delete: return .deleteForward
    case .wordLeft: return .wordLeft
    case .wordRight: return .wordRight
    case .older: return .older
    case .newer: return .newer
    case .backTab: return .complete
    }
  }

  /// The codes bound to the editor's own command.
  static let boundCodes: [Int32] =
    [0x0A, 0x0D, 0x09, 0x04, 0x0C, 0x12, 0x13, 0x10, 0x0E, 0x01, 0x05, pasteCode]
    + SpecialKey.allCases.map { code(of: $0) }

  /// Sequences bound to it: Alt-Enter, and libedit's own command line, whose prompts would be drawn
  /// on an invisible screen.
  static let boundSequences: [String] = ["\\e\\n", "\\e\\r", "\\ex", "\\eX"]

  /// Keys with an unexpected meaning in libedit: Ctrl-W would delete up to a mark.
  static let libeditBindings: [(key: Int32, command: String)] = [
    (0x17, "ed-delete-prev-word")
  ]
}
