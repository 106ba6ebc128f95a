import Foundation
import OpshJSON
import OpshLocking
import Operations
package import ShellLanguage
import ShellOutput
import OpshSystemCalls

/// Writes a session to a file while it goes on: `record FILE`.
///
/// What happened is written whenever the session shows events, so that a process that is killed
/// loses only what came after that. The interpreter's thread calls it.
package final class Recorder: Sendable {
  private struct State {
    var lines: RecordingLines
    var count = 0
    var trimmedAt = 0
    /// The error that ended it early.
    var error: Int32 = 0
  }

  /// The path as it was given.
  package let path: String
  private let descriptor: Int32
  private let writer: StreamWriter
  private let state: Locked<State>

  /// About how many lines are made at once, which bounds the memory that they take.
  private static let linesPerWrite = 16_384

  /// Creates the file and writes what happened in the session so far.
  ///
  /// - Parameters:
  ///   - path: The file, for the user alone because it may hold an unknown secret.
  ///   - replaces: Whether a file that exists is emptied.
  ///   - run: The run.
  /// - Throws: The system's error; `EEXIST` for a file that is there.
  package init(path: String, replaces: Bool, of run: Run) throws(UnplacedError) {
    self.path = path
    // A pipe that nothing reads would block the session.
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (replaces ? O_TRUNC : O_EXCL)
    descriptor = Glibc.open(
      run.outside.files.place(of: run.outside.path(path), for: .replacing).forSystem, flags, 0o600)
    guard descriptor >= 0 else { throw .file(path, errno) }
    writer = StreamWriter(nonBlocking: descriptor, ending: run.screen.output.ending)
    // The mode for a new file does not apply to one that is replaced.
    fchmod(descriptor, 0o600)
    state = Locked(State(lines: RecordingLines(of: run)))
  }

  deinit { close(descriptor) }

  /// How many lines the file has.
  package var count: Int { state.withLock { $0.count } }

  /// Writes some of what happened since the last call, and everything before an entry of the log.
  ///
  /// - Parameter sequence: The sequence number of the entry.
  /// - Returns: The sequence number of the first entry that is not written.
  /// - Throws: The system's error, once; nothing is written after it.
  @discardableResult
  package func write(through sequence: Int) throws(UnplacedError) -> Int {
    let (error, position) = state.withLock { state -> (Int32, Int) in
      guard state.error == 0, state.lines.hasNews else { return (0, state.lines.entryCursor) }
      var error: Int32
      var before: Int
      repeat {
        before = state.lines.entryCursor
        error = write(state.lines.next(limit: Self.linesPerWrite), &state)
        // It stands still while another thread builds what the next line is about.
      } while error == 0 && state.lines.entryCursor > before && state.lines.entryCursor < sequence
      return (error, state.lines.entryCursor)
    }
    if error != 0 { throw failure(error) }
    return position
  }

  /// The error of the file in words; a pipe that is not read is given up when the run ends.
  private func failure(_ error: Int32) -> UnplacedError {
    guard error == ECANCELED else { return .file(path, error) }
    return UnplacedError(
      .file(error),
      "nothing read '\(path)' at the end of the run, so its last lines are missing",
      help: "record to a file, or read the pipe until the run has ended")
  }

  /// Returns how many entries and changes of the log are not written; nil unless so many were written
  /// since the last time that the log should drop old ones.
  func takeTrim(of log: EventLog) -> Int? {
    state.withLock { state in
      let (entry, change) = (state.lines.entryCursor, state.lines.changeCursor)
      guard entry - state.trimmedAt > Self.trimInterval else { return nil }
      state.trimmedAt = entry
      // With room for what is written meanwhile.
      return max(log.count - entry, log.changeCount - change) + Self.trimInterval
    }
  }

  private static let trimInterval = 50_000

  /// Whether transfers of operations that have finished go on, of what is written.
  var awaitsTransfers: Bool { state.withLock { $0.lines.awaitsTransfers } }

  /// Writes that the session has gone back, and records the one that goes on.
  ///
  /// - Parameters:
  ///   - run: The run of the session that goes on.
  ///   - reason: What has happened, in words.
  /// - Throws: The system's error.
  func goOn(with run: Run, because reason: String) throws(UnplacedError) {
    let error = state.withLock { state -> Int32 in
      guard state.error == 0 else { return 0 }
      let line: JSONFields = ["type": .string(RecordingFormat.goesBack), "text": .string(reason)]
      state.lines = RecordingLines(of: run)
      state.trimmedAt = 0
      return write([line.value.text], &state)
    }
    if error != 0 { throw failure(error) }
    try write(through: run.jobs.engine.log.count)
  }

  /// Writes the last lines.
  func end(status: Int32?, of log: EventLog) throws(UnplacedError) {
    let error = state.withLock { state -> Int32 in
      guard state.error == 0 else { return 0 }
      // In pieces, because what is left may be long.
      let last = log.count
      while state.lines.entryCursor < last,
        case let lines = state.lines.next(limit: Self.linesPerWrite), !lines.isEmpty
      {
        guard write(lines, &state) == 0 else { return state.error }
      }
      return write(state.lines.end(status: status), &state)
    }
    if error != 0 { throw failure(error) }
  }

  private func write(_ lines: [String], _ state: inout State) -> Int32 {
    guard !lines.isEmpty else { return 0 }
    state.error = writer.write(lines.joined(separator: "\n") + "\n")
    if state.error == 0 { state.count += lines.count }
    return state.error
  }
}
