import Foundation
import ShellLanguage
import ShellOutput

/// Takes a text to nowhere.
private final class SilentTarget: RedirectionTarget {
  func write(bytes: [UInt8]) {}
  func close() throws {}
  func abandon(after error: any Error) -> any Error { error }
}

/// Opens the targets of `>`, `>>` and `|`.
enum OutputRedirection {
  static func open(
    _ redirection: Redirection, of run: Run
  ) throws -> any RedirectionTarget {
    // The system would read a text only up to a zero byte.
    let words = redirection.programs.flatMap(\.self) + [redirection.file?.path ?? ""]
    if let cut = words.first(where: { $0.utf8.contains(0) }) {
      throw UnplacedError.file(cut, EINVAL)
    }
    let file: FileSink? =
      if let file = redirection.file {
        try FileSink(
          path: run.outside.place(of: file.path, for: file.isAppending ? .changing : .replacing),
          shown: file.path,
          isAppending: file.isAppending, attend: run.attendBlocked)
      } else {
        nil
      }
    if let file, redirection.programs.isEmpty { return file }
    // No program is run again.
    if run.inputs.isRetaking { return SilentTarget() }
    return try ProgramSink(programs: redirection.programs, file: file, of: run)
  }
}
