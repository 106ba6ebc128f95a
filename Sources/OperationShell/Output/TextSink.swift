import Terminal

/// Takes the text of one command, where `>` or `|` sends it elsewhere.
///
/// Only the thread that runs the command uses it.
protocol TextSink: AnyObject, Sendable {
  /// Takes a line; it may have to wait until a program has read what came before.
  func write(_ line: StyledText)

  /// Takes bytes as they are.
  func write(bytes: [UInt8])

  /// Does what is due while the command runs: what a program has printed is passed on.
  ///
  /// - Throws: What ends the command: nobody reads its text any more, or there was an error while it
  ///   was written.
  func attend() throws

  /// What is to be waited for besides, while the command waits: readable where a program has printed
  /// something.
  var descriptors: [Int32] { get }
}

extension TextSink {
  func write(_ line: StyledText) { write(bytes: Array((line.plain + "\n").utf8)) }

  func attend() throws {}

  var descriptors: [Int32] { [] }
}
