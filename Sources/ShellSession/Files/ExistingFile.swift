import Foundation
import OpshSystemCalls

/// The content of a file before opsh writes to it.
public enum ExistingFile: Sendable {
  /// Whether the path is a regular file with content, which would be lost.
  ///
  /// A terminal, a pipe, `/dev/null` and an empty file have no content.
  ///
  /// - Parameter path: The file.
  /// - Returns: Whether there is content.
  public static func holdsSomething(_ path: String) -> Bool {
    var information = stat()
    return stat(path.forSystem, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
      && information.st_size > 0
  }

  /// Whether a file begins with a text; false if it can't be read.
  public static func begins(_ path: String, with text: String) -> Bool {
    // Opening a pipe would block.
    guard holdsSomething(path) else { return false }
    let file = open(path.forSystem, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    return readFully(file, atMost: text.utf8.count).bytes == Array(text.utf8)
  }
}
