import Foundation
import Locking
import Operations
import ShellLanguage
import Terminal

/// A place that a command's text goes to with `>`, `>>` or `|`.
protocol RedirectionTarget: TextSink {
  /// Ends it: what was written is there, and a program has read it and ended.
  func close() throws

  /// Ends it after an error of the command: what was there before stays.
  func abandon()
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
    guard !redirection.programs.isEmpty else {
      return file ?? CollectingSink()
    }
    return ProgramSink(programs: redirection.programs, file: file, session: session)
  }
}

/// Text in memory; where a redirection names nothing at all.
final class CollectingSink: RedirectionTarget {
  private let text = Locked("")

  func write(_ line: StyledText) { text.withLock { $0 += line.plain + "\n" } }

  func close() {}

  func abandon() {}

  var collected: String { text.withLock { $0 } }
}

/// `> file` and `>> file`.
///
/// What replaces a file is written beside it and takes its name when it is whole, so that an error
/// in the middle leaves the old content.
final class FileSink: RedirectionTarget {
  private let descriptor: Int32
  private let path: String
  private let shown: String
  private let temporaryPath: String?
  private let failure = Locked<Int32>(0)

  init(path: String, shown: String, isAppending: Bool) throws(RedirectionError) {
    self.shown = shown
    var information = stat()
    let exists = stat(path, &information) == 0
    let isRegular = exists && information.st_mode & S_IFMT == S_IFREG
    // A link stays one: what it leads to is replaced. One that leads to nothing is left to the
    // system, which makes the file.
    let target = exists ? realpath(path, nil) : nil
    self.path = target.map { String(cString: $0) } ?? path
    free(target)
    var link = stat()
    let isNew = !exists && lstat(path, &link) != 0
    if !isAppending, isRegular || isNew {
      let beside = self.path + ".opsh-\(getpid())-\(UInt32.random(in: 0 ... .max))"
      let opened = Glibc.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if opened >= 0 {
        // The mask for new files is not meant for one that was there before.
        if exists { fchmod(opened, information.st_mode & 0o777) }
        temporaryPath = beside
        descriptor = opened
        return
      }
      // A file may well be written in a folder that takes no new ones.
      guard isRegular, errno == EACCES || errno == EPERM || errno == EROFS else {
        throw .file(shown, errno)
      }
    }
    temporaryPath = nil
    let flags = isAppending ? O_APPEND : O_TRUNC
    descriptor = Glibc.open(path, O_WRONLY | O_CREAT | flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .file(shown, errno) }
  }

  func write(_ line: StyledText) { write(text: line.plain + "\n") }

  func write(text: String) { write(bytes: Array(text.utf8)) }

  func write(bytes: [UInt8]) {
    guard failure.withLock({ $0 }) == 0 else { return }
    let error = bytes.withUnsafeBytes { Output.writeFully($0, to: descriptor) }
    if error != 0 { failure.withLock { $0 = error } }
  }

  func close() throws {
    var error = failure.withLock { $0 }
    if Glibc.close(descriptor) != 0, error == 0 { error = errno }
    if let temporaryPath {
      if error == 0, rename(temporaryPath, path) != 0 { error = errno }
      if error != 0 { unlink(temporaryPath) }
    }
    guard error == 0 else { throw RedirectionError.file(shown, error) }
  }

  func abandon() {
    _ = Glibc.close(descriptor)
    if let temporaryPath { unlink(temporaryPath) }
  }
}

/// `| program …`: the text is collected, then the programs run one after the other on it.
final class ProgramSink: RedirectionTarget {
  private let programs: [[String]]
  private let file: FileSink?
  private let session: Session
  private let text = Locked("")

  init(programs: [[String]], file: FileSink?, session: Session) {
    self.programs = programs
    self.file = file
    self.session = session
  }

  func write(_ line: StyledText) { text.withLock { $0 += line.plain + "\n" } }

  func close() throws {
    do {
      var bytes = Array(text.withLock { $0 }.utf8)
      var failure: RedirectionError?
      for words in programs {
        let result = try ChildProgram.run(
          words, input: bytes, environment: session.configuration.environment,
          checkEnd: { [session] in if try session.pump() { throw Interruption() } })
        // One that nobody listens to any more has done its part; every other one counts, so that a
        // failure in the middle is none that a friendly `cat` behind it hides.
        if result.status != 0, result.status != 128 + SIGPIPE, failure == nil {
          failure = .status(words.first ?? "", result.status)
        }
        bytes = result.output
      }
      // Whatever the programs made goes into the file as it is; only eyes need text.
      if let file { file.write(bytes: bytes) } else { show(bytes) }
      if let failure { throw failure }
    } catch {
      file?.abandon()
      throw error
    }
    try file?.close()
  }

  private func show(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    // With `--json`, standard output belongs to the objects alone.
    let stream: Output.Stream = session.output.isJSON ? .standardError : .standardOutput
    let output = String(decoding: bytes, as: UTF8.self)
    for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast(
      output.hasSuffix("\n") ? 1 : 0)
    {
      session.output.line(
        StyledText(VisibleText.escape(String(line), keepNewlines: true)), to: stream)
    }
  }

  func abandon() { file?.abandon() }
}
