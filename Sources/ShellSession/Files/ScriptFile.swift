import Foundation
package import ShellLanguage
import OpshSystemCalls

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
  ///   - attend: Called again and again, for a pipe may keep its reader waiting; what it throws ends
  ///     the reading.
  /// - Returns: The script.
  /// - Throws: `Unreadable` if the file can't be read, a `Diagnostic` if it is not text, and what
  ///   `attend` throws.
  package static func read(
    _ path: String, name: String, _ attend: () throws -> Void
  ) throws -> Script {
    Parser.parse(try source(of: path, name: name, attend))
  }

  /// The text of a file.
  package static func text(
    of path: String, name: String, _ attend: () throws -> Void
  ) throws -> String {
    try source(of: path, name: name, attend).text
  }

  private static func source(
    of path: String, name: String, _ attend: () throws -> Void
  ) throws -> SourceText {
    let bytes = try readable(name) { try WholeFile.bytes(of: path, atMost: limit, attend) }
    return try SourceText.decoding(bytes: bytes, name: name)
  }

  /// Whether a path is a pipe, a terminal or another device: what is read from it is gone.
  package static func canBeReadOnce(_ path: String) -> Bool {
    var information = stat()
    guard stat(path.forSystem, &information) == 0 else { return false }
    return [S_IFIFO, S_IFCHR, S_IFSOCK].contains(information.st_mode & S_IFMT)
  }

  /// Reads standard input to its end, and parses it.
  package static func readStandardInput(
    _ input: Int32, _ attend: () throws -> Void
  ) throws -> Script {
    let name = "<stdin>"
    let bytes = try readable(name) { try WholeFile.bytes(from: input, atMost: limit, attend) }
    return Parser.parse(try SourceText.decoding(bytes: bytes, name: name))
  }

  /// One byte more than allowed is enough to reject a file; a device may never end.
  private static let limit = SourceText.maximumByteCount

  private static func readable(
    _ name: String, _ read: () throws -> [UInt8]
  ) throws -> [UInt8] {
    do {
      return try read()
    } catch let failure as WholeFile.Failure {
      throw Unreadable(name: name, error: failure.number)
    }
  }
}

extension ScriptFile.Unreadable {
  /// Creates the error of a file from that of the system.
  package init(name: String, error: Int32) {
    self.init(
      name: name, code: error,
      message: "'\(name)' can't be read: \(String(cString: strerror(error)))")
  }
}
