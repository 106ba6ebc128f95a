import OpshNetworking
import OpshSecrets
import ShellLanguage
import ShellOutput
import OpshTerminal

extension Invocation {
  /// Whether the text of the command goes to a terminal, to the editor, or into a transcript.
  ///
  /// All other places get text and bodies byte for byte.
  package var isShown: Bool {
    screen.sink.value == nil && screen.output.isShown(on: .standardOutput)
  }

  /// Prints text that may have several lines and come from anywhere.
  package func printText(_ text: String) {
    if isJSON {
      // JSON has escapes of its own, and one object is one text, however many lines it has.
      object(
        "message",
        ["command": .string(call.signature.path.joined(separator: " ")), "text": .string(text)])
    } else {
      screen.printText(
        text.utf8.last == UInt8(ascii: "\n") ? String(text.dropLastByte) : text,
        isReceived: isReceived)
    }
  }

  /// Delivers bytes to a file or a program, without a change.
  package func write(bytes: [UInt8]) {
    if let sink = screen.sink.value {
      sink.write(bytes: bytes)
    } else {
      screen.output.bytes(bytes)
    }
  }
}

extension String {
  /// The text without its last byte, an ASCII character.
  fileprivate var dropLastByte: Substring { self[..<utf8.index(before: utf8.endIndex)] }
}
