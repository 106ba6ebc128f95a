import Networking
import Operations
import ShellLanguage
import Terminal

/// What a program printed, and what `show` says about it.
enum ProcessText {
  static func show(_ output: ProcessOutput, _ invocation: Invocation) {
    if output.omitted > 0 {
      invocation.print(
        StyledText(
          "… \(ByteCount(output.omitted).description) before this were not kept", style: .dim))
    }
    for bytes in [output.output, output.errors] where !bytes.isEmpty {
      invocation.printText(String(decoding: bytes, as: UTF8.self))
    }
    if output.output.isEmpty, output.errors.isEmpty { invocation.print("it printed nothing") }
  }

  /// The program and its arguments as they would be typed, secrets masked.
  private static func program(_ process: ProcessOperation) -> String {
    let spelling = WordQuoting(quote: nil, replaced: "")
    return SecretMask.mask(
      process.words.map { spelling.spell($0, isComplete: true) }.joined(separator: " "))
  }

  static func rows(of process: ProcessOperation) -> [(name: String, text: StyledText)] {
    var rows = [
      ("program", program(process)),
      ("printed", ByteCount(process.outputCount).description),
    ]
    if let number = process.process { rows.append(("process", String(number))) }
    return rows.map { ($0, StyledText(VisibleText.escape($1))) }
  }
}
