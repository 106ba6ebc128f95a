import CTerminalRescue

/// Has a process that crashes leave the terminal as it found it.
///
/// A terminal without echo and line editing is what a crash would leave behind otherwise. The
/// signal then does what it does without this: status and core are the same.
enum TerminalRescue {
  /// Takes note of a terminal in the state to which a crash returns it.
  ///
  /// Call it on the thread that edits: a stack for the handlers of its own is made, where the
  /// thread's may have come to its end.
  ///
  /// - Parameters:
  ///   - input: The descriptor that is read.
  ///   - output: The descriptor that is written.
  static func begin(input: Int32, output: Int32) {
    _ = isInstalled
    opsh_rescue_arm(input, output)
  }

  /// Leaves the terminal alone.
  static func end() { opsh_rescue_disarm() }

  /// The handlers stay for good, and do nothing where no terminal is noted.
  private static let isInstalled: Bool = {
    opsh_rescue_install()
    opsh_rescue_stack()
    return true
  }()
}
