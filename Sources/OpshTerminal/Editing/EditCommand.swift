/// The functions of the editor that keys are bound to; all others are libedit's.
///
/// The raw values are the names that `bind` knows: libedit's own name where the function replaces one
/// of libedit's, which knows neither clusters, nor rows, nor the shell's history.
enum EditCommand: String, CaseIterable {
  case accept = "ed-newline"
  case insertNewline = "ed-insert-newline"
  case complete = "ed-complete"
  case endOrDelete = "em-delete-or-list"
  case clearScreen = "ed-clear-screen"
  case insertPaste = "ed-paste"
  case magicSpace = "ed-magic-space"

  case up = "ed-prev-line"
  case down = "ed-next-line"
  case rowUp = "vi-prev-line"
  case rowDown = "vi-next-line"
  case left = "ed-prev-char"
  case right = "ed-next-char"
  case wordLeft = "ed-prev-word"
  case wordRight = "em-next-word"
  case home = "ed-move-to-beg"
  case end = "ed-move-to-end"
  case findForward = "ed-find-next-char"
  case findBackward = "ed-find-prev-char"

  case deleteForward = "ed-delete-next-char"
  case deleteBlanks = "ed-delete-blanks"
  case killWordLeft = "ed-delete-prev-word"
  case killWordRight = "em-delete-next-word"
  case killToEnd = "ed-kill-line"
  case killToStart = "vi-kill-line-prev"
  case killRow = "em-kill-line"
  case killRegion = "em-kill-region"
  case copyRegion = "em-copy-region"
  case setMark = "em-set-mark"
  case exchangeMark = "em-exchange-mark"
  case yank = "em-yank"
  case yankPop = "em-yank-pop"

  case undo = "ed-undo"
  case redo = "ed-redo"
  case revert = "ed-revert-line"

  case transposeCharacters = "ed-transpose-chars"
  case transposeWords = "ed-transpose-words"
  case uppercase = "em-upper-case"
  case lowercase = "em-lower-case"
  case capitalize = "em-capitol-case"
  case comment = "vi-comment-out"
  case editExternally = "vi-histedit"

  case older = "ed-prev-history"
  case newer = "ed-next-history"
  case olderMatch = "ed-search-prev-history"
  case newerMatch = "ed-search-next-history"
  case oldest = "ed-first-history"
  case newest = "ed-last-history"
  case lastArgument = "ed-last-argument"
  case searchBackward = "em-inc-search-prev"
  case searchForward = "em-inc-search-next"
  case searchOlder = "vi-repeat-search-next"
  case searchNewer = "vi-repeat-search-prev"

  /// Names of libedit for functions that are here under another name.
  private static let otherNames: [String: EditCommand] = [
    "vi-list-or-eof": .endOrDelete, "ed-end-of-file": .endOrDelete, "vi-undo": .undo,
    "vi-undo-line": .revert, "vi-search-prev": .searchBackward, "vi-search-next": .searchForward,
    "vi-history-word": .lastArgument, "vi-to-history-line": .newest,
  ]

  /// Finds the function with a name; nil if it is libedit's, or none.
  init?(name: String) {
    guard let command = EditCommand(rawValue: name) ?? Self.otherNames[name] else { return nil }
    self = command
  }

  /// The name under which libedit knows the function, beside its own function of the same name.
  var internalName: String { Self.internalPrefix + rawValue }
  static let internalPrefix = "opsh "

  /// Whether it puts text on the kill ring, so that the next such function adds to the same text.
  var kills: Bool {
    switch self {
    case .killWordLeft, .killWordRight, .killToEnd, .killToStart, .killRow, .killRegion: true
    default: false
    }
  }

  /// A line about it, for a list.
  var summary: String {
    switch self {
    case .accept: "Runs the line; in an unclosed block starts a new line"
    case .insertNewline: "Starts a new line"
    case .complete: "Completes the word at the cursor"
    case .endOrDelete: "Leaves on an empty line, else deletes the character at the cursor"
    case .clearScreen: "Clears the screen"
    case .insertPaste: "Inserts what is pasted"
    case .magicSpace: "Replaces a word such as '!!' by a line of the history, and inserts a space"
    case .up: "Moves up a row, else to an older line that begins with what is typed"
    case .down: "Moves down a row, else to a newer line that begins with what was typed"
    case .rowUp: "Moves up a row, else to the older line of the history"
    case .rowDown: "Moves down a row, else to the newer line of the history"
    case .left: "Moves left by a character"
    case .right: "Moves right by a character"
    case .wordLeft: "Moves to the start of the word"
    case .wordRight: "Moves to the end of the word"
    case .home: "Moves to the start of the row"
    case .end: "Moves to the end of the row"
    case .findForward: "Moves to the next occurrence of the character typed next"
    case .findBackward: "Moves to the previous occurrence of the character typed next"
    case .deleteForward: "Deletes the character at the cursor"
    case .deleteBlanks: "Deletes the blanks around the cursor"
    case .killWordLeft: "Kills the text from the start of the word to the cursor"
    case .killWordRight: "Kills the text from the cursor to the end of the word"
    case .killToEnd: "Kills the text from the cursor to the end of the row"
    case .killToStart: "Kills the text from the start of the row to the cursor"
    case .killRow: "Kills the whole row"
    case .killRegion: "Kills the text between the mark and the cursor"
    case .copyRegion: "Copies the text between the mark and the cursor to the kill ring"
    case .setMark: "Sets the mark at the cursor"
    case .exchangeMark: "Exchanges the cursor and the mark"
    case .yank: "Inserts the text that was killed last"
    case .yankPop: "After a yank, replaces its text by the text that was killed before it"
    case .undo: "Undoes the last change"
    case .redo: "Makes the change again that was undone last"
    case .revert: "Undoes all changes of the line"
    case .transposeCharacters: "Exchanges the characters around the cursor"
    case .transposeWords: "Exchanges the word at the cursor and the one before it"
    case .uppercase: "Changes the text up to the end of the word to upper case"
    case .lowercase: "Changes the text up to the end of the word to lower case"
    case .capitalize: "Capitalizes the text up to the end of the word"
    case .comment: "Makes a comment of the line, and stores it in the history"
    case .editExternally: "Edits the line in $VISUAL or $EDITOR"
    case .older: "Shows the older line of the history"
    case .newer: "Shows the newer line of the history"
    case .olderMatch: "Shows the older line that begins with what is typed"
    case .newerMatch: "Shows the newer line that begins with what was typed"
    case .oldest: "Shows the oldest line of the history"
    case .newest: "Shows the line being typed"
    case .lastArgument: "Inserts the last word of the last line; again: of the line before it"
    case .searchBackward: "Searches the history backward"
    case .searchForward: "Searches the history forward"
    case .searchOlder: "Shows the next older line with the text that was searched for last"
    case .searchNewer: "Shows the next newer line with the text that was searched for last"
    }
  }
}
