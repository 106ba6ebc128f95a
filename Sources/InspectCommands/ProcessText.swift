import OpshNetworking
import OpshProcesses
import OpshSecrets
import ShellSession
import OpshTerminal

extension ProcessOutput {
  /// Prints the output of a program: escaped on a terminal, unchanged to a file or a program.
  func show(_ invocation: Invocation) {
    guard invocation.isShown else { return deliver(invocation) }
    if let remark { invocation.print(StyledText(remark, style: .dim)) }
    for bytes in [output, errors] where !bytes.isEmpty {
      invocation.printText(String(decoding: bytes, as: UTF8.self))
    }
    if output.isEmpty, errors.isEmpty { invocation.print("it printed nothing") }
  }

  private func deliver(_ invocation: Invocation) {
    // Not among the bytes of the program.
    if let remark { invocation.screen.remark(remark) }
    invocation.write(bytes: output)
    invocation.write(bytes: errors)
  }

  private var remark: String? {
    guard omitted > 0 else { return nil }
    return "… \(ByteCount(omitted).description) before this were not kept"
  }
}

/// The text of `show` about a program.
enum ProcessText {
  /// The rows of `show` about a program.
  static func rows(of process: ProcessOperation) -> [(name: String, text: StyledText)] {
    var rows = [
      ("program", SecretText.mask(WordQuoting.spelled(process.words))),
      ("printed", ByteCount(process.outputCount).description),
    ]
    if let number = process.process { rows.append(("process", String(number))) }
    return rows.map { ($0, StyledText(VisibleText.escape($1))) }
  }
}
