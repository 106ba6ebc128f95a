import CommandParts
import Foundation
import OpshLocking
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// `watch`: queues and operations on the whole screen, with keys that steer them.
enum Watch: Command {
  static let path = ["watch"]
  static let declaration = CommandDeclaration(
    summary: "Shows queues and operations on the whole screen, with keys that steer them",
    discussion: """
      Above are the queues, each with a meter of its slots, below the operations with their \
      progress and the nearest reason why each waits, and between them how many executed, by the \
      time of the session. The operations stand in the order in which their queues are to start \
      them, as 'queue order' tells it; the column 'line' has 1 for the next of its queue. Where \
      there is room, all of the 'why' of the selected one is below. Arrow keys select an operation, Tab a queue, and \
      Enter shows all about it, as 'show' does; 'p' and 'r' pause and resume the queue, 's' steps it, 'c' cancels the \
      operation, '+' and '-' raise and lower its priority, 'w' shows all of its 'why'. '/' filters, \
      'o' changes the order, 'f' freezes the view, '?' lists the keys, and 'q' or Ctrl-C \
      leaves; in a script Ctrl-C ends the run, as everywhere. Escape closes a panel, else clears the \
      filter, else leaves. \
      A key that changes something runs the ordinary command and shows it; 'history' and 'save' \
      have it too. Operations and handlers go on meanwhile; 'log' has the transitions, and the last \
      1,000 lines that handlers print follow after leaving. On the virtual clock no time passes, until 'n' runs \
      'next', or 't' or 'T' runs 'sleep 100ms' or 'sleep 10s'. Without a terminal it is an error.
      """,
    examples: [
      .init(
        "delay 20ms --count 3; try { watch } catch e { echo $e.code }; wait",
        "the operations live, or 'needs-terminal' where there is none")
    ],
    searchTerms: ["htop", "top", "live", "screen", "dashboard", "monitor", "full", "keys"],
    traits: [.inspects, .waits])

  static func run(_ invocation: Invocation) throws -> Value {
    // The commands of its keys are inputs of their own.
    if invocation.run.inputs.isRetaking { return .null }
    let isTranscript = if case .transcript = invocation.screen.typing { true } else { false }
    // The commands of the keys follow as lines of their own.
    if isTranscript, invocation.screen.output.width() != nil { return .null }
    // A transcript without a width was made without a terminal, where this was an error.
    guard !isTranscript, let screen = screen(for: invocation) else {
      throw invocation.call.failure(
        .needsTerminal, "'watch' needs a terminal to draw on and to read keys from")
    }
    try Watching(invocation, screen).run()
    return .null
  }

  /// The terminal; nil if it is not there, is in use, or shows something else.
  private static func screen(for invocation: Invocation) -> FullScreen? {
    let (output, streams) = (invocation.screen.output, invocation.screen.output.streams)
    let term = invocation.outside.environment["TERM"] ?? ""
    guard invocation.run.isOnInterpreterThread, !invocation.isJSON,
      invocation.screen.sink.value == nil,
      !output.isEditing, !term.isEmpty, term != "dumb",
      isatty(streams.input) == 1, output.terminals.contains(.standardOutput),
      !invocation.run.state.withLock({ $0.readsProgramFromInput }),
      tcgetpgrp(streams.input) == getpgrp()
    else { return nil }
    return FullScreen(
      input: streams.input, output: streams.output, usesColor: output.standardOutputColor)
  }
}
