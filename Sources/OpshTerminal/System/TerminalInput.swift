import Foundation

/// A terminal on a descriptor of its own, from which reading never blocks.
///
/// Ctrl-C discards typed input, possibly between the moment at which the system reports input and
/// the read: a blocking read would then delay the signal until the next key. The terminal's other
/// descriptors are unchanged, because other programs share them.
public final class TerminalInput: Sendable {
  /// The descriptor; reading from it fails with `EAGAIN` where nothing is there.
  public let fileDescriptor: Int32

  /// Opens the terminal of a descriptor again; nil if it is not a terminal, or cannot be opened by
  /// its name.
  public init?(of descriptor: Int32) {
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard ttyname_r(descriptor, &name, name.count) == 0 else { return nil }
    fileDescriptor = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    if fileDescriptor < 0 { return nil }
  }

  deinit { if fileDescriptor >= 0 { close(fileDescriptor) } }
}
