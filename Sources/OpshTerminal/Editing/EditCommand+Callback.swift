import COpshLibEdit

extension EditCommand {
  /// The C function of the command.
  ///
  /// libedit tells a function neither its name nor its number: each command has one of its own.
  var callback: opsh_command {
    switch self {
    case .accept: { editor, _ in runCommand(editor, .accept) }
    case .insertNewline: { editor, _ in runCommand(editor, .insertNewline) }
    case .complete: { editor, _ in runCommand(editor, .complete) }
    case .endOrDelete: { editor, _ in runCommand(editor, .endOrDelete) }
    case .clearScreen: { editor, _ in runCommand(editor, .clearScreen) }
    case .insertPaste: { editor, _ in runCommand(editor, .insertPaste) }
    case .magicSpace: { editor, _ in runCommand(editor, .magicSpace) }
    case .up: { editor, _ in runCommand(editor, .up) }
    case .down: { editor, _ in runCommand(editor, .down) }
    case .rowUp: { editor, _ in runCommand(editor, .rowUp) }
    case .rowDown: { editor, _ in runCommand(editor, .rowDown) }
    case .left: { editor, _ in runCommand(editor, .left) }
    case .right: { editor, _ in runCommand(editor, .right) }
    case .wordLeft: { editor, _ in runCommand(editor, .wordLeft) }
    case .wordRight: { editor, _ in runCommand(editor, .wordRight) }
    case .home: { editor, _ in runCommand(editor, .home) }
    case .end: { editor, _ in runCommand(editor, .end) }
    case .findForward: { editor, _ in runCommand(editor, .findForward) }
    case .findBackward: { editor, _ in runCommand(editor, .findBackward) }
    case .deleteForward: { editor, _ in runCommand(editor, .deleteForward) }
    case .deleteBlanks: { editor, _ in runCommand(editor, .deleteBlanks) }
    case .killWordLeft: { editor, _ in runCommand(editor, .killWordLeft) }
    case .killWordRight: { editor, _ in runCommand(editor, .killWordRight) }
    case .killToEnd: { editor, _ in runCommand(editor, .killToEnd) }
    case .killToStart: { editor, _ in runCommand(editor, .killToStart) }
    case .killRow: { editor, _ in runCommand(editor, .killRow) }
    case .killRegion: { editor, _ in runCommand(editor, .killRegion) }
    case .copyRegion: { editor, _ in runCommand(editor, .copyRegion) }
    case .setMark: { editor, _ in runCommand(editor, .setMark) }
    case .exchangeMark: { editor, _ in runCommand(editor, .exchangeMark) }
    case .yank: { editor, _ in runCommand(editor, .yank) }
    case .yankPop: { editor, _ in runCommand(editor, .yankPop) }
    case .undo: { editor, _ in runCommand(editor, .undo) }
    case .redo: { editor, _ in runCommand(editor, .redo) }
    case .revert: { editor, _ in runCommand(editor, .revert) }
    case .transposeCharacters: { editor, _ in runCommand(editor, .transposeCharacters) }
    case .transposeWords: { editor, _ in runCommand(editor, .transposeWords) }
    case .uppercase: { editor, _ in runCommand(editor, .uppercase) }
    case .lowercase: { editor, _ in runCommand(editor, .lowercase) }
    case .capitalize: { editor, _ in runCommand(editor, .capitalize) }
    case .comment: { editor, _ in runCommand(editor, .comment) }
    case .editExternally: { editor, _ in runCommand(editor, .editExternally) }
    case .older: { editor, _ in runCommand(editor, .older) }
    case .newer: { editor, _ in runCommand(editor, .newer) }
    case .olderMatch: { editor, _ in runCommand(editor, .olderMatch) }
    case .newerMatch: { editor, _ in runCommand(editor, .newerMatch) }
    case .oldest: { editor, _ in runCommand(editor, .oldest) }
    case .newest: { editor, _ in runCommand(editor, .newest) }
    case .lastArgument: { editor, _ in runCommand(editor, .lastArgument) }
    case .searchBackward: { editor, _ in runCommand(editor, .searchBackward) }
    case .searchForward: { editor, _ in runCommand(editor, .searchForward) }
    case .searchOlder: { editor, _ in runCommand(editor, .searchOlder) }
    case .searchNewer: { editor, _ in runCommand(editor, .searchNewer) }
    }
  }
}
