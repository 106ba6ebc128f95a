import Foundation

/// The names of threads, as the system's tools show them.
public enum ThreadName: Sendable {
  /// The thread that runs statements.
  public static let interpreter: String = "interpreter"
  /// A thread for bodies of blocking operations.
  public static let body: String = "opsh.body"
  /// The thread that starts other threads.
  public static let starter: String = "opsh.starter"
  /// The thread of all transfers.
  public static let network: String = "opsh.network"
  /// A thread that decodes responses.
  public static let callbacks: String = "opsh.callbacks"
  /// The thread that waits for programs.
  public static let processes: String = "opsh.processes"
  /// A thread that sleeps until the time limit of a run.
  public static let deadline: String = "opsh.deadline"
  /// A thread that reads from the process of a queue of Foundation.
  public static let foundation: String = "foundation-link"

  /// Names the calling thread.
  ///
  /// - Parameter name: The name; the system keeps 15 bytes of it.
  public static func set(_ name: String) {
    // Foundation hands the name on to the system if a thread names itself.
    Thread.current.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
  }
}
