import Foundation
package import ShellLanguage
import ShellOutput

/// Reads script files.
package enum ScriptFile {
  /// The file can't be read at all.
  package struct Unreadable: Error {
    package let name: String
    package let code: Int32
    package let message: String
  }

  /// Reads and parses a file.
  ///
  /// Errors of its statements are in the script's diagnostics.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - name: The name in errors.
  /// - Returns: The script.
  /// - Throws: `Unreadable` if the file can't be read, a `Diagnostic` if it is not text.
  package static func read(_ path: String, name: String) throws -> Script {
    Parser.parse(try source(of: path, name: name))
  }

  /// The text of a file.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - name: The name in errors.
  /// - Returns: The text.
  /// - Throws: As `read(_:name:)` does.
  package static func text(of path: String, name: String) throws -> String {
    try source(of: path, name: name).text
  }

  private static func source(of path: String, name: String) throws -> SourceText {
    try SourceText.decoding(bytes: bytes(of: path, name: name), name: name).get()
  }

  /// Reads standard input to its end, and parses it.
  ///
  /// - Parameter input: Its descriptor.
  /// - Returns: The script.
  /// - Throws: As `read(_:name:)` does.
  package static func readStandardInput(_ input: Int32) throws -> Script {
    let name = "<stdin>"
    let bytes = try bytes(from: input, name: name)
    return Parser.parse(try SourceText.decoding(bytes: bytes, name: name).get())
  }

  private static func bytes(of path: String, name: String) throws(Unreadable) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unreadable(name: name, error: errno) }
    defer { close(descriptor) }
    return try bytes(from: descriptor, name: name)
  }

  private static func bytes(from descriptor: Int32, name: String) throws(Unreadable) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
        // One byte more than allowed is enough to reject it; a device may never end.
        if bytes.count > SourceText.maximumByteCount { return bytes }
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw Unreadable(name: name, error: errno)
      }
    }
  }
}

extension ScriptFile.Unreadable {
  /// Creates the error of a file from that of the system.
  ///
  /// - Parameters:
  ///   - name: The file's name in errors.
  ///   - error: The error of the system.
  package init(name: String, error: Int32) {
    self.init(
      name: name, code: error,
      message: "'\(name)' can't be read: \(String(cString: strerror(error)))")
  }
}
