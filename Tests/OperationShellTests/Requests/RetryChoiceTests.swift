import CommandParts
import Operations
@testable import ShellCommands
import ShellLanguage
@testable import ShellSession
@testable import SteerCommands
import Testing

@Suite("Number and backoff of retries")
struct RetryChoiceTests {
  @Test("A chosen backoff of any length is kept and becomes the maximum")
  func longPause() throws {
    var choice = RetryChoice()
    choice.count = 2
    choice.backoff = .seconds(600)
    let policy = try #require(choice.policy)
    #expect(policy.delay(after: 1, chance: 0) == .seconds(600))
    #expect(policy.delay(after: 2, chance: 0) == .seconds(600))
  }

  @Test("A short backoff grows up to a minute")
  func shortPause() throws {
    var choice = RetryChoice()
    choice.count = 2
    choice.backoff = .seconds(40)
    let policy = try #require(choice.policy)
    #expect(policy.delay(after: 1, chance: 0) == .seconds(40))
    #expect(policy.delay(after: 2, chance: 0) == .seconds(60))
  }

  @Test(
    "An option that refines another one is an error without it",
    arguments: [
      ("delay 1ms --on-failure skip", "'--on-failure' means nothing without '--after'"),
      ("delay 1ms --backoff 1s", "'--backoff' means nothing without '--retry'"),
      ("fetch questions --jitter 10%", "'--jitter' means nothing without '--retry'"),
      ("group g { block --backoff 1s {} }", "'--backoff' means nothing without '--retry'"),
      (
        "delay 1ms --name a --hold; deps a --on-failure skip",
        "'--on-failure' says more about 'deps OP on OP…' only"
      ),
    ])
  func incomplete(_ script: String, _ message: String) throws {
    let fixture = try ShellFixture()
    let error = try #require(throws: Diagnostic.self) { try fixture.run(script) }
    #expect(error.code == "missing-option")
    #expect(error.message == message)
    #expect(fixture.session.jobs.operations.unfinished.allSatisfy { $0.state == .created })
  }

  @Test("The list value of an option may be empty")
  func empty() throws {
    let fixture = try ShellFixture(
      "let earlier = (list()); delay 1ms --after $earlier --on-failure skip; wait")
    #expect(try fixture.operation("delay-1").outcome == .succeeded)
  }

  @Test("A request without '--backoff' and '--jitter' has its own, and a body another one")
  func standard() throws {
    let fixture = try ShellFixture(
      "block --retry 2 --name b --hold {}; fetch questions --retry 1 --timeout 3s --name f --hold")
    #expect(
      try fixture.output(of: "( b.backoff == 100ms and f.backoff == 500ms )") == ["true"])
    #expect(try fixture.output(of: "( f.retry == 1 and f.timeout == 3s )") == ["true"])
    let request = try #require(try fixture.operation("f").retryPolicy)
    #expect(request.jitter == nil && request.longestBackoff == .seconds(60))
  }

  @Test("Retry options of a group and of its members are combined")
  func groups() throws {
    let fixture = try ShellFixture(
      """
      group g --backoff 1s { delay 1ms --retry 1 --name a }
      group h --retry 1 { delay 1ms --backoff 1s --name b }
      wait
      """)
    for name in ["a", "b"] {
      let policy = try #require(try fixture.operation(name).retryPolicy)
      #expect(policy.limit == 1 && policy.backoff == .seconds(1))
    }
  }
}
