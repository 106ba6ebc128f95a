import COpshSystem
import Foundation
import ShellOutput
import OpshTerminal

/// Lends the terminal to a program and restores its mode afterwards.
package struct ForegroundTerminal {
  private let streams: StandardStreams
  private var modes = termios()

  /// Whether a command may lend it: at the prompt, on the interpreter's thread, while no line is
  /// edited and the program's output is not redirected.
  package static func isAvailable(on screen: Screen) -> Bool {
    let (output, input) = (screen.output, screen.output.streams.input)
    return screen.isInteractive && screen.thread.isCurrent && screen.sink.value == nil
      && !output.hasTap && !output.isEditing
      && isatty(input) == 1 && output.terminals.contains(.standardOutput)
      && tcgetpgrp(input) == getpgrp()
  }

  /// Saves the terminal's mode, and makes what is typed appear: between its lines, opsh does not.
  init(_ streams: StandardStreams) {
    self.streams = streams
    tcgetattr(streams.input, &modes)
    var modesOfProgram = modes
    modesOfProgram.c_lflag |= tcflag_t(ECHO)
    Self.withoutStopping { _ = tcsetattr(streams.input, TCSADRAIN, &modesOfProgram) }
  }

  /// Makes a program's group the foreground group, which reads input and receives key signals.
  ///
  /// The program does the same when it starts; this covers systems on which it can't.
  func lend(to group: pid_t) {
    Self.withoutStopping { _ = tcsetpgrp(streams.input, group) }
  }

  func takeBack() {
    var modes = modes
    Self.withoutStopping {
      _ = tcsetpgrp(streams.input, getpgrp())
      _ = tcsetattr(streams.input, TCSADRAIN, &modes)
    }
  }

  /// Handles a stopped program: stops opsh too, so that both are one job of the outer shell, and
  /// continues the program after opsh is continued.
  ///
  /// If no shell could ever continue it, the program continues at once.
  func stop(with group: pid_t) {
    var modesOfProgram = termios()
    tcgetattr(streams.input, &modesOfProgram)
    takeBack()
    SignalMask.stopProcess()
    // In the background this stops opsh again, until it is in the foreground.
    _ = tcsetattr(streams.input, TCSADRAIN, &modesOfProgram)
    _ = tcsetpgrp(streams.input, group)
    kill(-group, SIGCONT)
  }

  /// A background process would be stopped for changing the terminal.
  private static func withoutStopping(_ body: () -> Void) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTTOU)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &before)
    body()
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
