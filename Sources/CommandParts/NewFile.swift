package import Foundation
package import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSystemCalls

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
  package func writeNewFile(
    _ text: String, to path: String, at parameter: some Parameter<String>, replaces: Bool,
    mode: mode_t = 0o600
  ) throws {
    let place = outside.files.place(of: outside.path(path), for: .replacing)
    if !replaces, access(place.forSystem, F_OK) == 0 {
      throw call.failure(.fileExists, "'\(path)' is there already", at: parameter)
    }
    do {
      let file = try FileSink(
        path: place, shown: path, isAppending: false, mode: mode, attend: run.attendBlocked)
      file.write(text: text)
      try file.close()
    } catch let error as UnplacedError {
      throw call.failure(error, at: parameter)
    }
  }
}

extension ErrorPage {
  package static let fileExists = ErrorPage(
    "file-exists", "The file is there already", "Nothing is overwritten without being asked for.",
    help: "'--replace' writes over it", wrong: "echo a > a.opsh\nsave a.opsh",
    right: "echo a > a.txt", proof: .unproven)
}
