import Foundation
import Operations
import Testing

@testable import OpshNetworking

@Suite("Retries of requests")
struct RetryAdviceTests {
  @Test(
    "Retry-After is parsed as seconds or as a date",
    arguments: [
      ("0", Duration.zero), ("120", .seconds(120)),
      ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(37)),
      ("Sun, 06 Nov 1994 08:48:00 GMT", .zero), ("99999999999999999999", .seconds(Int32.max)),
      ("-1", nil), ("soon", nil), ("", nil), ("Sun, 06 Nov 1994 25:49:37 GMT", nil),
    ] as [(String, Duration?)])
  func retryAfter(text: String, expected: Duration?) {
    let head = head(503, [("Retry-After", text)])
    #expect(RetryAdvice.retryAfter(in: head, now: Self.now) == expected)
  }

  @Test(
    "A date in Retry-After is measured from the Date of the response, seconds are not",
    arguments: [
      // A server whose clock is an hour behind, and one whose clock is a day ahead.
      ("Sun, 06 Nov 1994 07:49:00 GMT", "Sun, 06 Nov 1994 07:49:30 GMT", 30),
      ("Mon, 07 Nov 1994 08:49:00 GMT", "Mon, 07 Nov 1994 08:49:05 GMT", 5),
      ("Mon, 07 Nov 1994 08:49:00 GMT", "Mon, 07 Nov 1994 08:48:00 GMT", 0),
      ("Mon, 07 Nov 1994 08:49:00 GMT", "7", 7),
      // Not a date, so the clock of this machine counts.
      ("yesterday", "Sun, 06 Nov 1994 08:49:30 GMT", 30),
    ])
  func retryAfterFromDate(date: String, text: String, seconds: Int) {
    let asked = RetryAdvice.askedPause(
      .invalidStatusCode(503), head(503, [("Date", date), ("Retry-After", text)]), Self.now)
    #expect(asked == .seconds(seconds))
  }

  /// 08:49:00 of that day.
  private static let now = Date(timeIntervalSince1970: 784_111_740)

  private func head(_ status: Int, _ headers: [(String, String)] = []) -> HTTPResponseHead {
    HTTPResponseHead(
      status: status, headers: HTTPHeaders(received: headers), url: "http://a.example/")
  }

  @Test("Statuses that pass by themselves, and errors with a time to retry, are transient")
  func transient() throws {
    let passing = (400...599).filter { RetryAdvice.isTransient(.invalidStatusCode($0)) }
    #expect(passing == [408, 420, 425, 429, 500, 502, 503, 504])
    let error = NetworkError.api(id: 400, name: "bad_parameter", message: "no")
    #expect(!RetryAdvice.isTransient(error))
    #expect(!RetryAdvice.isTransient(error, head: head(400)))
    #expect(RetryAdvice.isTransient(error, head: head(503)))
    #expect(RetryAdvice.isTransient(error, head: head(400, [("Retry-After", "1")])))
  }

  @Test("The backoff is parsed from the throttle message of the service")
  func throttle() {
    let policy = RetryPolicy(limit: 1, longestBackoff: .seconds(100))
    let asked = { (message: String) in
      RetryAdvice.askedPause(
        .api(id: 502, name: "throttle_violation", message: message), nil, Date())
    }
    let decision = { (asked: Duration?, chance: Double) -> RetryDecision in
      RetryAdvice.decision(
        asked: asked, after: 1, policy: policy, standard: .milliseconds(500), chance: chance)
    }
    let soon = asked("too many requests, more requests available in 42 seconds")
    let note = ", which asks for 42 s"
    #expect(soon == .seconds(42))
    #expect(decision(soon, 0) == .after(.seconds(42), note: note))
    #expect(decision(soon, 1) == .after(.seconds(43), note: note))
    for (jitter, seconds) in [(0, 42), (0.5, 42.5), (1, 43)] {
      var policy = policy
      policy.jitter = jitter
      let decision = RetryAdvice.decision(
        asked: soon, after: 1, policy: policy, standard: .zero, chance: 1)
      #expect(decision == .after(.seconds(seconds), note: note))
    }
    let late = asked("too many requests, more requests available in 4321 seconds")
    #expect(
      decision(late, 0)
        == .stop(
          reason: "the server asks for a pause of 1 h 12 min, and 1 min 40 s is the longest"))
    #expect(
      decision(.seconds(100), 0) == .after(.seconds(100), note: ", which asks for 1 min 40 s"))
    #expect(asked("Violation of backoff parameter") == nil)
    #expect(decision(nil, 0) == .after(.milliseconds(500)))
    // Zero, or a date that has passed, does not cancel the own backoff.
    #expect(decision(.zero, 0) == .after(.milliseconds(500)))
  }

  @Test("Backoff doubles, is randomized, and stays within its bound")
  func backoff() {
    let decide = { (policy: RetryPolicy, attempt: Int, chance: Double) -> RetryDecision in
      RetryAdvice.decision(
        asked: nil, after: attempt, policy: policy, standard: .milliseconds(500), chance: chance)
    }
    let policy = RetryPolicy(
      limit: 9, backoff: .milliseconds(100), longestBackoff: .seconds(1))
    for (attempt, least) in [(1, 100), (2, 200), (3, 400), (8, 1000), (499, 1000)] {
      #expect(decide(policy, attempt, 0) == .after(.milliseconds(least)))
      #expect(
        decide(policy, attempt, 1) == .after(min(.milliseconds(least) * 1.25, .seconds(1))))
    }
    let absurd = RetryPolicy(limit: 9, backoff: .seconds(Int64.max))
    #expect(decide(absurd, 98, 1) == .after(.nanoseconds(Int64.max)))
  }
}
