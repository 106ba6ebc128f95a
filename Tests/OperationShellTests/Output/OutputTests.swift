import Foundation
import OpshLocking
import OpshNetworking
import OpshTerminal
import TestSupport
import Testing

@testable import ShellOutput

@Suite("Output while a line is typed")
struct OutputTests {
  private func makeOutput(_ format: Output.Format = .text) -> Output {
    let output = Output(
      format: format, clock: SessionClock(), standardOutputColor: false,
      standardErrorColor: false, isASCII: false, wakeUp: nil, width: { nil })
    // From here on nothing is written: all lines wait for the editor.
    output.beginEditing()
    return output
  }

  @Test("Buffered lines keep their order")
  func order() {
    let output = makeOutput()
    output.line("one")
    output.line("two", to: .standardError, isEvent: true)
    output.line("three")
    let taken = output.takePending(limit: 10)
    #expect(taken.lines.map(\.plain) == ["one", "two", "three"])
    #expect(!taken.hasMore)
    #expect(output.takePending(limit: 10).lines.isEmpty)
  }

  @Test("Excess events are dropped and counted, texts are kept")
  func backlog() {
    let output = makeOutput()
    for number in 0..<1000 {
      output.line(StyledText("event \(number)"), isEvent: true)
      if number % 100 == 50 { output.line(StyledText("text \(number)")) }
    }
    var lines: [String] = []
    var omitted = 0
    var hasMore = true
    var turns = 0
    while hasMore, turns < 100 {
      let taken = output.takePending(limit: 3)
      #expect(taken.lines.count <= 3)
      for line in taken.lines.map(\.plain) {
        if let count = Self.omitted(line) { omitted += count } else { lines.append(line) }
      }
      hasMore = taken.hasMore
      turns += 1
    }
    let texts = stride(from: 50, to: 1000, by: 100).map { "text \($0)" }
    #expect(lines.filter { $0.hasPrefix("text") } == texts)
    #expect(lines.filter { $0.hasPrefix("event") }.count + omitted == 1000)
    #expect(turns < 100)
  }

  /// The number of omitted events that a line reports.
  private static func omitted(_ line: String) -> Int? {
    guard line.hasPrefix("… "), line.hasSuffix(" more; 'log' shows them") else { return nil }
    return Int(line.dropFirst(2).prefix { $0.isNumber || $0 == "," }.replacing(",", with: ""))
  }

  @Test("Objects of all threads share one counter, and lines are in its order")
  func sequence() throws {
    let output = makeOutput(.json)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for _ in 0..<100 { output.object("message", ["text": .number(thread)]) }
    }
    let lines = output.takePending(limit: 1000).lines.map(\.plain)
    let numbers = try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["sequence"] as? Int ?? -1
    }
    #expect(numbers == Array(1...800))
  }

  @Test("An object starts with the type, sequence and times of its event")
  func envelope() throws {
    let output = makeOutput(.json)
    output.object(
      "queue", at: output.clock.startInstant + .milliseconds(588), ["name": .string("q")])
    let line = try #require(output.takePending(limit: 1).lines.first?.plain)
    let pattern =
      #/\{"type":"queue","sequence":1,"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","elapsed":0\.588,"name":"q"\}/#
    #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
  }

  @Test("With ASCII only, buffered lines are ASCII")
  func ascii() {
    let output = Output(
      format: .text, clock: SessionClock(), standardOutputColor: false,
      standardErrorColor: false, isASCII: true, wakeUp: nil, width: { nil })
    output.beginEditing()
    output.line("ready → executing")
    #expect(output.takePending(limit: 1).lines.map(\.plain) == ["ready -> executing"])
  }

  @Test("A closed output ends the run like a broken pipe")
  func brokenPipe() throws {
    let outcome = try Opsh.shell(
      "'echo hello; repeat 100000 { echo more }'", then: "| head -n 1; echo ${PIPESTATUS[0]}")
    #expect(outcome.output == "hello\n141\n")
  }

  @Test("A full disk is an error with its reason")
  func fullDisk() throws {
    let outcome = try Opsh.shell("'echo hello'", then: "> /dev/full; echo $?")
    #expect(outcome.output == "1\n")
    #expect(outcome.errors.contains("No space left on device"))
    // Only the summary is written, and it is lost.
    let summary = try Opsh.shell("'let _x = 1'", then: "--json > /dev/full; echo $? >&2")
    #expect(summary.errors.contains("No space left on device"))
    #expect(summary.errors.hasSuffix("1\n"))
  }

  @Test("No object follows the summary")
  func summary() {
    let output = makeOutput(.json)
    for type in ["message", "summary", "message"] { output.object(type, [:]) }
    let lines = output.takePending(limit: 10).lines.map(\.plain)
    #expect(lines.map { $0.prefix(13) } == [#"{"type":"mess"#, #"{"type":"summ"#])
  }

  private final class CountingPage: Page {
    let taken = Locked(0)

    func take(_ line: StyledText) -> Bool {
      taken.withLock { $0 += 1 }
      return true
    }

    func print() {}
  }

  @Test("A held line waits for the events before it, and is no part of a page")
  func heldLines() {
    let output = makeOutput()
    let line = Output.Line(
      text: StyledText("held"), stream: .standardOutput, isEvent: false, isWhole: true,
      folds: false)
    #expect(!output.held.keep(.line(line)))
    output.held.begin { 5 }
    #expect(output.held.keep(.line(line)))
    let page = CountingPage()
    output.setPage(page)
    output.writeHeld(before: 4)
    #expect(output.takePending(limit: 10).lines.isEmpty && !output.held.isEmpty)
    output.writeHeld(before: 5)
    #expect(output.takePending(limit: 10).lines.map(\.plain) == ["held"])
    #expect(page.taken.withLock { $0 } == 0)
  }
}
