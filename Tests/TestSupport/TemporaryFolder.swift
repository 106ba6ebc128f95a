import Foundation

/// A folder for one test, deleted when it is released.
public final class TemporaryFolder: Sendable {
  /// The path of the folder.
  public let path: String

  /// Creates an empty folder.
  public init() throws {
    path = NSTemporaryDirectory() + "opsh-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The sorted names of what the folder contains.
  public var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Writes a file, and creates missing folders.
  ///
  /// - Parameters:
  ///   - text: The content.
  ///   - name: The path of the file in the folder.
  ///   - permissions: The permissions of the file.
  /// - Returns: Its full path.
  /// - Throws: The error of the file system.
  @discardableResult
  public func write(_ text: String, to name: String, permissions: Int = 0o644) throws -> String {
    let file = path + "/" + name
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file)
    return file
  }

  /// Reads a file as text.
  ///
  /// - Parameter name: The path of the file in the folder.
  /// - Returns: The text; nil if the file does not exist.
  public func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: path + "/" + name).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
