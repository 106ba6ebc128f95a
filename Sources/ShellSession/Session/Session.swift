import Operations
import Processes
import SystemCalls
package import Terminal

/// One run of opsh: creates the four values that commands are given, connects them, is the host of
/// their language, and ends them.
///
/// ``Jobs`` is what runs, ``Outside`` what is outside, ``Screen`` what is shown, and ``Run`` this run.
/// The screen knows the jobs; the run knows the other three; nothing knows the session but the language,
/// as its host.
///
/// It holds no state of the process, so that several can run in one process, each on a thread of its
/// own. Signals and terminals belong to the program, which hands them to the session that may use
/// them.
package final class Session: Sendable {
  package let jobs: Jobs
  package let outside: Outside
  package let screen: Screen
  package let run: Run
  let commands: CommandSet

  /// Creates a session on the calling thread, which becomes the interpreter's.
  ///
  /// - Parameters:
  ///   - configuration: The options of the command line.
  ///   - commands: The commands that it runs.
  ///   - signals: The signals of the process, if this session answers them.
  /// - Throws: An error if the descriptor for wake-ups can't be created.
  package init(
    configuration: SessionConfiguration, commands: CommandSet, signals: SignalReader? = nil
  ) throws {
    self.commands = commands
    let thread = SessionThread()
    let wakeUp = try WakeUp()
    jobs = Jobs(wakeUp: wakeUp)
    outside = Outside(configuration)
    screen = try Screen(
      configuration, showing: jobs, commandWords: commands.words, wakeUp: wakeUp, thread: thread)
    run = Run(
      configuration, commands: commands, signals: signals, wakeUp: wakeUp, thread: thread,
      jobs: jobs, outside: outside, screen: screen)
    // Not weak: a weak reference would make each use take the slow path of reference counting. Only
    // the run drains the feed.
    screen.feed.drainHandler = { [unowned run] in run.writeRecording(through: $0) }
    outside.network.attemptHandler = { [adapting = jobs.adapting] in adapting.note($0) }
  }

  deinit {
    jobs.shutDown()
    outside.shutDown()
  }

  /// Ends what serves the session, the programs, the network and the stores, at the end of the run.
  ///
  /// - Parameter status: The exit status of the run.
  package func end(status: Int32) {
    run.endServing(status: status)
    run.endVirtualClock()
    jobs.processes.shutDown()
    outside.shutDown()
  }
}
