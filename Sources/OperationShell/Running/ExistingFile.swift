import Foundation

/// What is in a file before opsh writes to it.
public enum ExistingFile: Sendable {
  /// Whether there is a regular file with something in it, which would be lost.
  ///
  /// A terminal, a pipe or `/dev/null` loses nothing, and neither does what `mktemp` has made.
  ///
  /// - Parameter path: The file.
  /// - Returns: Whether there is.
  public static func holdsSomething(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
      && information.st_size > 0
  }

  /// Whether a file begins with a text.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - text: The text.
  /// - Returns: Whether it does; not where it can't be read.
  public static func begins(_ path: String, with text: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: text.utf8.count)) == Data(text.utf8)
  }
}
