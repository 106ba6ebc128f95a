import Foundation
import ShellSession
import OpshSystemCalls

/// Completes paths, and programs in the search path.
struct PathCompletion {
  let outside: Outside

  /// Limits the read entries: a folder may contain millions of files, and the user waits.
  private static let greatestFolder = 100_000

  /// Files and folders whose names begin with the last part of the typed text.
  ///
  /// Hidden ones are offered only after a typed dot.
  func addFiles(to list: inout CandidateList) {
    let slash = list.prefix.lastIndex(of: "/").map { list.prefix.index(after: $0) }
    let folder = String(list.prefix[..<(slash ?? list.prefix.startIndex)])
    let start = String(list.prefix[(slash ?? list.prefix.startIndex)...])
    if list.prefix == "~" { return list.add("~/", appendsSpace: false) }
    let path = outside.resolve(path: folder.isEmpty ? "." : folder).path
    for entry in Self.entries(of: path) where start.hasPrefix(".") || !entry.name.hasPrefix(".") {
      let shown = folder + entry.name
      guard list.wants(shown, after: folder.count) else { continue }
      let isFolder = entry.isFolder ?? Self.isFolder(path + "/" + entry.name)
      list.add(isFolder ? shown + "/" : shown, appendsSpace: !isFolder, isWanted: true)
    }
  }

  /// Programs in the search path, or paths after a typed slash.
  func addPrograms(to list: inout CandidateList) {
    guard !list.prefix.contains("/") else { return addFiles(to: &list) }
    let searchPath = outside.environment["PATH"] ?? ""
    for folder in searchPath.split(separator: ":") {
      for entry in Self.entries(of: outside.path(String(folder)))
      where list.wants(entry.name) {
        guard entry.isFolder != true,
          access(outside.path("\(folder)/\(entry.name)").forSystem, X_OK) == 0
        else { continue }
        list.add(entry.name)
      }
    }
  }

  private struct Entry {
    let name: String
    /// Nil if the entry is a link and has to be resolved.
    let isFolder: Bool?
  }

  /// The entries of a folder by name, without itself and its parent; none if it can't be read.
  private static func entries(of path: String) -> [Entry] {
    guard let folder = opendir(path.forSystem) else { return [] }
    defer { closedir(folder) }
    var entries: [Entry] = []
    while entries.count < greatestFolder, let entry = readdir(folder) {
      // A name that is not valid text can't be typed, so it is not offered.
      let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != ".." else {
        continue
      }
      let isFolder: Bool? =
        switch Int(entry.pointee.d_type) {
        case Int(DT_DIR): true
        case Int(DT_LNK), Int(DT_UNKNOWN): nil
        default: false
        }
      entries.append(Entry(name: name, isFolder: isFolder))
    }
    return entries.sorted { $0.name < $1.name }
  }

  private static func isFolder(_ path: String) -> Bool {
    var information = stat()
    return stat(path.forSystem, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }
}
