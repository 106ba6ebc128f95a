import CSystem
import Foundation
import Locking
import Terminal

/// Looks after all programs that operations run, on one thread, which starts with the first.
///
/// It reads what they print, learns of their ends, and ends those that were asked to and do not.
final class ProcessMonitor: Sendable {
  /// What becomes of a program, told on the monitor's thread.
  struct Handlers: Sendable {
    /// It printed something; true for standard error.
    var printed: @Sendable (ArraySlice<UInt8>, _ isError: Bool) -> Void
    /// It has ended, and all it printed was told; the number is that of `waitpid`.
    var ended: @Sendable (_ status: Int32) -> Void
  }

  struct Entry {
    let process: pid_t
    let handlers: Handlers
    /// Readable at its end; -1 where the system has no such thing.
    let processDescriptor: Int32
    var output: Int32
    var errors: Int32
    /// It was asked to end; at this time it is made to.
    var killTime: ContinuousClock.Instant?
    /// It was made to; whatever is still listed of its group is dead, though nobody may have asked
    /// for its status.
    var wasKilled = false
    /// Its status, once it has ended.
    var status: Int32?
  }

  private struct State {
    var entries: [pid_t: Entry] = [:]
    var hasThread = false
    var isStopped = false
  }

  private let state = Locked(State())
  private let wakeUp = try? WakeUp()

  /// Looks after a child from now on.
  func add(_ child: ChildStart.Child, _ handlers: Handlers) {
    let mustStart = state.withLock { state in
      state.entries[child.process] = Entry(
        process: child.process, handlers: handlers,
        processDescriptor: opsh_pidfd(child.process), output: child.output, errors: child.errors)
      defer { state.hasThread = true }
      return !state.hasThread
    }
    guard mustStart else {
      wakeUp?.signal()
      return
    }
    Thread.startQuiet(name: "opsh.processes", stackSize: 512 << 10) { [self] in run() }
  }

  /// Asks a program and all it has started to end, and makes them after a grace.
  func interrupt(_ process: pid_t, grace: Duration) {
    state.withLock { state in
      // Under the lock under which ended ones are reaped: the number is still that of ours.
      guard var entry = state.entries[process], entry.killTime == nil else { return }
      kill(-process, SIGTERM)
      // One that is stopped could not hear it.
      kill(-process, SIGCONT)
      entry.killTime = .now + grace
      state.entries[process] = entry
    }
    wakeUp?.signal()
  }

  /// Ends all that still run, at once; the process is about to end.
  func shutDown() {
    state.withLock { state in
      state.isStopped = true
      for process in state.entries.keys { kill(-process, SIGKILL) }
    }
    wakeUp?.signal()
  }

  // MARK: The thread

  private func run() {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      guard let entries = entriesToWatch() else { return }
      let ready = wait(for: entries)
      for entry in entries {
        if ready.contains(entry.output) { read(entry, isError: false, &buffer) }
        if ready.contains(entry.errors) { read(entry, isError: true, &buffer) }
      }
      endOverdue()
      for (entry, status) in takeEnded() {
        finish(entry, status, &buffer)
      }
    }
  }

  /// All that are looked after; nil ends the thread.
  private func entriesToWatch() -> [Entry]? {
    wakeUp?.drain()
    return state.withLock { state in
      guard !state.isStopped || !state.entries.isEmpty else {
        state.hasThread = false
        return nil
      }
      return Array(state.entries.values)
    }
  }

  private func wait(for entries: [Entry]) -> Set<Int32> {
    var descriptors = [wakeUp?.fileDescriptor ?? -1]
    var limit: Duration?
    for entry in entries {
      descriptors += [entry.output, entry.errors]
      if entry.status == nil { descriptors.append(entry.processDescriptor) }
      // Nothing tells when a group is empty, or of an end where there is no descriptor for it.
      if entry.status != nil || entry.processDescriptor < 0 { limit = .milliseconds(20) }
      if let killTime = entry.killTime {
        limit = min(limit ?? .seconds(60), max(.zero, killTime - .now))
      }
    }
    return Set((try? Poller.wait(fileDescriptors: descriptors, timeout: limit)) ?? [])
  }

  private func read(_ entry: Entry, isError: Bool, _ buffer: inout [UInt8]) {
    let descriptor = isError ? entry.errors : entry.output
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count > 0 {
      entry.handlers.printed(buffer[..<count], isError)
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      close(descriptor)
      state.withLock { state in
        if isError {
          state.entries[entry.process]?.errors = -1
        } else {
          state.entries[entry.process]?.output = -1
        }
      }
    }
  }

  private func endOverdue() {
    let now = ContinuousClock.now
    state.withLock { state in
      for (process, entry) in state.entries {
        guard let killTime = entry.killTime, killTime <= now else { continue }
        kill(-process, SIGKILL)
        state.entries[process]?.wasKilled = true
        // Again a little later, for what was started meanwhile.
        state.entries[process]?.killTime = now + .milliseconds(200)
      }
    }
  }

  /// Takes out those that have ended.
  ///
  /// One that was asked to end has when nothing of its group is left.
  private func takeEnded() -> [(Entry, Int32)] {
    state.withLock { state in
      var ended: [(Entry, Int32)] = []
      for var entry in state.entries.values {
        if entry.status == nil {
          var status: Int32 = 0
          let process = waitpid(entry.process, &status, WNOHANG)
          guard process == entry.process || (process < 0 && errno == ECHILD) else { continue }
          entry.status = status
          state.entries[entry.process] = entry
        }
        let mayBeLeft =
          entry.killTime != nil && !entry.wasKilled && kill(-entry.process, 0) == 0
        guard let status = entry.status, !mayBeLeft else { continue }
        state.entries[entry.process] = nil
        ended.append((entry, status))
      }
      return ended
    }
  }

  /// Tells what it printed last, and of its end.
  private func finish(_ entry: Entry, _ status: Int32, _ buffer: inout [UInt8]) {
    for (descriptor, isError) in [(entry.output, false), (entry.errors, true)]
    where descriptor >= 0 {
      // Bounded, because something that it left behind may go on printing.
      for _ in 0..<8 {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        entry.handlers.printed(buffer[..<count], isError)
      }
      close(descriptor)
    }
    if entry.processDescriptor >= 0 { close(entry.processDescriptor) }
    entry.handlers.ended(status)
  }
}
