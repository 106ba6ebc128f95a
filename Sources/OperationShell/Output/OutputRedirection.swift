import Foundation
import Operations
import ShellLanguage
import Terminal

/// A place that a command's text goes to with `>`, `>>` or `|`.
protocol RedirectionTarget: TextSink {
  /// Ends it: what was written is there, and a program has read it and ended.
  func close() throws

  /// Ends it after an error of the command: what was in a file before stays.
  ///
  /// - Parameter error: What ended the command.
  /// - Returns: What the user needs to see: that error, or one that came between.
  func abandon(after error: any Error) -> any Error
}

/// Why text could not be sent where it should go.
struct RedirectionError: CodedError, CodedFailure {
  let code: String
  let message: String

  static func file(_ path: String, _ number: Int32) -> RedirectionError {
    RedirectionError(
      code: "file(\(number))", message: "'\(path)': \(String(cString: strerror(number)))")
  }

  static func status(_ program: String, _ status: Int32) -> RedirectionError {
    RedirectionError(
      code: "exit-status(\(status))", message: "'\(program)' ended with status \(status)")
  }
}

enum OutputRedirection {
  static func open(
    _ redirection: Redirection, session: Session
  ) throws(RedirectionError) -> any RedirectionTarget {
    let file: FileSink? =
      if let file = redirection.file {
        try FileSink(
          path: session.place(of: file.path), shown: file.path,
          isAppending: file.isAppending)
      } else {
        nil
      }
    if let file, redirection.programs.isEmpty { return file }
    return try ProgramSink(programs: redirection.programs, file: file, session: session)
  }
}
