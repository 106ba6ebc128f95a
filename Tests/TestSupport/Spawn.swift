import COpshSystem
import Foundation

/// Starts programs by `posix_spawn`.
enum Spawn {
  /// Changes to the child's descriptors before the program runs.
  enum FileAction {
    case duplicate(Int32, to: Int32)
    case open(String, as: Int32)
  }

  /// Starts a program with all signals unblocked.
  static func start(
    _ program: String, arguments: [String], environment: [String: String]?, directory: String?,
    actions: [FileAction], newSession: Bool
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let failure = opsh_spawnattr_child_signals(
      &attributes, newSession ? opsh_spawn_setsid() : 0)
    guard failure == 0 else { throw TestSupportError.system("set attributes", code: failure) }

    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    for action in actions {
      switch action {
      case .duplicate(let source, let target):
        posix_spawn_file_actions_adddup2(&files, source, target)
      case .open(let path, let target):
        posix_spawn_file_actions_addopen(&files, target, path, O_RDWR, 0)
      }
    }
    if let directory { posix_spawn_file_actions_addchdir_np(&files, directory) }

    let variables = (environment ?? ProcessInfo.processInfo.environment)
      .map { "\($0.key)=\($0.value)" }
    var pid: pid_t = 0
    // A program file that a test has just written is busy while a child that another test starts at
    // the same moment still has the descriptor for writing it.
    let deadline = ContinuousClock.now + .seconds(30)
    var code: Int32 = 0
    repeat {
      if code == ETXTBSY { usleep(5_000) }
      code = withCStrings([program] + arguments) { argv in
        withCStrings(variables) { envp in
          posix_spawn(&pid, program, &files, &attributes, argv, envp)
        }
      }
    } while code == ETXTBSY && .now < deadline
    guard code == 0 else { throw TestSupportError.system("run \(program)", code: code) }
    return pid
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  /// Waits for a child until a deadline, then kills it and its group's session.
  ///
  /// - Returns: The raw status, and whether the deadline passed.
  static func reap(_ pid: pid_t, deadline: ContinuousClock.Instant) -> (Int32, Bool) {
    var status: Int32 = 0
    var timedOut = false
    while true {
      let result = waitpid(pid, &status, timedOut ? 0 : WNOHANG)
      if result == pid { return (status, timedOut) }
      if result < 0, opsh_errno() != EINTR { return (-1, timedOut) }
      if !timedOut, ContinuousClock.now >= deadline {
        timedOut = true
        kill(pid, SIGKILL)
      } else if !timedOut {
        usleep(1_000)
      }
    }
  }
}
