import Networking
import Operations
import Secrets
import ShellLanguage
import Terminal

/// What a program printed, and what `show` says about it.
enum ProcessText {
  /// Shows on a terminal what a program printed, and delivers it elsewhere byte for byte.
  static func show(_ output: ProcessOutput, _ invocation: Invocation) {
    guard invocation.isShown else { return deliver(output, invocation) }
    if let remark = remark(on: output) { invocation.print(StyledText(remark, style: .dim)) }
    for bytes in [output.output, output.errors] where !bytes.isEmpty {
      invocation.printText(String(decoding: bytes, as: UTF8.self))
    }
    if output.output.isEmpty, output.errors.isEmpty { invocation.print("it printed nothing") }
  }

  private static func deliver(_ output: ProcessOutput, _ invocation: Invocation) {
    // Not among the bytes of the program.
    if let remark = remark(on: output) { invocation.session.remark(remark) }
    invocation.write(bytes: output.output)
    invocation.write(bytes: output.errors)
  }

  private static func remark(on output: ProcessOutput) -> String? {
    guard output.omitted > 0 else { return nil }
    return "… \(ByteCount(output.omitted).description) before this were not kept"
  }

  /// A program and its arguments as they would be typed.
  static func spelled(_ words: [String]) -> String {
    let spelling = WordQuoting(quote: nil, replaced: "")
    return words.map { spelling.spell($0, isComplete: true) }.joined(separator: " ")
  }

  static func rows(of process: ProcessOperation) -> [(name: String, text: StyledText)] {
    var rows = [
      ("program", SecretText.mask(spelled(process.words))),
      ("printed", ByteCount(process.outputCount).description),
    ]
    if let number = process.process { rows.append(("process", String(number))) }
    return rows.map { ($0, StyledText(VisibleText.escape($1))) }
  }
}
