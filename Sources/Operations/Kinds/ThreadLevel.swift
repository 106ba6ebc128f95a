import Foundation

/// The priority of a thread, as the system knows it: its nice value.
enum ThreadLevel: Sendable {
  case high, standard, utility, background

  /// How much nicer than the process a thread is; the same values as libdispatch's.
  private var offset: Int32 {
    switch self {
    case .high: -2
    case .standard: 0
    case .utility: 2
    case .background: 10
    }
  }

  /// Whether threads have a lower priority than the process.
  var isLowered: Bool { offset > 0 }

  /// Gives the calling thread this priority.
  ///
  /// A higher one than it has takes a permission, and without that nothing changes.
  func applyToThread() {
    if isLowered { ThreadStarter.markThread() }
    #if os(Linux)
      // The nice value of the process is that of its first thread.
      let kind = __priority_which_t(PRIO_PROCESS.rawValue)
      let value = getpriority(kind, id_t(getpid())) + offset
      if getpriority(kind, 0) != value { setpriority(kind, 0, value) }
    #endif
  }
}
