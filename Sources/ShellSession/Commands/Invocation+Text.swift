import Networking
import Secrets
import ShellLanguage
import ShellOutput
import Terminal

extension Invocation {
  /// Whether the text of the command goes to a terminal, to the editor, or into a transcript.
  ///
  /// All other places get text and bodies byte for byte.
  package var isShown: Bool {
    session.sink.value == nil && session.output.isShown(on: .standardOutput)
  }

  /// Prints text that may have several lines and come from anywhere.
  package func printText(_ text: String) {
    if isJSON {
      // JSON has escapes of its own, and one object is one text, however many lines it has.
      object(
        "message",
        ["command": .string(call.signature.path.joined(separator: " ")), "text": .string(text)])
    } else {
      session.printText(
        text.utf8.last == UInt8(ascii: "\n") ? String(text.dropLastByte) : text,
        isReceived: isReceived)
    }
  }

  /// Delivers bytes to a file or a program, without a change.
  package func write(bytes: [UInt8]) {
    if let sink = session.sink.value {
      sink.write(bytes: bytes)
    } else {
      session.output.bytes(bytes)
    }
  }
}

extension Session {
  /// Prints text and ends its last line.
  ///
  /// A terminal gets it with control characters made visible, a file or a program as it is.
  func printText(_ text: String, isReceived: Bool = false) {
    if let sink = sink.value { return sink.write(bytes: Array((text + "\n").utf8)) }
    guard output.isShown(on: .standardOutput) else {
      // Not as a line, whose rendering makes control characters visible.
      let text = isReceived ? text : secrets.known.mask(text)
      return output.bytes(Array((text + "\n").utf8), beginsLine: true)
    }
    // By scalars: for characters, a carriage return and the newline after it are one.
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      output.line(
        StyledText(VisibleText.escape(String(line), keepNewlines: true)), isReceived: isReceived)
    }
  }
}

extension String {
  /// The text without its last byte, an ASCII character.
  fileprivate var dropLastByte: Substring { self[..<utf8.index(before: utf8.endIndex)] }
}
