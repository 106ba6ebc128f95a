import Foundation
import ShellOutput
import OpshTerminal

/// Forwards a program's output as it arrives.
///
/// A terminal gets lines with control characters escaped. A file or a program, whether a
/// redirection or opsh's own standard output, gets the bytes unchanged.
struct ProgramOutput {
  private let output: Output
  private let sink: (any TextSink)?
  private let isLineByLine: Bool
  private var pending: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// How much of a line is buffered: a program may print for ever without a line break.
  static let lineLimit = 1 << 20

  /// - Parameters:
  ///   - output: The screen.
  ///   - sink: The redirection of the text, if any.
  ///   - isLineByLine: Whether other programs may print at the same time, so that standard output
  ///     gets whole lines, including the last one.
  init(output: Output, sink: (any TextSink)?, isLineByLine: Bool) {
    self.output = output
    self.sink = sink
    self.isLineByLine = isLineByLine
  }

  /// Reads the available data from a non-blocking descriptor, and forwards it; returns whether more
  /// may follow.
  mutating func read(from descriptor: Int32) -> Bool {
    // A program with endless output must not block the session.
    for _ in 0..<16 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      if let sink {
        sink.write(bytes: Array(buffer[..<count]))
      } else if isLineByLine || output.isShown(on: stream) {
        showLines(count)
      } else {
        output.bytes(Array(buffer[..<count]), to: stream)
      }
    }
    return true
  }

  /// Shows the text after the last line break.
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
    guard output.isShown(on: stream) else {
      return output.bytes(Array(line) + (isWhole ? [0x0A] : []), to: stream)
    }
    let text = VisibleText.escape(String(decoding: line, as: UTF8.self), keepNewlines: true)
    output.line(StyledText(text), to: stream, isWhole: isWhole)
  }

  /// With `--json`, standard output is for objects only.
  private var stream: Output.Stream { output.isJSON ? .standardError : .standardOutput }
}
