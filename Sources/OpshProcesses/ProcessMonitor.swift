import COpshSystem
import Foundation
import OpshLocking
import OpshSystemCalls
import OpshTerminal

/// Monitors all programs of operations on one thread, which starts with the first program.
///
/// It reads their output, detects their ends, and kills those that ignore a request to end.
package final class ProcessMonitor: Sendable {
  /// An event of a program, delivered on the monitor's thread.
  package struct Handlers: Sendable {
    /// It printed output; true for standard error.
    package var printed: @Sendable (ArraySlice<UInt8>, _ isError: Bool) -> Void
    /// It has ended, and all its output was delivered; the number is that of `waitpid`.
    package var ended: @Sendable (_ status: Int32) -> Void
  }

  package struct Entry {
    package let process: Int32
    package let handlers: Handlers
    /// Readable at its end; -1 if the system does not support that.
    let processDescriptor: Int32
    package var output: Int32
    package var errors: Int32
    /// The time at which it is killed, after a request to end.
    var killTime: ContinuousClock.Instant?
    /// Whether it was killed; members of its group that are still listed are dead, but possibly not
    /// reaped by their parents.
    var wasKilled = false
    /// Its status, once it has ended.
    package var status: Int32?
  }

  private struct State {
    var entries: [pid_t: Entry] = [:]
    var hasThread = false
    var isStopped = false
  }

  private let state = Locked(State())
  private let wakeUp = try? WakeUp()

  private let makeThread: @Sendable (@escaping @Sendable () -> Void) -> Int32?

  /// - Parameter makeThread: Starts a thread; returns the system's error number if it refuses.
  package init(
    makeThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Int32? = {
      RawThread.start(name: ThreadName.processes, stackSize: 512 << 10, $0)
    }
  ) {
    self.makeThread = makeThread
  }

  /// Starts to monitor a child; after a shutdown, the child is killed.
  ///
  /// - Returns: The system's error number if it has no thread left for that, else nil. The child was
  ///   then killed, and no handler is called.
  package func add(_ child: ChildStart.Child, _ handlers: Handlers) -> Int32? {
    let refusal = state.withLock { state -> Int32? in
      if !state.hasThread {
        let refusal = makeThread { [self] in run() }
        guard refusal == nil else { return refusal }
        state.hasThread = true
      }
      if state.isStopped { kill(-child.process, SIGKILL) }
      state.entries[child.process] = Entry(
        process: child.process, handlers: handlers,
        processDescriptor: opsh_pidfd(child.process), output: child.output, errors: child.errors)
      return nil
    }
    guard refusal != nil else {
      wakeUp?.signal()
      return nil
    }
    kill(-child.process, SIGKILL)
    while waitpid(child.process, nil, 0) < 0, errno == EINTR {}
    close(child.output)
    close(child.errors)
    return refusal
  }

  /// Requests that a program and its descendants end, and kills them after a grace period.
  package func interrupt(_ process: Int32, grace: Duration) {
    state.withLock { state in
      // Under the lock that also guards reaping: the process id is still ours.
      guard var entry = state.entries[process], entry.killTime == nil else { return }
      kill(-process, SIGTERM)
      // A stopped process does not receive the signal until it is continued.
      kill(-process, SIGCONT)
      entry.killTime = .now + grace
      state.entries[process] = entry
    }
    wakeUp?.signal()
  }

  /// Kills all running programs at once, and those that are added later, because the process is about to end.
  package func shutDown() {
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

  /// All monitored programs; nil ends the thread.
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
      // No event reports an empty group, or the end of a process without a descriptor for it.
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
        // Again a little later, for processes started meanwhile.
        state.entries[process]?.killTime = now + .milliseconds(200)
      }
    }
  }

  /// Removes the programs that have ended.
  ///
  /// After a request to end, that is when its group has no process left.
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

  /// Delivers the last output of a program, and its end.
  private func finish(_ entry: Entry, _ status: Int32, _ buffer: inout [UInt8]) {
    for (descriptor, isError) in [(entry.output, false), (entry.errors, true)]
    where descriptor >= 0 {
      // Limited, because a process it left in the background may continue to print.
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
