import Foundation
import Locking
import Operations
package import ShellLanguage
import ShellOutput
import SystemCalls

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
  ///   - session: The session.
  /// - Throws: The system's error; `EEXIST` for a file that is there.
  package init(path: String, replaces: Bool, of session: Session) throws(UnplacedError) {
    self.path = path
    // A pipe that nothing reads would block the session.
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (replaces ? O_TRUNC : O_EXCL)
    descriptor = Glibc.open(session.configuration.path(path).forSystem, flags, 0o600)
    guard descriptor >= 0 else { throw .file(path, errno) }
    writer = StreamWriter(nonBlocking: descriptor, ending: session.output.ending)
    // The mode for a new file does not apply to one that is replaced.
    fchmod(descriptor, 0o600)
    state = Locked(State(lines: RecordingLines(of: session)))
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

extension Session {
  /// What writes the recording; nil while nothing is recorded.
  package var activeRecorder: Recorder? { recording.withLock { $0 } }

  /// Begins a recording; there must be none, and the log must keep everything.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - replaces: Whether a file that exists is replaced.
  /// - Throws: The system's error for the file.
  package func beginRecording(to path: String, replaces: Bool) throws(UnplacedError) {
    let place = configuration.path(path)
    let isNew = access(place.forSystem, F_OK) != 0
    let recorder = try Recorder(path: path, replaces: replaces, of: self)
    do throws(UnplacedError) {
      try recorder.write(through: engine.log.count)
    } catch {
      // An empty file would be in the way of the next attempt.
      if isNew { unlink(place.forSystem) }
      throw error
    }
    recording.withLock { $0 = recorder }
  }

  /// Writes to the recording, if there is one; an error ends the recording.
  ///
  /// - Parameter sequence: Of an entry of the log: everything before it is written.
  package func writeRecording(through sequence: Int) {
    guard let recorder = activeRecorder else { return }
    do throws(UnplacedError) {
      try recorder.write(through: sequence)
      if let count = recorder.takeTrim(of: engine.log) {
        engine.log.setCapacity(max(usualLogCapacity, count))
        fitLogCapacity()
      }
    } catch {
      recording.withLock { $0 = nil }
      fitLogCapacity()
      failures.note(status: 1)
      complain(error.page, "the recording has ended: \(error.message)", help: error.help)
    }
  }

  /// Ends the recording, if there is one.
  ///
  /// - Parameter status: The exit status of the run; nil while it goes on.
  /// - Returns: The recorder; nil if nothing was recorded.
  /// - Throws: The system's error for the file, and a signal that ends the session meanwhile; what is
  ///   recorded has its last lines then.
  @discardableResult
  package func endRecording(status: Int32?) throws -> Recorder? {
    guard let recorder = activeRecorder else { return nil }
    let wait = Result {
      try recorder.write(through: engine.log.count)
      try waitForTransfers(of: recorder)
    }
    recording.withLock { $0 = nil }
    defer { fitLogCapacity() }
    try recorder.end(status: status, of: engine.log)
    try wait.get()
    return recorder
  }

  /// Waits a moment for the ends of transfers that were cancelled, and answers signals; on the virtual
  /// clock they come with the time, not with waiting.
  ///
  /// It runs no handlers, because the session may be at its end.
  private func waitForTransfers(of recorder: Recorder) throws {
    guard !isVirtual else { return }
    let end = ContinuousClock.now + .seconds(5)
    while recorder.awaitsTransfers, .now < end {
      if isOnInterpreterThread, try answerSignals() { return }
      rest(until: min(end, .now + .milliseconds(5)))
    }
  }

  /// Has the log keep what 'set keep' says; while something is recorded, also all that is not
  /// written.
  package func fitLogCapacity() {
    engine.log.setCapacity(activeRecorder == nil ? usualLogCapacity : .max)
  }

  /// How many entries the log keeps while nothing is recorded.
  private var usualLogCapacity: Int { OperationRegistry.logCapacity(keeping: operations.limit) }
}
