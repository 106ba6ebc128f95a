import COpshSystem
public import Foundation

/// A program that runs with pipes for its standard streams.
///
/// It is for tests that act while the program runs, such as sending it a signal; other tests use
/// ``ChildProcess``.
public final class RunningChild {
  /// The process id.
  public let processIdentifier: Int32
  private var input: Int32
  private let output: Int32
  private let errors: Int32
  /// The standard output read so far.
  public private(set) var stdout: Data = Data()
  /// The standard error read so far.
  public private(set) var stderr: Data = Data()
  private var isReaped = false

  /// Starts a program.
  public init(
    _ program: String, arguments: [String] = [], environment: [String: String]? = nil,
    directory: String? = nil
  ) throws {
    let (inputEnd, input) = try Self.makePipe()
    let (output, outputEnd) = try Self.makePipe()
    let (errors, errorEnd) = try Self.makePipe()
    defer { for end in [inputEnd, outputEnd, errorEnd] { close(end) } }
    self.input = input
    self.output = output
    self.errors = errors
    processIdentifier = try Spawn.start(
      program, arguments: arguments, environment: environment, directory: directory,
      actions: [
        .duplicate(inputEnd, to: 0), .duplicate(outputEnd, to: 1), .duplicate(errorEnd, to: 2),
      ], newSession: false)
    for end in [input, output, errors] {
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
    }
  }

  deinit {
    if !isReaped {
      kill(processIdentifier, SIGKILL)
      var status: Int32 = 0
      while waitpid(processIdentifier, &status, 0) < 0, opsh_errno() == EINTR {}
    }
    for end in [input, output, errors] where end >= 0 { close(end) }
  }

  /// Sends the program a signal.
  public func send(signal number: Int32) {
    kill(processIdentifier, number)
  }

  /// Writes to the program's standard input without closing it.
  ///
  /// - Parameter text: The text; it must fit into a pipe, 64 kB.
  public func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = withoutBrokenPipe { Glibc.write(input, bytes, bytes.count) }
  }

  /// Closes the program's standard input.
  public func closeInput() {
    guard input >= 0 else { return }
    close(input)
    input = -1
  }

  /// Reads until the condition holds, the program has closed its output, or the time limit is
  /// exceeded.
  ///
  /// - Parameters:
  ///   - timeout: The longest time to wait.
  ///   - condition: Receives standard output and standard error so far.
  /// - Returns: Whether the condition held.
  public func read(
    timeout: Duration = .seconds(60), until condition: (_ stdout: String, _ stderr: String) -> Bool
  ) -> Bool {
    let deadline = ContinuousClock.now + timeout
    while true {
      let text = String(decoding: stdout, as: UTF8.self)
      if condition(text, String(decoding: stderr, as: UTF8.self)) { return true }
      guard ContinuousClock.now < deadline, pump([], until: deadline) != nil else {
        return condition(
          String(decoding: stdout, as: UTF8.self), String(decoding: stderr, as: UTF8.self))
      }
    }
  }

  /// Writes all of the input, closes it, reads all output, and waits for the program's end.
  ///
  /// - Parameters:
  ///   - data: The rest of the input.
  ///   - timeout: The time after which the program is killed.
  /// - Returns: Status and output.
  public func communicate(
    input data: Data = Data(), timeout: Duration = .seconds(60)
  ) -> ChildProcess.Outcome {
    let deadline = ContinuousClock.now + timeout
    var rest = Array(data)[...]
    if rest.isEmpty { closeInput() }
    while ContinuousClock.now < deadline, let written = pump(rest, until: deadline) {
      rest = rest.dropFirst(written)
      if rest.isEmpty { closeInput() }
    }
    closeInput()
    let (status, timedOut) = Spawn.reap(processIdentifier, deadline: deadline)
    isReaped = true
    drain()
    return ChildProcess.Outcome(
      status: opsh_exit_status(status), signal: opsh_exit_signal(status), stdout: stdout,
      stderr: stderr, timedOut: timedOut)
  }

  private var openOutputs: Set<Int32> = []
  private var hasBegun = false

  /// Waits for one step; returns the number of written bytes, or nil after all output has ended.
  private func pump(_ rest: ArraySlice<UInt8>, until deadline: ContinuousClock.Instant) -> Int? {
    if !hasBegun {
      openOutputs = [output, errors]
      hasBegun = true
    }
    guard !openOutputs.isEmpty else { return nil }
    var entries = openOutputs.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if input >= 0, !rest.isEmpty {
      entries.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0))
    }
    let left = max(.zero, ContinuousClock.now.duration(to: deadline)).components
    let limit = min(left.seconds, 3600) * 1_000_000_000 + left.attoseconds / 1_000_000_000
    guard opsh_poll(&entries, UInt(entries.count), limit) > 0 else { return 0 }
    var written = 0
    for entry in entries where entry.revents != 0 {
      if entry.fd == input {
        let count = withoutBrokenPipe {
          rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
        }
        // A program may ignore its input: the rest is dropped.
        written = count >= 0 ? count : opsh_errno() == EAGAIN ? 0 : rest.count
      } else if !readSome(entry.fd) {
        openOutputs.remove(entry.fd)
      }
    }
    return written
  }

  private func drain() {
    for descriptor in [output, errors] {
      // Non-blocking: a grandchild may keep the pipe open for ever.
      while readSome(descriptor, retriesWhenEmpty: false) {}
    }
  }

  /// Returns false at the end of the output.
  private func readSome(_ descriptor: Int32, retriesWhenEmpty: Bool = true) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.read(descriptor, &chunk, chunk.count)
    if count < 0 { return retriesWhenEmpty && [EAGAIN, EINTR].contains(opsh_errno()) }
    if descriptor == output {
      stdout.append(contentsOf: chunk[..<count])
    } else {
      stderr.append(contentsOf: chunk[..<count])
    }
    return count > 0
  }

  /// Writing to a program that has exited must not end the tests.
  private func withoutBrokenPipe(_ body: () -> Int) -> Int {
    opsh_signal_ignore(SIGPIPE)
    return body()
  }

  private static func makePipe() throws -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw TestSupportError.system("make a pipe") }
    return (ends[0], ends[1])
  }
}

@available(*, unavailable)
extension RunningChild: Sendable {}
