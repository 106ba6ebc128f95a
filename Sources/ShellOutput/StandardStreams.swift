import Foundation

/// The descriptors that a session uses as standard input, output and error.
///
/// They stay open as long as the session.
public struct StandardStreams: Sendable {
  /// What scripts and programs read.
  public var input: Int32
  /// Where text and objects go.
  public var output: Int32
  /// Where errors and transitions go.
  public var errors: Int32

  /// Creates the streams of a session; by default those of the process.
  public init(input: Int32 = 0, output: Int32 = 1, errors: Int32 = 2) {
    self.input = input
    self.output = output
    self.errors = errors
  }

  /// Whether both outputs are the same file or pipe, as with `2>&1`.
  package var shareTarget: Bool {
    var (first, second) = (stat(), stat())
    guard fstat(output, &first) == 0, fstat(errors, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// The descriptor of a stream.
  package subscript(stream: Output.Stream) -> Int32 { stream == .standardOutput ? output : errors }
}
