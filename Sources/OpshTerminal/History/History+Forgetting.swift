import COpshSystem
import Foundation
import OpshSystemCalls

extension History {
  /// Removes entries from the file; in this session they stay.
  ///
  /// For lines that were found to contain a secret after they were written. If the file cannot be
  /// locked or replaced, it is unchanged.
  ///
  /// - Parameter isSecret: Returns whether to remove an entry.
  public func forget(where isSecret: (String) -> Bool) {
    _ = removeLines { isSecret($0.text) }
  }

  /// Removes lines from the file.
  ///
  /// - Returns: Whether the file has been changed, or needs no change.
  func removeLines(where isRemoved: (StoredLine) -> Bool) -> Bool {
    guard let file else { return true }
    let original = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard original >= 0 else { return opsh_errno() == ENOENT }
    defer { close(original) }
    guard FileLock.take(original), Self.isStill(original, at: file),
      let contents = Self.contents(of: original)
    else { return false }
    // What others have added until now is not read again after this.
    let isKnown = isKnown(original)
    if isKnown { readAdded(original) }
    let lines = contents.split(separator: UInt8(ascii: "\n"))
    let kept = lines.filter { !isRemoved(StoredLine($0)) }
    guard kept.count < lines.count else { return true }
    guard Self.replace(file, with: kept) else { return false }
    if isKnown { noteReplacement() }
    return true
  }
}
