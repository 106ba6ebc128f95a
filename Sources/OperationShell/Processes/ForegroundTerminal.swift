import CSystem
import Foundation
import Terminal

/// The terminal, lent to a program and taken back as it was.
struct ForegroundTerminal {
  private var modes = termios()

  /// Whether a command may lend it: at the prompt, on the thread that reads it, while no line is
  /// edited and the program's text goes nowhere else.
  static func isAvailable(in session: Session) -> Bool {
    session.isInteractive && session.isOnInterpreterThread && CurrentSink.value == nil
      && !session.output.hasTap && !session.output.isEditing
      && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
      && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }

  /// Notes how the terminal is set.
  init() { tcgetattr(STDIN_FILENO, &modes) }

  /// Makes a program's group the one that reads, and gets the signals of keys.
  ///
  /// Does what the program is about to do itself, for systems on which it can't.
  func lend(to group: pid_t) {
    Self.withoutStopping { _ = tcsetpgrp(STDIN_FILENO, group) }
  }

  func takeBack() {
    var modes = modes
    Self.withoutStopping {
      _ = tcsetpgrp(STDIN_FILENO, getpgrp())
      _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
    }
  }

  /// The program was stopped: stops opsh too, so that both are one job of the shell outside, and
  /// continues the program when opsh is.
  ///
  /// Where no shell could ever continue it, the program just goes on.
  func stop(with group: pid_t) {
    var modesOfProgram = termios()
    tcgetattr(STDIN_FILENO, &modesOfProgram)
    takeBack()
    SignalMask.stopProcess()
    // In the background this stops opsh once more, until it is in the foreground.
    _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &modesOfProgram)
    _ = tcsetpgrp(STDIN_FILENO, group)
    kill(-group, SIGCONT)
  }

  /// Puts the cursor into the first column, below what a program has printed without a line break.
  ///
  /// As many blanks as a row has columns end in the next row, unless the first stood at the beginning
  /// of one.
  static func beginRow(columns: Int) {
    let blanks = String(repeating: " ", count: max(1, columns))
    _ = Output.writeFully(blanks + "\r", to: STDOUT_FILENO)
  }

  /// Who isn't in the foreground would be stopped for changing the terminal.
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
