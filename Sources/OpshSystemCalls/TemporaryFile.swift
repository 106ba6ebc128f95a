package import Foundation

/// Hidden files for contents that take the place of another file when they are complete.
///
/// Each is locked while its process has it open. One without a lock was left by a process that was
/// killed, and is removed when the next one is created in the same folder.
package enum TemporaryFile {
  /// How many files of a folder are looked at for leftovers, so that those of a large one cost
  /// little.
  private static let longestLook = 2_000
  /// How many digits a name has after its prefix: as many as the largest number in base 36, so that
  /// no name that a person gives is taken for one.
  private static let digits = 13

  /// Creates an empty file.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder with its last slash; empty for the working directory.
  ///   - prefix: How the name begins; only leftovers with the same prefix are removed.
  ///   - mode: The permissions, of which the user's mask takes some away.
  /// - Returns: The file, open for reading and writing and locked, and its path.
  /// - Throws: `SystemCallError` with the system's error.
  package static func create(
    in folder: String, prefix: String, mode: mode_t
  ) throws(SystemCallError) -> (descriptor: Int32, path: String) {
    removeLeftovers(in: folder, prefix: prefix)
    for _ in 0..<100 {
      let number = String(UInt64.random(in: .min ... .max), radix: 36)
      let path =
        folder + prefix + String(repeating: "0", count: digits - number.count) + number
      let descriptor = open(path.forSystem, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor < 0 {
        guard errno == EEXIST || errno == EINTR else { break }
        continue
      }
      // Without locks, no process can take it for a leftover either.
      let mayBeLeftover = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
      var status = stat()
      if !mayBeLeftover, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        return (descriptor, path)
      }
      // Another process has removed it before it was locked.
      close(descriptor)
    }
    throw .last("create a file")
  }

  private static func removeLeftovers(in folder: String, prefix: String) {
    for name in names(inFolder: folder.isEmpty ? "." : folder, atMost: longestLook) ?? []
    where name.hasPrefix(prefix) && isNumber(name.dropFirst(prefix.count)) {
      removeIfUnused((folder + name).forSystem)
    }
  }

  private static func isNumber(_ text: Substring) -> Bool {
    text.utf8.count == digits
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
  }

  private static func removeIfUnused(_ path: [CChar]) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var (own, named) = (stat(), stat())
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &own) == 0,
      own.st_mode & S_IFMT == S_IFREG, own.st_uid == geteuid(), own.st_nlink == 1,
      // Meanwhile its process may have renamed it, and another one may have the name.
      lstat(path, &named) == 0, own.st_ino == named.st_ino, own.st_dev == named.st_dev
    else { return }
    unlink(path)
  }
}
