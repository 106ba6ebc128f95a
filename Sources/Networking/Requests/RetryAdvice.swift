import Foundation

/// Decides whether and when a failed request is worth a further attempt.
enum RetryAdvice {
  private static let passingStatuses = [408, 420, 425, 429, 500, 502, 503, 504]

  /// Whether the failure may pass by itself.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - head: The head of the response, if there was one.
  /// - Returns: Whether another attempt makes sense.
  static func mayPass(_ error: NetworkError, head: HTTPResponseHead? = nil) -> Bool {
    switch error {
    case .connectionRefused, .connectionLost, .timedOut, .hostNotFound: true
    case .proxy(_, let error): mayPass(error, head: head)
    case .invalidStatusCode(let status): passingStatuses.contains(status)
    case .api(let id, _, _):
      // Stack Exchange says with the id, and others with the status, what may pass.
      [500, 502, 503].contains(id) || head.map { passingStatuses.contains($0.status) } ?? false
        || head?.headers["Retry-After"] != nil
    default: false
    }
  }

  /// That the server asks for a longer pause than is allowed.
  struct TooLong: Error, Equatable {
    let asked: Duration
  }

  /// The pause before an attempt, or that the server asks for a longer one than is allowed.
  ///
  /// - Parameters:
  ///   - attempt: The attempt that follows, at least 2.
  ///   - options: Those of the operation.
  ///   - error: What the attempt before failed with.
  ///   - head: The head of its response, if it had one.
  ///   - date: The present date.
  ///   - chance: A number from 0 to 1 that stands for chance.
  /// - Returns: The pause.
  static func pause(
    before attempt: Int, options: RequestOptions, error: NetworkError, head: HTTPResponseHead?,
    date: Date = Date(), chance: Double = .random(in: 0...1)
  ) -> Result<Duration, TooLong> {
    if let asked = askedPause(error, head, date) {
      guard asked <= options.maximumRetryDelay else { return .failure(TooLong(asked: asked)) }
      // Never earlier, and a little later by chance: everybody else was told the same.
      return .success(asked + min(asked / 10, .seconds(1)) * chance)
    }
    // Bounded first, by some 300 years: the product of an absurd pause would overflow.
    let bound = min(options.maximumRetryDelay, .seconds(10_000_000_000))
    let base = min(max(.zero, options.backoff ?? .milliseconds(500)), bound)
    let doubled = base * Double(1 << min(attempt - 2, 20))
    // Spread, so that clients that failed together do not come back together.
    if let jitter = options.jitter {
      let share = min(max(jitter, 0), 1) * chance
      return .success(min(doubled, options.maximumRetryDelay) * (1 - share))
    }
    return .success(min(doubled * (1 + chance / 4), options.maximumRetryDelay))
  }

  /// The pause that the server asks for, if it does.
  ///
  /// - Parameters:
  ///   - error: What the attempt failed with.
  ///   - head: The head of its response, if it had one.
  ///   - date: The present date.
  /// - Returns: The pause.
  static func askedPause(
    _ error: NetworkError, _ head: HTTPResponseHead?, _ date: Date
  ) -> Duration? {
    if let text = head?.headers["Retry-After"], let pause = retryAfter(text, now: date) {
      return pause
    }
    // `too many requests from this IP, more requests available in 4321 seconds`
    if case .api(502, _, let message) = error, message.hasSuffix(" seconds"),
      let seconds = message.split(separator: " ").dropLast().last.flatMap({ Int32($0) })
    {
      return .seconds(Int(max(0, seconds)))
    }
    return nil
  }

  /// Reads `Retry-After`: seconds, or a date.
  static func retryAfter(_ text: String, now: Date) -> Duration? {
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than fit mean for ever.
      return .seconds(Int(Int32(text) ?? .max))
    }
    guard let date = HTTPDate.parse(text) else { return nil }
    return .milliseconds(Int(max(0, min(date.timeIntervalSince(now), 1e9)) * 1000))
  }
}

/// Reads the dates of HTTP in their one current form, `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// By hand, because a `DateFormatter` costs more than the whole request.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func parse(_ text: String) -> Date? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), (1...31) ~= day,
      let month = months.firstIndex(of: String(words[2])), let year = Int(words[3]),
      (1970...9999) ~= year
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, (0...23) ~= clock[0], (0...59) ~= clock[1], (0...60) ~= clock[2]
    else { return nil }
    let days = daysSince1970(year: year, month: month + 1, day: day)
    return Date(
      timeIntervalSince1970: Double(((days * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2]))
  }

  /// Counts years from March, so that the leap day is the last of the year.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
