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

  /// The descriptor of a stream.
  package subscript(stream: Output.Stream) -> Int32 { stream == .standardOutput ? output : errors }
}
