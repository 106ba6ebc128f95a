import Networking
import Operations
import ShellLanguage
import Testing

@testable import OperationShell

@Suite("How often and when to begin again")
struct RetryChoiceTests {
  @Test("A pause that was asked for is kept, however long, and then no longer one follows")
  func longPause() throws {
    var choice = RetryChoice()
    choice.count = 2
    choice.backoff = .seconds(600)
    let policy = try #require(choice.policy)
    #expect(policy.delay(after: 1, chance: 0) == .seconds(600))
    #expect(policy.delay(after: 2, chance: 0) == .seconds(600))
    var options = RequestOptions()
    choice.apply(to: &options)
    #expect(options.maximumRetryDelay == .seconds(600))
  }

  @Test("A short pause grows to a minute at most")
  func shortPause() throws {
    var choice = RetryChoice()
    choice.count = 2
    choice.backoff = .seconds(40)
    let policy = try #require(choice.policy)
    #expect(policy.delay(after: 1, chance: 0) == .seconds(40))
    #expect(policy.delay(after: 2, chance: 0) == .seconds(60))
  }

  @Test(
    "What says more about another option is refused without that one",
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
    #expect(fixture.session.operations.unfinished.allSatisfy { $0.state == .created })
  }

  @Test("A list that an option is given may be empty")
  func empty() throws {
    let fixture = try ShellFixture(
      "let earlier = (list()); delay 1ms --after $earlier --on-failure skip; wait")
    #expect(try fixture.operation("delay-1").outcome == .succeeded)
  }

  @Test("A group may say the one half for its members, and they the other")
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
