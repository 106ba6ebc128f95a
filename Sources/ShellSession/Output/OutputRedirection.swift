import Foundation
import ShellLanguage
import ShellOutput

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
          path: run.outside.place(of: file.path), shown: file.path,
          isAppending: file.isAppending, attend: run.attendBlocked)
      } else {
        nil
      }
    if let file, redirection.programs.isEmpty { return file }
    return try ProgramSink(programs: redirection.programs, file: file, of: run)
  }
}
