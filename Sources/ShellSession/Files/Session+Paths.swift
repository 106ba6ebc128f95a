package import Foundation
import Locking

extension Session {
  /// A path of data, which is relative to the working directory however the script is run: `~` is
  /// the home.
  package func place(of path: String) -> String {
    guard path == "~" || path.hasPrefix("~/") else { return configuration.path(path) }
    return (configuration.environment["HOME"] ?? "") + path.dropFirst()
  }

  /// What errors call a script: the path that opens it from the working directory.
  package func shownPath(_ url: URL) -> String {
    let directory = configuration.directory ?? FileManager.default.currentDirectoryPath
    let (path, here) = (url.path, directory + "/")
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  /// The path of a script that a script names: relative to the directory of the file that names it.
  ///
  /// - Parameters:
  ///   - path: The path as written.
  ///   - file: The file it stands in, where that is not the one that runs.
  /// - Returns: The file's place.
  package func resolve(path: String, from file: String? = nil) -> URL {
    let named = file.map(configuration.path).flatMap { name in
      FileManager.default.fileExists(atPath: name)
        ? URL(fileURLWithPath: name).deletingLastPathComponent().path : nil
    }
    let isInFolder = !path.hasPrefix("/") && path != "~" && !path.hasPrefix("~/")
    guard isInFolder, let base = named ?? state.withLock({ $0.sourceDirectories.last }) else {
      return URL(fileURLWithPath: place(of: path))
    }
    return URL(fileURLWithPath: base).appendingPathComponent(path)
  }
}
