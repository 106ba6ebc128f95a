import Foundation
import Operations

/// Fetches a page of items from a Stack Exchange service.
///
/// An answer of status 400 that holds the service's own error fails as `NetworkError.api`. A body
/// that is compressed without saying so is expanded. A `backoff` in a page is remembered, and every
/// operation on the same method waits until it is over.
public class StackExchangeOperation<Item: Sendable & Equatable & Decodable>:
  NetworkOperation<StackExchangePage<Item>>, @unchecked Sendable
{
  // @unchecked because what it adds is constant.
  private let noun: String
  private let isFiltered: Bool

  /// Creates an operation.
  init(
    name: String?, kind: String, noun: String, isFiltered: Bool, log: EventLog,
    request: HTTPRequest,
    transport: any Transport, options: RequestOptions, pacing: RequestPacing?,
    callbackQueue: DispatchQueue?,
    completionHandler: (@Sendable (Result<StackExchangePage<Item>, any Error>) -> Void)?
  ) {
    self.noun = noun
    self.isFiltered = isFiltered
    super.init(
      name: name, kind: kind, log: log, request: request, transport: transport, options: options,
      pacing: pacing, callbackQueue: callbackQueue, completionHandler: completionHandler)
  }

  /// Decodes the page.
  ///
  /// - Parameter response: The response.
  /// - Returns: The page.
  /// - Throws: `NetworkError.serialization`.
  public final override func decode(
    _ response: HTTPResponse
  ) throws -> StackExchangePage<Item> {
    try StackExchangePage<Item>(decoding: response.body, isFiltered: isFiltered)
  }

  final override func heed(_ page: StackExchangePage<Item>) {
    guard let pacing else { return }
    if let remaining = page.quotaRemaining, let maximum = page.quotaMax {
      // The address and the method are parted by a space.
      let service = pacing.method.prefix { $0 != " " }
      pacing.pacer.note(quota: (remaining, maximum), of: String(service))
    }
    if let backoff = page.backoff {
      let pause = Duration.seconds(max(0, min(backoff, 1 << 20)))
      pacing.pacer.pause(
        pacing.method, for: pause, now: log.now, cause: pauseCause("backoff", pause))
    }
  }

  /// Reads the service's own error.
  ///
  /// - Parameter response: The response.
  /// - Returns: `api` where the body says so, `invalidStatusCode` otherwise.
  public final override func failure(for response: HTTPResponse) -> NetworkError {
    if response.head.status == 400, let error = StackExchangeText.error(in: response.body) {
      return error
    }
    return super.failure(for: response)
  }

  /// Counts the items of the page.
  ///
  /// - Parameter value: The page.
  /// - Returns: The number of its items.
  public final override func countItems(in value: StackExchangePage<Item>) -> Int? {
    value.count
  }

  /// Counts the items in words.
  ///
  /// - Parameter value: The page.
  /// - Returns: Such as `30 questions`, or `30 questions of 4012` where the page says how many there
  ///   are.
  public final override func describe(_ value: StackExchangePage<Item>) -> String? {
    let words = { (number: Int) in "\(number) \(self.noun)\(number == 1 ? "" : "s")" }
    guard let total = value.total else { return words(value.count) }
    return value.hasNoItems ? "\(words(total)) in all" : "\(words(value.count)) of \(total)"
  }

  /// True: the service compresses always and does not always say so.
  public final override var infersCompression: Bool { true }
}
