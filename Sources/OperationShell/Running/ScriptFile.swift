import Foundation
import ShellLanguage

/// Reads script files.
enum ScriptFile {
  /// The file can't be read at all.
  struct Unreadable: Error {
    let name: String
    let code: Int32
    let message: String
  }

  /// Reads and parses a file.
  ///
  /// What is wrong with its statements is in the script's diagnostics.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - name: What errors call it.
  /// - Returns: The script.
  /// - Throws: `Unreadable` where the file can't be read, a `Diagnostic` where it is no text.
  static func read(_ path: String, name: String) throws -> Script {
    Parser.parse(try source(of: path, name: name))
  }

  /// The text of a file.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - name: What errors call it.
  /// - Returns: The text.
  /// - Throws: As `read(_:name:)` does.
  static func text(of path: String, name: String) throws -> String {
    try source(of: path, name: name).text
  }

  private static func source(of path: String, name: String) throws -> SourceText {
    try SourceText.decoding(bytes: bytes(of: path, name: name), name: name).get()
  }

  private static func bytes(of path: String, name: String) throws(Unreadable) -> [UInt8] {
    func failure(_ error: Int32) -> Unreadable {
      Unreadable(
        name: name, code: error,
        message: "'\(name)' can't be read: \(String(cString: strerror(error)))")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
        // One byte more than allowed is enough to refuse it; a device may never end.
        if bytes.count > SourceText.maximumByteCount { return bytes }
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw failure(errno)
      }
    }
  }
}
