import Foundation
import ShellLanguage
import ShellOutput
import ShellSession

/// A file that a command writes and that must not exist, unless the call says that it replaces it.
extension Invocation {
  /// Writes a whole file atomically, so that a full disk does not destroy an old one.
  ///
  /// - Parameters:
  ///   - text: The content.
  ///   - path: The path as it was given.
  ///   - parameter: The argument that gave it, for errors.
  ///   - replaces: Whether a file that exists is replaced.
  ///   - mode: Who may do what with it; for the user alone, because it may hold an unknown secret.
  /// - Throws: A diagnostic at the argument.
  func writeNewFile(
    _ text: String, to path: String, at parameter: some Parameter<String>, replaces: Bool,
    mode: Int = 0o600
  ) throws {
    let files = FileManager.default
    let url = URL(fileURLWithPath: session.configuration.path(path))
    if !replaces, files.fileExists(atPath: url.path) {
      throw call.failure(.fileExists, "'\(path)' is there already", at: parameter)
    }
    do {
      try Data(text.utf8).write(to: url, options: .atomic)
      try files.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    } catch {
      // The system's message says more than Foundation's.
      let isWritable = access(url.deletingLastPathComponent().path + "/", W_OK) == 0
      let reason = isWritable ? error.localizedDescription : String(cString: strerror(errno))
      throw call.failure(.file, "'\(path)' can't be written: \(reason)", at: parameter)
    }
  }
}

extension ErrorPage {
  static let fileExists = ErrorPage(
    "file-exists", "The file is there already", "Nothing is overwritten without being asked for.",
    help: "'--replace' writes over it", wrong: "echo a > a.opsh\nsave a.opsh",
    right: "echo a > a.txt", proof: .unproven)
}
