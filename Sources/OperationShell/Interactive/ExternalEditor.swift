import Foundation
import OpshProcesses
import OpshSystemCalls
import ShellSession

/// The program of the user's choice for editing a line: `$VISUAL`, else `$EDITOR`, else `vi`.
struct ExternalEditor {
  /// A longer text is no line.
  private static let greatestSize = 4 << 20

  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Lets the user edit a text.
  ///
  /// - Parameter text: The text.
  /// - Returns: The edited text, without its final newlines; nil if the program fails, which it says
  ///   itself.
  /// - Throws: An error if there is no file for the text or the program cannot be started, and what
  ///   ends the session.
  func edit(_ text: String) throws -> String? {
    let place = session.outside.programPlace
    let chosen = ["VISUAL", "EDITOR"].lazy.compactMap { place.environment[$0] }.first {
      !$0.isEmpty
    }
    let folder = place.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let file = try TemporaryFile.create(in: folder + "/", prefix: ".opsh-line-", mode: 0o600)
    defer {
      close(file.descriptor)
      unlink(file.path)
    }
    let failure = writeFully(Array((text + "\n").utf8), to: file.descriptor)
    guard failure == 0 else { throw SystemCallError.last("write the line") }
    // The shell takes the words of the variable apart, which may have options.
    let words = ["/bin/sh", "-c", "\(chosen ?? "vi") \"$1\"", "sh", file.path]
    let program = ShellProgram(words: words, place: place, of: session.run, sink: nil)
    guard case .exited(0) = try program.runInForeground() else { return nil }
    // Some programs write another file under the same name.
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var edited = String(
      decoding: readFully(descriptor, atMost: Self.greatestSize).bytes, as: UTF8.self)
    while edited.last?.isNewline == true { edited.removeLast() }
    return edited
  }
}
