import CSystem
import Foundation

extension History {
  /// Takes entries out of the file; in this session they stay.
  ///
  /// For lines that have turned out to hold a secret after they were written. Where the file cannot
  /// be locked or replaced, it stays as it is.
  ///
  /// - Parameter isSecret: Says which entries are to go.
  public func forget(where isSecret: (String) -> Bool) {
    guard let file else { return }
    let original = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard original >= 0 else { return }
    defer { close(original) }
    guard Self.lock(original), Self.isStill(original, at: file),
      let contents = Self.contents(of: original)
    else { return }
    let lines = contents.split(separator: UInt8(ascii: "\n"))
    let kept = lines.filter { !isSecret(Self.unescape($0)) }
    guard kept.count < lines.count else { return }
    Self.replace(file, with: kept)
  }
}
