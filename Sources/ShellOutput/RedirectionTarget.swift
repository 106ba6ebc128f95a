import Foundation
package import ShellLanguage

/// The target of a command's text with `>`, `>>` or `|`.
package protocol RedirectionTarget: TextSink {
  /// Completes it: the text is written, and programs have read it and ended.
  func close() throws

  /// Ends it after an error of the command: a file that would be replaced keeps its old content.
  ///
  /// - Parameter error: The error of the command.
  /// - Returns: The error to show: that error, or one of the redirection.
  func abandon(after error: any Error) -> any Error
}

extension UnplacedError {
  /// The error of a file or a program that the system gives.
  package static func file(_ path: String, _ number: Int32) -> UnplacedError {
    UnplacedError(.file(number), "'\(path)': \(String(cString: strerror(number)))")
  }
}

extension ErrorPage {
  package static let file = ErrorPage(
    "file", "A file cannot be read or written",
    "The number of the system's error stands in parentheses: file(2) is a file or a program that "
      + "does not exist, file(13) one that may not be touched. The path of 'source' is relative "
      + "to the script.",
    help: "check the name and the path",
    wrong: "echo hello > nowhere/greeting.txt", right: "echo hello > greeting.txt",
    proof: .running)

  /// The error of the system with a number, with help for it.
  package static func file(_ number: Int32) -> ErrorPage {
    var page = file.with(number)
    switch number {
    case ENOENT: break
    case EACCES, EPERM: page.help = "check its owner and its permissions"
    case EROFS: page.help = "choose a place on a disk that can be written to"
    case ENOSPC, EDQUOT: page.help = "make room on the disk, or choose a place on another one"
    case EFBIG: page.help = "'ulimit -f' and the disk say how large a file may be"
    case EISDIR: page.help = "it is a folder; name a file, perhaps one in it"
    case EINVAL: page.help = "name a file, or a path where there is nothing"
    case ENOTDIR: page.help = "check the path: a part of it is a file, not a folder"
    case ENAMETOOLONG: page.help = "choose a shorter name"
    case ELOOP: page.help = "check the links in the path: they form a cycle"
    case ENXIO: page.help = "a pipe needs a program that reads it; start that first"
    case ESTALE: page.help = "leave the file as it is until it has been sent, and send it again"
    case EMFILE, ENFILE:
      page.help = "let fewer operations execute at once: too many files are open"
    default: page.help = "the message is the system's own; try once more"
    }
    return page
  }
}
