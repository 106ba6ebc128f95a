import Foundation

/// One check, which is run in a process of its own.
struct Check {
  /// What a check found to be wrong.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  let name: String
  /// The longest that it may take; then a signal ends its process.
  let seconds: UInt32
  let body: @Sendable () throws -> Void

  init(_ name: String, within seconds: UInt32 = 120, _ body: @escaping @Sendable () throws -> Void)
  {
    self.name = name
    self.seconds = seconds
    self.body = body
  }

  /// Runs the check in this process.
  ///
  /// - Returns: Whether it passed; if not, the reason is printed.
  func runHere() -> Bool {
    // The signal ends the process, whatever its threads do.
    alarm(seconds)
    do {
      try body()
      return true
    } catch {
      print("  \(error)")
      return false
    }
  }

  /// Runs the check in a child process and prints a line about it.
  ///
  /// - Returns: Whether it passed.
  func runInChild() -> Bool {
    let start = ContinuousClock.now
    let child = Process()
    child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    child.arguments = [name]
    let failure: String?
    do {
      try child.run()
      child.waitUntilExit()
      failure = Self.failure(of: child, seconds)
    } catch {
      failure = "\(error)"
    }
    let spent = String(format: "%.1f s", (ContinuousClock.now - start) / .seconds(1))
    print(
      "\(failure == nil ? "ok  " : "FAIL") \(name) (\(failure.map { "\($0), " } ?? "")\(spent))")
    return failure == nil
  }

  private static func failure(of child: Process, _ seconds: UInt32) -> String? {
    let status = child.terminationStatus
    if child.terminationReason == .exit { return status == 0 ? nil : "status \(status)" }
    return status == SIGALRM ? "not done within \(seconds) s" : "signal \(status)"
  }
}

/// Ends the check unless a condition is met.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw Check.Failure(message()) }
}

/// Waits until a condition is met; the time limit of the check ends it otherwise.
func eventually(_ condition: () -> Bool) {
  while !condition() { usleep(500) }
}

/// Runs `body` on a thread with a stack of that size, and waits for it.
func onStack(_ size: Int, _ body: @escaping @Sendable () throws -> Void) throws {
  let done = DispatchSemaphore(value: 0)
  let result = Shared<Result<Void, any Error>>(.success(()))
  let thread = Thread {
    let outcome = Result { try body() }
    result.set(outcome)
    done.signal()
  }
  thread.stackSize = size
  thread.start()
  done.wait()
  try result.value.get()
}
