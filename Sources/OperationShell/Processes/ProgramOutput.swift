import Foundation
import Terminal

/// Passes on what a program prints, as it comes.
///
/// The screen gets lines, with control characters made visible; where a statement's text goes
/// elsewhere, that place gets the bytes as they are.
struct ProgramOutput {
  private let output: Output
  private let sink: (any TextSink)?
  private var pending: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// How much of a line is held: a program may print for ever and end none.
  static let lineLimit = 1 << 20

  /// - Parameters:
  ///   - output: The screen.
  ///   - sink: Where the text goes instead.
  init(output: Output, sink: (any TextSink)?) {
    self.output = output
    self.sink = sink
  }

  /// Reads what is there from a non-blocking descriptor, and passes it on.
  ///
  /// - Returns: Whether more may come.
  mutating func read(from descriptor: Int32) -> Bool {
    // A program that prints without end must not keep the session from being looked after.
    for _ in 0..<16 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      if let sink {
        sink.write(bytes: Array(buffer[..<count]))
      } else {
        showLines(count)
      }
    }
    return true
  }

  /// Shows what stands behind the last line break.
  mutating func finish() {
    guard !pending.isEmpty else { return }
    show(pending[...])
    pending = []
  }

  private mutating func showLines(_ count: Int) {
    var start = 0
    for index in 0..<count where buffer[index] == 0x0A {
      pending += buffer[start..<index]
      show(pending[...])
      pending.removeAll(keepingCapacity: true)
      start = index + 1
    }
    pending += buffer[start..<count]
    guard pending.count >= Self.lineLimit else { return }
    // Not in the middle of a character.
    var end = pending.count
    while end > pending.count - 4, pending[end - 1] & 0xC0 == 0x80 { end -= 1 }
    if pending[end - 1] >= 0xC0 { end -= 1 }
    show(pending[..<end], isWhole: false)
    pending.removeFirst(end)
  }

  private func show(_ line: ArraySlice<UInt8>, isWhole: Bool = true) {
    let text = VisibleText.escape(String(decoding: line, as: UTF8.self), keepNewlines: true)
    // With `--json`, standard output belongs to the objects alone.
    output.line(
      StyledText(text), to: output.isJSON ? .standardError : .standardOutput, isWhole: isWhole)
  }
}
