package import OpshTerminal

/// Receives the redirected text of one command.
///
/// Only the thread that runs the command uses it.
package protocol TextSink: AnyObject, Sendable {
  /// Writes a line; may wait until a program has read the earlier text.
  func write(_ line: StyledText)

  /// Writes bytes unchanged.
  func write(bytes: [UInt8])

  /// Does pending work while the command runs: forwards the output of programs.
  ///
  /// - Throws: The error that ends the command: its text is not read any more, or a write failed.
  func attend() throws

  /// A descriptor to poll while the command waits: readable if a program has printed something.
  var descriptors: [Int32] { get }
}

extension TextSink {
  package func write(_ line: StyledText) { write(bytes: Array((line.plain + "\n").utf8)) }

  package func attend() throws {}

  package var descriptors: [Int32] { [] }
}
