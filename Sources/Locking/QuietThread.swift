public import Foundation

extension Thread {
  /// Starts a thread that receives no signals of the process, and neither do threads it creates.
  ///
  /// Signals are for the thread that is set up to receive them: a program may read them from a
  /// descriptor, and a signal delivered to another thread would be lost.
  ///
  /// - Parameters:
  ///   - name: The name in debuggers and in the system's tools.
  ///   - stackSize: The size of its stack in bytes.
  ///   - body: The work of the thread, which ends after it.
  public static func startQuiet(
    name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void
  ) {
    let thread = Thread {
      ThreadName.set(name)
      body()
    }
    thread.name = name
    thread.stackSize = stackSize
    // A thread inherits the mask of the one that creates it.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    // Signals of faults stay unblocked: if blocked, they would end the process without its
    // handlers.
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
      sigdelset(&all, fault)
    }
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    thread.start()
    pthread_sigmask(SIG_SETMASK, &previous, nil)
  }
}
