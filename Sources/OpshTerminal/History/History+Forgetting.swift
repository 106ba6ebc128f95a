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
    guard let file else { return }
    let original = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard original >= 0 else { return }
    defer { close(original) }
    guard FileLock.take(original), Self.isStill(original, at: file),
      let contents = Self.contents(of: original)
    else { return }
    let lines = contents.split(separator: UInt8(ascii: "\n"))
    let kept = lines.filter { !isSecret(Self.unescape($0)) }
    guard kept.count < lines.count else { return }
    Self.replace(file, with: kept)
  }
}
