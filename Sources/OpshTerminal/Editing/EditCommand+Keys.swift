extension EditCommand {
  /// A key, as the codes that libedit gets for it, and its function.
  typealias Binding = (codes: [Int32], command: EditCommand)

  /// Special keys and pastes are passed to libedit as C1 control characters, which can be bound
  /// like any key and which no keyboard sends (``ClusterTable`` replaces those in a text).
  private static let specialBase: Int32 = 0x80
  static let pasteCode: Int32 = 0x9E

  static func code(of key: SpecialKey) -> Int32 {
    specialBase + Int32(key.rawValue)
  }

  /// The key of a code.
  static func special(_ code: Int32) -> SpecialKey? {
    UInt8(exactly: code - specialBase).flatMap(SpecialKey.init)
  }

  /// The function of a special key, in every map.
  private static func command(of key: SpecialKey) -> EditCommand {
    switch key {
    case .up: .up
    case .down: .down
    case .left: .left
    case .right: .right
    case .home: .home
    case .end: .end
    case .delete: .deleteForward
    case .wordLeft: .wordLeft
    case .wordRight: .wordRight
    case .older: .older
    case .newer: .newer
    case .deleteWord: .killWordRight
    case .backTab: .complete
    }
  }

  /// The keys of every map.
  private static let everywhere: [Binding] =
    SpecialKey.allCases.map { ([code(of: $0)], command(of: $0)) }
    + [
      ([pasteCode], .insertPaste), (keys("\n"), .accept), (keys("\r"), .accept),
      (keys("\u{0C}"), .clearScreen), (keys("\u{12}"), .searchBackward),
      (keys("\u{13}"), .searchForward), (keys("\u{10}"), .older), (keys("\u{0E}"), .newer),
      (keys("\u{17}"), .killWordLeft), (keys("\u{15}"), .killToStart),
    ]

  /// The keys of the map in which letters are inserted.
  private static let inserting: [Binding] = [
    (keys("\t"), .complete), (keys("\u{04}"), .endOrDelete), (keys(" "), .magicSpace),
  ]

  private static let emacs: [Binding] =
    [
      (keys("\u{00}"), .setMark), (keys("\u{01}"), .home), (keys("\u{02}"), .left),
      (keys("\u{05}"), .end), (keys("\u{06}"), .right), (keys("\u{0B}"), .killToEnd),
      (keys("\u{14}"), .transposeCharacters), (keys("\u{18}\u{05}"), .editExternally),
      (keys("\u{18}\u{15}"), .undo), (keys("\u{18}\u{18}"), .exchangeMark),
      (keys("\u{19}"), .yank), (keys("\u{1D}"), .findForward), (keys("\u{1F}"), .undo),
    ]
    + alt.map { (keys("\u{1B}" + $0.0), $0.1) }

  /// The keys of emacs mode that are pressed with Alt.
  private static let alt: [(String, EditCommand)] = [
    ("\n", .insertNewline), ("\r", .insertNewline), ("b", .wordLeft), ("f", .wordRight),
    ("B", .wordLeft), ("F", .wordRight), ("d", .killWordRight), ("D", .killWordRight),
    ("\u{08}", .killWordLeft), ("\u{7F}", .killWordLeft), ("y", .yankPop), ("w", .copyRegion),
    ("/", .redo), ("r", .revert), ("t", .transposeWords), ("u", .uppercase), ("l", .lowercase),
    ("c", .capitalize), ("U", .uppercase), ("L", .lowercase), ("C", .capitalize), ("#", .comment),
    ("\\", .deleteBlanks), ("\u{1D}", .findBackward), (".", .lastArgument), ("_", .lastArgument),
    ("<", .oldest), (">", .newest), ("p", .olderMatch), ("n", .newerMatch), ("e", .editExternally),
    ("\u{0C}", .clearScreen),
  ]

  /// The keys of vi's insert mode: Escape begins none, because it leaves the mode at once.
  private static let viInsert: [Binding] = [
    (keys("\u{14}"), .transposeCharacters), (keys("\u{19}"), .yank), (keys("\u{1F}"), .undo),
  ]

  /// The keys of vi's command mode.
  private static let viCommand: [Binding] = [
    (keys("j"), .rowDown), (keys("k"), .rowUp), (keys("+"), .newer), (keys("-"), .older),
    (keys("J"), .newerMatch), (keys("K"), .olderMatch), (keys("G"), .newest),
    (keys("/"), .searchBackward), (keys("?"), .searchForward), (keys("n"), .searchOlder),
    (keys("N"), .searchNewer), (keys("u"), .undo), (keys("U"), .revert), (keys("\u{12}"), .redo),
    (keys("v"), .editExternally), (keys("#"), .comment), (keys("_"), .lastArgument),
    (keys("\u{04}"), .endOrDelete),
  ]

  /// The keys of a mode's first map.
  static func bindings(of keyMap: LineEditor.KeyMap) -> [Binding] {
    everywhere + inserting + (keyMap == .emacs ? emacs : viInsert)
  }

  /// The keys of vi's command mode, which is libedit's alternative map.
  static let alternativeBindings: [Binding] = everywhere + viCommand

  /// Keys and a name of libedit's own command line, whose prompt would be drawn on an invisible
  /// screen.
  static let unavailableInEmacs: [[Int32]] = [keys("\u{1B}x"), keys("\u{1B}X")]
  static let unavailableInViCommand: [[Int32]] = [keys(":")]
  static let unavailableName = "ed-command"

  static func keys(_ text: String) -> [Int32] { text.unicodeScalars.map { Int32($0.value) } }
}
