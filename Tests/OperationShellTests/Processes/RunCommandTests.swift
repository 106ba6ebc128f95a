import Foundation
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import OpshProcesses

@Suite("Programs as operations", .timeLimit(.minutes(15)))
struct RunCommandTests {
  private func output(_ name: String, of fixture: ShellFixture) throws -> ProcessOutput {
    try #require(try fixture.operation(name) as? ProcessOperation).output
  }

  @Test("The operation keeps the program's output and ends with the program")
  func simple() throws {
    let fixture = try ShellFixture("run sh -c 'echo out; echo err >&2'; wait")
    let output = try output("run-1", of: fixture)
    #expect(output.output == Array("out\n".utf8))
    #expect(output.errors == Array("err\n".utf8))
    #expect(output.status == 0 && output.omitted == 0)
    #expect(try fixture.output(of: "result last") == ["out", "err"])
    try fixture.run("expect (run-1.result.output == \"out\\n\")")
  }

  @Test("The run time of an ended program does not depend on when it is read")
  func time() throws {
    let fixture = try ShellFixture("run --name a echo abc; wait")
    let operation = try fixture.operation("a")
    let first = operation.outcomeSummary
    try fixture.run("sleep 30ms")
    #expect(operation.outcomeSummary == first)
    #expect(first?.hasPrefix("printed 4 B, ") == true)
    operation.dropValue()
    #expect(operation.outcomeSummary == first, "also when the output was dropped")
  }

