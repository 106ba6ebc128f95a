import Foundation
import ShellLanguage

/// Reads script files.
enum ScriptFile {
  /// The file can't be read at all.
  struct Unreadable: Error {
    let name: String
    let code: Int32
    let message: String

    /// What is told of it.
    ///
    /// - Parameter arguments: The command line, which may name the file.
    /// - Returns: The error, with what the file may have been meant to be.
    func diagnostic(arguments: [String]) -> Diagnostic {
      var help: String?
      if code == ENOENT {
        let slash = name.lastIndex(of: "/")
        let names = try? FileManager.default.contentsOfDirectory(
          atPath: slash.map { String(name[...$0]) } ?? ".")
        let last = slash.map { String(name[name.index(after: $0)...]) } ?? name
        help = Spelling.help(for: last, among: names ?? [])
        if help == nil, CommandRegistry.signatures.contains(where: { $0.path.first == name }) {
          help = "to run a command, write opsh -c '\(name)'"
        }
      }
      let line = CommandLineText(arguments)
      let label = arguments.firstIndex(of: name).map {
        Diagnostic.Label("it is given here", source: line.source, range: line.range(of: $0))
      }
      return Diagnostic(
        code: "file(\(code))", message: message, source: SourceText(name: name, text: ""),
        range: SourceRange(0, 0), labels: label.map { [$0] } ?? [], help: help, phase: .running)
    }
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

  /// Reads standard input to its end, and parses it.
  ///
  /// - Throws: As `read(_:name:)` does.
  static func readStandardInput() throws -> Script {
    let name = "<stdin>"
    let bytes = try bytes(from: STDIN_FILENO, name: name)
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
        // One byte more than allowed is enough to refuse it; a device may never end.
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
  /// Creates the error of a file by that of the system.
  ///
  /// - Parameters:
  ///   - name: What errors call the file.
  ///   - error: The error of the system.
  init(name: String, error: Int32) {
    self.init(
      name: name, code: error,
      message: "'\(name)' can't be read: \(String(cString: strerror(error)))")
  }
}
