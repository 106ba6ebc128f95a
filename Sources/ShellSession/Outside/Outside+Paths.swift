package import Foundation
import OpshLocking
import OpshSystemCalls

extension Outside {
  /// Returns a path that the system resolves as the session does.
  package func path(_ path: String) -> String { configuration.path(path) }

  /// A path of data, which is relative to the working directory however the script is run: `~` is
  /// the home.
  package func place(of path: String) -> String {
    guard path == "~" || path.hasPrefix("~/") else { return configuration.path(path) }
    return (environment["HOME"] ?? "") + path.dropFirst()
  }

  /// Where the system finds a file that a statement uses: ``place(of:)``, or a copy of what is there.
  package func place(of path: String, for use: SessionFiles.Use) -> String {
    files.place(of: place(of: path), for: use)
  }

  /// Where the system finds a script that runs, whose path is absolute.
  package func place(ofScript path: String) -> String {
    files.place(of: path, for: .reading, isScript: true)
  }

  /// What errors call a script: the path that opens it from the working directory.
  package func shownPath(_ url: URL) -> String {
    let directory = configuration.directory ?? workingDirectory()
    let (path, here) = (url.path, directory + "/")
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  /// The path of a script that a script names: relative to the directory of the file that names it.
  ///
  /// - Parameters:
  ///   - path: The path as written.
  ///   - file: The file it stands in, where that is not the one that runs.
  /// - Returns: The file's place: the first of ``places(ofScript:from:)`` where there is one.
  package func resolve(path: String, from file: String? = nil) -> URL {
    let places = places(ofScript: path, from: file)
    return places.first { access($0.path.forSystem, F_OK) == 0 } ?? places[0]
  }

  /// Where a script is looked for that is not where a script names it; nil without a second place.
  package func placesNote(ofScript path: String, from file: String?) -> String? {
    let folders = places(ofScript: path, from: file).map { $0.deletingLastPathComponent() }
    guard folders.count > 1 else { return nil }
    return "it is neither in '\(shownPath(folders[0]))', beside the link, nor in "
      + "'\(shownPath(folders[1]))', beside the script that the link leads to"
  }

  /// The places where a script may be that a script names: beside the file that names it, and if that
  /// file is a symbolic link, as an installed command may be, beside what the link leads to.
  private func places(ofScript path: String, from file: String?) -> [URL] {
    let isInFolder = !path.hasPrefix("/") && path != "~" && !path.hasPrefix("~/")
    let named = file.map(configuration.path).flatMap {
      access($0.forSystem, F_OK) == 0 ? Self.url(ofFile: $0) : nil
    }
    let base = named?.deletingLastPathComponent().path
    guard isInFolder, let base = base ?? scriptFolder else {
      return [Self.url(ofFile: place(of: path))]
    }
    var folders = [base]
    if let named, let target = resolvedPath(named.path) {
      let real = URL(fileURLWithPath: target)
      // Only for a link of the file itself: a folder that is one has the same files.
      if isLink(named.path) { folders.append(real.deletingLastPathComponent().path) }
    }
    return folders.map { URL(fileURLWithPath: $0).appendingPathComponent(path) }
  }

  /// The address of a file; Foundation resolves a relative path only where that of the working
  /// directory is UTF-8.
  package static func url(ofFile path: String) -> URL {
    URL(fileURLWithPath: path.hasPrefix("/") ? path : workingDirectory() + "/" + path)
  }

  private func isLink(_ path: String) -> Bool {
    var information = stat()
    return lstat(path.forSystem, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
  }
}