  @Test("Secrets in a program's arguments are masked")
  func secrets() throws {
    let fixture = try ShellFixture(
      "run true -H 'Authorization: Bearer SECRET' http://a/ --key SECRET 'two words'; wait")
    let shown = try fixture.output(of: "show last").first { $0.hasPrefix("program") }
    let stars = String(repeating: "*", count: 13)
    #expect(
      shown?.hasSuffix(
        "true -H 'Authorization: \(stars)' http://a/ --key ****** 'two words'") == true,
      "\(shown ?? "")")
  }

  @Test("Options after the program belong to the program")
  func options() throws {
    let fixture = try ShellFixture("run --name who printf %s --name; wait")
    #expect(try output("who", of: fixture).output == Array("--name".utf8))
  }

  @Test(
    "A failed program is reported with the code of its end",
    arguments: [
      ("sh -c 'echo why >&2; exit 3'", "exit-status(3)"), ("sh -c 'kill -9 $$'", "signal(9)"),
      ("sh -c 'kill -TERM $$'", "signal(15)"), ("no-such-program", "file(2)"),
      ("/", "file(13)"), ("false", "exit-status(1)"),
    ])
  func failure(program: String, code: String) throws {
    let fixture = try ShellFixture("run \(program); wait --any-outcome")
    let failure = try fixture.operation("run-1").outcome?.failure
    #expect(failure?.code == code)
    if code == "exit-status(3)" { #expect(failure?.message.hasSuffix("status 3: why") == true) }
  }

  @Test("A program has empty input and leads its own process group")
  func surroundings() throws {
    let fixture = try ShellFixture(
      "run cat; run sh -c 'ps -o pgid= -p $$; echo $$' ; wait")
    #expect(try output("run-1", of: fixture).output.isEmpty)
    let numbers = String(decoding: try output("run-2", of: fixture).output, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    #expect(numbers.count == 2 && numbers.first == numbers.last)
  }

  @Test("Cancelling ends the whole process group, and then the operation")
  func cancel() throws {
    let fixture = try ShellFixture("run sh -c 'sleep 1000 & echo $! $$; wait'")
    let process = try #require(try fixture.operation("run-1") as? ProcessOperation)
    #expect(try fixture.pump { process.outputCount > 0 && process.output.output.last == 10 })
    let numbers = String(decoding: process.output.output, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    try #require(numbers.count == 2)
    try fixture.run("cancel run-1; wait run-1")
    #expect(process.outcome == .cancelled)
    let (sleep, shell) = (numbers[0], numbers[1])
    // It was told to end, and may need a moment.
    #expect(eventually { hasEnded(sleep) })
    #expect(kill(shell, 0) != 0)
  }

  /// Whether the process is gone, or a zombie that its new parent has not reaped yet: opsh reaps its
  /// own children only.
  private func hasEnded(_ process: pid_t) -> Bool {
    guard let text = FileManager.default.contents(atPath: "/proc/\(process)/stat") else {
      return true
    }
    return String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst(2).first == "Z"
  }

  @Test("A program that ignores TERM keeps its slot for the grace period and is then killed")
  func grace() throws {
    let fixture = try ShellFixture(
      "run --grace 5s sh -c \"trap '' TERM; echo ready; while :; do sleep 0.01; done\"")
    let process = try #require(try fixture.operation("run-1") as? ProcessOperation)
    #expect(try fixture.pump { process.outputCount > 0 })
    let start = ContinuousClock.now
    try fixture.run("cancel run-1")
    #expect(process.state == .executing && process.isCancelled)
    try fixture.run("wait run-1")
    #expect(ContinuousClock.now - start >= .seconds(5))
    #expect(process.outcome == .cancelled)
  }

  @Test("A time limit ends the program like a cancellation, and is the reported failure")
  func timeLimit() throws {
    let fixture = try ShellFixture("run --timeout 50ms sleep 1000; wait --any-outcome")
    #expect(try fixture.operation("run-1").outcome?.failure?.code == "timed-out")
    #expect((try fixture.operation("run-1") as? ProcessOperation)?.process == nil)
  }

  @Test("Retries run the program again")
  func retry() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      """
      run --retry 2 --backoff 1ms sh -c 'echo x >> "\(folder.path)/runs"; exit 1'
      wait --any-outcome
      """)
    #expect(try fixture.operation("run-1").attempts == 3)
    #expect(folder.read("runs") == "x\nx\nx\n")
  }

  @Test("Of long output the end is kept, and the omitted part is counted")
  func bounded() throws {
    let fixture = try ShellFixture("run sh -c 'head -c 5000000 /dev/zero | tr \"\\0\" x'; wait")
    let output = try output("run-1", of: fixture)
    #expect(output.output.count == ProcessOutput.limit)
    #expect(output.omitted == 5_000_000 - ProcessOutput.limit)
    #expect(try fixture.shown(by: "result last").first?.contains("were not kept") == true)
    #expect(try fixture.output(of: "result last") == [String(repeating: "x", count: 1_000_000)])
  }

  @Test("A process left in the background does not delay the operation's end")
  func leftBehind() throws {
    let fixture = try ShellFixture("run sh -c 'sleep 20 & echo $!'; wait")
    #expect(try fixture.operation("run-1").outcome == .succeeded)
    let number = String(decoding: try output("run-1", of: fixture).output, as: UTF8.self)
    if let left = pid_t(number.trimmingCharacters(in: .whitespacesAndNewlines)) {
      kill(left, SIGKILL)
    }
  }

  @Test("Many programs run concurrently without a thread for each")
  func many() throws {
    // In a process of its own, in which no other tests start threads.
    let outcome = try Opsh.run(
      """
      queue width unlimited; run --count 40 sh -c 'exec sleep 1000'
      expect (network.executing == 40) within 20s
      !ls /proc/$PPID/task | wc -l
      cancel all; wait --any-outcome
      """, options: ["--events", "off"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let threads = try #require(Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Foundation starts processes on a few threads of its own.
    #expect(threads > 0 && threads < 22)
  }

  @Test("Following shows the output, and with events off also the transitions")
  func follow() throws {
    let fixture = try ShellFixture("run sh -c 'echo one; sleep 0.05; printf two'")
    let lines = try fixture.output(of: "follow run-1")
    #expect(lines.contains("one") && lines.contains("two"))
    #expect(lines.contains { $0.contains("executing → finished") })
    #expect(try fixture.output(of: "follow run-1").contains("two"))
    #expect(
      try fixture.error(of: "queue pause; delay 1ms --name d; follow d").code == "never-ends")
  }

  @Test("Control characters in program output do not reach the terminal")
  func controlCharacters() throws {
    let fixture = try ShellFixture("run printf 'a\\033[2Jb'; wait")
    #expect(try fixture.shown(by: "result last") == ["a^[[2Jb"])
  }

  @Test("No child process survives the end of the shell")
  func leaving() throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      """
      run sh -c "trap '' TERM; echo \\$\\$ > number; while :; do sleep 0.05; done"
      !sh -c 'while [ ! -s number ]; do sleep 0.01; done'
      quit --now
      """, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let number = try #require(
      folder.read("number").flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
    #expect(eventually { hasEnded(number) })
  }
}
