import COpshLibEdit
import COpshSystem
import Foundation
import OpshSystemCalls

/// The action after a command bound to a key.
enum EditOutcome {
  /// Reading continues.
  case proceed
  /// Reading continues, and the terminal beeps.
  case beep
  /// Reading ends.
  case end
}

/// libedit as an editing engine: its key maps, its buffer and its commands.
///
/// libedit's drawing is discarded. It does not support grapheme clusters, cannot place a cursor in
/// a text longer than the screen, and does not know where other output has moved its line; so
/// ``Painter`` draws the buffer instead, and of libedit's output only a beep is forwarded.
///
/// All of libedit is confined to the thread that uses this object.
final class EditLine {
  let editor: OpaquePointer
  let stream: UnsafeMutablePointer<FILE>
  private weak var handler: LineEditor?
  private var isOpen = true

  /// The key map that is used.
  var keyMap = LineEditor.KeyMap.emacs
  /// What the user has bound, to be bound again in another mode.
  var userBindings: [[String]] = []
  /// What libedit prints, while it is asked to.
  var captured: [UInt8]?

  /// Initializes libedit for a terminal.
  init(handler: LineEditor, input: Int32, output: Int32) throws {
    // libedit selects its encoding at initialization.
    _ = CharacterEncoding.environmentIsUTF8
    self.handler = handler
    let beeper = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)
    beeper.initialize(to: nil)
    bell = beeper
    guard let stream = opsh_write_stream(beeper, discardingOutput) else {
      beeper.deallocate()
      throw SystemCallError.last("make a stream")
    }
    self.stream = stream
    guard let editor = el_init_fd("opsh", stream, stream, stream, input, output, output) else {
      fclose(stream)
      beeper.deallocate()
      throw SystemCallError.last("use the terminal")
    }
    self.editor = editor
    let client = Unmanaged.passUnretained(self).toOpaque()
    beeper.pointee = client
    opsh_el_set_client(editor, client)
    configure()
  }

  private let bell: UnsafeMutablePointer<UnsafeMutableRawPointer?>

  deinit {
    close()
    bell.deallocate()
  }

  /// Restores the terminal's original mode; no method may be called afterwards.
  func close() {
    guard isOpen else { return }
    isOpen = false
    el_end(editor)
    fclose(stream)
  }

  // MARK: Reading

  /// Reads keys and runs their commands until one ends it.
  ///
  /// - Returns: The text, if a function of libedit itself has ended the reading with one.
  func run() -> [Int32]? {
    var count: Int32 = 0
    guard let line = el_wgets(editor, &count), count > 0 else { return nil }
    return Array(UnsafeBufferPointer(start: line, count: Int(count)))
  }

  /// Switches the terminal to the editing mode, or back to the original mode.
  func prepareTerminal(_ isForEditing: Bool) {
    opsh_el_prepare(editor, isForEditing ? 1 : 0)
  }

  fileprivate func nextCode() -> Int32? { handler?.nextCode() }

  fileprivate func perform(_ command: EditCommand) -> EditOutcome {
    handler?.perform(command) ?? .end
  }

  fileprivate func beep() { handler?.beep() }

  // MARK: The buffer

  /// The code points of the text.
  var codes: [Int32] {
    guard let line = el_wline(editor)?.pointee, let start = line.buffer, let end = line.lastchar
    else { return [] }
    return Array(UnsafeBufferPointer(start: start, count: max(0, end - start)))
  }

  /// The number of code points.
  var count: Int {
    guard let line = el_wline(editor)?.pointee, let start = line.buffer, let end = line.lastchar
    else { return 0 }
    return max(0, end - start)
  }

  /// The number of code points before the cursor.
  var cursor: Int {
    guard let line = el_wline(editor)?.pointee, let start = line.buffer, let place = line.cursor
    else { return 0 }
    return min(max(0, place - start), count)
  }

  /// The code point before the cursor.
  var codeBeforeCursor: Int32? {
    guard cursor > 0, let place = el_wline(editor)?.pointee.cursor else { return nil }
    return (place - 1).pointee
  }

  /// Moves the cursor after the given number of code points.
  func moveCursor(to position: Int) {
    el_cursor(editor, Int32(clamping: min(max(0, position), count) - cursor))
  }

  /// Inserts code points before the cursor.
  func insert(_ codes: [Int32]) {
    guard !codes.isEmpty else { return }
    el_winsertstr(editor, codes + [0])
  }

  /// Deletes code points before the cursor.
  func deleteBackward(_ number: Int) {
    let number = min(number, cursor)
    guard number > 0 else { return }
    el_deletestr(editor, Int32(clamping: number))
  }

  /// Replaces a part of the text, and leaves the cursor behind it.
  func replace(_ range: Range<Int>, with codes: [Int32]) {
    moveCursor(to: range.upperBound)
    deleteBackward(range.count)
    insert(codes)
  }

  /// Replaces the whole text.
  func replace(with codes: [Int32], cursor position: Int) {
    moveCursor(to: count)
    deleteBackward(count)
    insert(codes)
    moveCursor(to: position)
  }
}

@available(*, unavailable)
extension EditLine: Sendable {}

// The functions that libedit calls. They are not closures made in isolated code, which would
// check their isolation on entry and trap.

private func owner(of editor: OpaquePointer?) -> EditLine? {
  guard let editor, let client = opsh_el_client(editor) else { return nil }
  return Unmanaged<EditLine>.fromOpaque(client).takeUnretainedValue()
}

func readCode(_ editor: OpaquePointer?, _ code: UnsafeMutablePointer<Int32>?) -> Int32 {
  guard let code, let next = owner(of: editor)?.nextCode() else { return -1 }
  code.pointee = next
  return 1
}

func runCommand(_ editor: OpaquePointer?, _ command: EditCommand) -> UInt8 {
  switch owner(of: editor)?.perform(command) {
  case .proceed: UInt8(CC_REFRESH)
  case .beep: UInt8(CC_ERROR)
  case .end, nil: UInt8(CC_EOF)
  }
}

// nonisolated(unsafe) because nothing ever writes to it.
nonisolated(unsafe) private let emptyText: UnsafeMutablePointer<Int32> = {
  let text = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  text.initialize(to: 0)
  return text
}()

func emptyPrompt(_ editor: OpaquePointer?) -> UnsafeMutablePointer<Int32>? { emptyText }

private func discardingOutput(
  _ context: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int
) -> Int {
  guard let context, let bytes, count > 0,
    let client = context.load(as: UnsafeMutableRawPointer?.self)
  else { return count }
  let written = UnsafeBufferPointer(start: bytes, count: count)
  let line = Unmanaged<EditLine>.fromOpaque(client).takeUnretainedValue()
  if line.captured != nil {
    line.captured?.append(contentsOf: written.map(UInt8.init(bitPattern:)))
  } else if written.contains(0x07) {
    line.beep()
  }
  return count
}
