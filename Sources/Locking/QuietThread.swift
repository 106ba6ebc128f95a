public import Foundation

extension Thread {
  /// Starts a thread that no signal of the process is delivered to, nor to those it starts.
  ///
  /// Signals are the business of the thread that set up to receive them: a program may read them
  /// from a descriptor, and one that another thread takes would be lost to it.
  ///
  /// - Parameters:
  ///   - name: What debuggers show.
  ///   - stackSize: The size of its stack in bytes.
  ///   - body: What it does; it ends with it.
  public static func startQuiet(
    name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void
  ) {
    let thread = Thread(block: body)
    thread.name = name
    thread.stackSize = stackSize
    // A thread inherits the mask of the one that creates it.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    // Those of a fault are the thread's own: blocked, they would end the process past its handlers.
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
      sigdelset(&all, fault)
    }
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    thread.start()
    pthread_sigmask(SIG_SETMASK, &previous, nil)
  }
}
