import ShellLanguage
import ShellOutput

/// Opens the targets of `>`, `>>` and `|`.
enum OutputRedirection {
  static func open(
    _ redirection: Redirection, session: Session
  ) throws -> any RedirectionTarget {
    let file: FileSink? =
      if let file = redirection.file {
        try FileSink(
          path: session.place(of: file.path), shown: file.path,
          isAppending: file.isAppending, attend: session.attendBlocked)
      } else {
        nil
      }
    if let file, redirection.programs.isEmpty { return file }
    return try ProgramSink(programs: redirection.programs, file: file, session: session)
  }
}
