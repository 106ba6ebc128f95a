import Operations
import ShellLanguage
import Testing

@testable import OperationShell
@testable import ShellSession
@testable import SteerCommands

@Suite("Observing operations that are still to come", .timeLimit(.minutes(5)))
struct ObserveComingTests {
  @Test("A name means the next operation that takes it, a pattern all of them")
  func coming() throws {
    let fixture = try ShellFixture(
      """
      let seen = ""
      observe nap isFinished --options new { let seen = "$seen nap" }
      observe d-* isFinished --options new { let seen = "$seen $change.subject" }
      delay 1ms --name nap
      wait
      delay 1ms --name nap
      wait
      delay 1ms --name d-a
      delay 1ms --name d-b --after d-a
      delay 1ms --name e-a
      wait
      """)
    #expect(try fixture.run("($seen)").text == " nap d-a d-b")
  }

  @Test("A name that an unfinished operation has means that one alone")
  func existing() throws {
    let fixture = try ShellFixture(
      """
      let seen = 0
      delay 10ms --name nap
      observe nap isFinished --options new { let seen = ($seen + 1) }
      wait
      delay 1ms --name nap
      wait
      """)
    #expect(try fixture.run("($seen)").text == "1")
  }

  @Test("'unobserve' ends what is still to come")
  func ended() throws {
    let fixture = try ShellFixture(
      """
      let seen = 0
      let n = observe nap* isFinished { let seen = ($seen + 1) }
      unobserve $n
      delay 1ms --name nap
      wait
      """)
    #expect(try fixture.run("($seen)").text == "0")
    #expect(fixture.session.jobs.eventHandlers.observers.isEmpty)
  }

  @Test("The check refuses a name that no statement creates")
  func misspelt() throws {
    let fixture = try ShellFixture()
    func codes(_ text: String) -> [String] {
      fixture.session.run.check(
        Parser.parse(SourceText(name: "s", text: text)), isWhole: true, names: .all,
        in: fixture.shell.interpreter.makeContext()
      ).map(\.code)
    }
    #expect(codes("observe nap isFinished\ndelay 1ms --name napp") == ["unknown-operation"])
    #expect(codes("observe nap isFinished\ndelay 1ms --name nap").isEmpty)
    #expect(codes("observe nap* isFinished\ndelay 1ms").isEmpty)
  }

  @Test(
    "A completion handler shows where it was asked for",
    arguments: [
      ("before", "executing"), ("after", "finished"), ("block", "finished"),
    ])
  func completions(_ order: String, _ state: String) throws {
    let fixture = try ShellFixture(
      "observe a isFinished --completion \(order); delay 1ms --name a; wait")
    let log = fixture.session.jobs.engine.log
    #expect(
      try fixture.pump {
        log.entries(from: 0, limit: .max).entries.contains { $0.event == .completion }
      })
    let entry = try #require(
      log.entries(from: 0, limit: .max).entries.first { $0.event == .completion })
    #expect(entry.to.rawValue == state)
  }

  @Test("The key paths are those of Apple's list")
  func keyPaths() throws {
    let fixture = try ShellFixture(
      """
      let seen = ""
      delay 10ms --name a --hold
      observe a isAsynchronous completionBlock --options initial,new { let seen = "$seen $change.keyPath=${change.new ?? none}" }
      group g --hold { delay 1ms }
      observe queue g name { let seen = "$seen $change.old>$change.new" }
      """)
    try fixture.run(
      "queue pause; group h --hold { delay 1ms }; observe queue h name { let seen = \"$seen $change.old>$change.new\" }"
    )
    try fixture.run("name h other; queue resume; start a; start other; start g; wait")
    let seen = try fixture.run("($seen)").text
    #expect(seen.contains("isAsynchronous=true"))
    #expect(seen.contains("h>other"))
  }
}
