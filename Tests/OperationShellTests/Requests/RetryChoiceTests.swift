import Networking
import Operations
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
}
