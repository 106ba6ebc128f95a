import CTerminalRescue

/// Restores the terminal when the process crashes.
///
/// Otherwise a crash would leave a terminal without echo and line editing. The signal then has its
/// normal effect: status and core dump are the same.
enum TerminalRescue {
  /// Saves the mode of a terminal for a crash.
  ///
  /// Call it on the thread that edits: it creates a separate stack for the handlers, because the
  /// thread's may have overflowed.
  ///
  /// - Parameters:
  ///   - input: The descriptor that is read.
  ///   - output: The descriptor that is written.
  static func begin(input: Int32, output: Int32) {
    _ = isInstalled
    opsh_rescue_arm(input, output)
  }

  /// Saves the mode for a full screen, unless the line editor has saved it; restores both.
  ///
  /// - Returns: Whether it was saved here, so that ``endFullScreen(saved:)`` ends that.
  static func beginFullScreen(input: Int32, output: Int32) -> Bool {
    let isNew = opsh_rescue_is_armed() == 0
    if isNew { begin(input: input, output: output) }
    opsh_rescue_full_screen(1)
    return isNew
  }

  /// Says that the full screen was left.
  ///
  /// - Parameter isNew: What ``beginFullScreen(input:output:)`` returned.
  static func endFullScreen(saved isNew: Bool) {
    opsh_rescue_full_screen(0)
    if isNew { end() }
  }

  /// Stops restoring the terminal.
  static func end() { opsh_rescue_disarm() }

  /// The handlers stay installed, and do nothing if no terminal is saved.
  private static let isInstalled: Bool = {
    opsh_rescue_install()
    opsh_rescue_stack()
    return true
  }()
}
