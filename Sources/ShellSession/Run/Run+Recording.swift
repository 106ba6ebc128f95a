import Foundation
import OpshLocking
import Operations
package import ShellLanguage
import ShellOutput
import OpshSystemCalls

extension Run {
  /// What writes the recording; nil while nothing is recorded.
  package var activeRecorder: Recorder? { recording.withLock { $0 } }

  /// Begins a recording; there must be none, and the log must keep everything.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - replaces: Whether a file that exists is replaced.
  /// - Throws: The system's error for the file.
  package func beginRecording(to path: String, replaces: Bool) throws(UnplacedError) {
    let place = outside.path(path)
    let isNew = access(place.forSystem, F_OK) != 0
    let recorder = try Recorder(path: path, replaces: replaces, of: self)
    do throws(UnplacedError) {
      try recorder.write(through: jobs.engine.log.count)
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
      if let count = recorder.takeTrim(of: jobs.engine.log) {
        jobs.engine.log.setCapacity(max(usualLogCapacity, count))
        fitLogCapacity()
      }
    } catch {
      recording.withLock { $0 = nil }
      fitLogCapacity()
      jobs.failures.note(status: 1)
      screen.complain(error.page, "the recording has ended: \(error.message)", help: error.help)
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
      try recorder.write(through: jobs.engine.log.count)
      try waitForTransfers(of: recorder)
    }
    recording.withLock { $0 = nil }
    defer { fitLogCapacity() }
    try recorder.end(status: status, of: jobs.engine.log)
    try wait.get()
    return recorder
  }

  /// Waits a moment for the ends of transfers that were cancelled, and answers signals; on the virtual
  /// clock they come with the time, not with waiting.
  ///
  /// It runs no handlers, because the session may be at its end.
  private func waitForTransfers(of recorder: Recorder) throws {
    guard !mode.isRepeatable else { return }
    let end = ContinuousClock.now + .seconds(5)
    while recorder.awaitsTransfers, .now < end {
      if isOnInterpreterThread, try answerSignals() { return }
      rest(until: min(end, .now + .milliseconds(5)))
    }
  }

  /// Has the log keep what 'set keep' says; while something is recorded, also all that is not
  /// written.
  package func fitLogCapacity() {
    jobs.engine.log.setCapacity(activeRecorder == nil ? usualLogCapacity : .max)
  }

  /// How many entries the log keeps while nothing is recorded.
  private var usualLogCapacity: Int {
    OperationRegistry.logCapacity(keeping: jobs.operations.limit)
  }
}
