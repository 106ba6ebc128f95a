public import Foundation
import Locking
public import Operations

/// Makes one HTTP request, with further attempts if asked for, and turns the answer into a value.
///
/// The body is taken in as it arrives, cancelling is looked for at every part, and no thread is
/// held while waiting. A subclass overrides `decode(_:)`, and whichever of the other hooks it
/// needs:
///
/// ```swift
/// final class TitleOperation: NetworkOperation<String>, @unchecked Sendable {
///   override func decode(_ response: HTTPResponse) throws -> String {
///     String(decoding: response.body, as: UTF8.self)
///   }
/// }
/// ```
///
/// What can go wrong is checked in this order: the transfer, the status, an empty body, decoding.
/// The hooks run on threads of the transport or of this class, without a lock, and one at a time
/// for each attempt.
open class NetworkOperation<Value: Sendable>: ConcurrentOperation<Value>, NetworkOperationMetrics,
  @unchecked Sendable
{
  // @unchecked because what changes is in `flight`, and the rest is constant.

  /// What is asked; the headers and limits of the options come on top.
  public let request: HTTPRequest
  /// How it is asked.
  public let options: RequestOptions

  let transport: any Transport
  let pacing: RequestPacing?
  let flight = Locked(RequestFlight())

  /// Creates an operation.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - kind: What it does, such as `fetch questions`.
  ///   - log: The log of its transitions, the one of the queue it will be on.
  ///   - request: What to ask.
  ///   - transport: What carries the request.
  ///   - options: How to ask.
  ///   - callbackQueue: Where the completion handler is called; nil for a thread of this class.
  ///   - completionHandler: Is told the result, before the operation is seen as finished.
  public convenience init(
    name: String? = nil, kind: String, log: EventLog = .shared, request: HTTPRequest,
    transport: any Transport, options: RequestOptions = RequestOptions(),
    callbackQueue: DispatchQueue? = nil,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)? = nil
  ) {
    self.init(
      name: name, kind: kind, log: log, request: request, transport: transport, options: options,
      pacing: nil, callbackQueue: callbackQueue, completionHandler: completionHandler)
  }

  /// Creates an operation that respects the pauses a service asked for.
  ///
  /// - Parameters:
  ///   - name: The name; nil for one made of the kind and the number.
  ///   - kind: What it does.
  ///   - log: The log of its transitions.
  ///   - request: What to ask.
  ///   - transport: What carries the request.
  ///   - options: How to ask.
  ///   - pacing: Which pauses to respect; nil for none.
  ///   - callbackQueue: Where the completion handler is called.
  ///   - completionHandler: Is told the result.
  public init(
    name: String? = nil, kind: String, log: EventLog = .shared, request: HTTPRequest,
    transport: any Transport, options: RequestOptions, pacing: RequestPacing?,
    callbackQueue: DispatchQueue?,
    completionHandler: (@Sendable (Result<Value, any Error>) -> Void)?
  ) {
    self.request = request
    self.options = options
    self.transport = transport
    self.pacing = pacing
    super.init(
      name: name, kind: kind, log: log, callbackQueue: callbackQueue,
      completionHandler: completionHandler)
  }

  // MARK: Hooks

  /// Turns a complete response with an acceptable status into the value.
  ///
  /// The base refuses, because it cannot know the type.
  ///
  /// - Parameter response: The response, its body decompressed.
  /// - Returns: The value.
  /// - Throws: What the operation is to fail with; any error that has no code of its own becomes
  ///   `NetworkError.serialization`.
  open func decode(_ response: HTTPResponse) throws -> Value {
    throw NetworkError.serialization("no decoding is defined for \(Value.self)")
  }

  /// Heeds what a value says besides, such as when the next request may come; not called for one
  /// that was kept.
  func heed(_ value: Value) {}

  /// Decides by the head whether the body is wanted.
  ///
  /// - Parameter head: The head of the final response.
  /// - Returns: `stop` ends the transfer as a success with what has come so far.
  open func decide(on head: HTTPResponseHead) -> TransferDisposition { .proceed }

  /// Takes a decompressed part of an acceptable response as it arrives.
  ///
  /// - Parameter piece: The bytes.
  /// - Returns: Whether to go on.
  open func receive(_ piece: [UInt8]) -> TransferDisposition { .proceed }

  /// Is told that an attempt begins, so that what an earlier one received is thrown away.
  ///
  /// - Parameter number: The attempt, from 1.
  open func attemptWillBegin(_ number: Int) {}

  /// Is told that nothing will be transferred any more, whichever way that came about.
  ///
  /// It comes after `decode(_:)`, before the operation finishes, and after a cancel; perhaps more
  /// than once, on different threads.
  open func transferDidEnd() {}

  /// Says what a response with another status than the acceptable ones means.
  ///
  /// - Parameter response: The response; its body may be cut.
  /// - Returns: The error to fail with.
  open func failure(for response: HTTPResponse) -> NetworkError {
    .invalidStatusCode(response.head.status)
  }

  /// Says how many items a value holds; nil where that has no meaning.
  ///
  /// - Parameter value: The value that the operation succeeds with.
  /// - Returns: The number of items.
  open func countItems(in value: Value) -> Int? { nil }

  /// Describes a value in two or three words for the outcome, such as `30 questions`.
  ///
  /// - Parameter value: The value that the operation succeeds with.
  /// - Returns: The words, or nil for none.
  open func describe(_ value: Value) -> String? { nil }

  /// The statuses that are a success.
  open var acceptableStatus: ClosedRange<Int> { 200...299 }

  /// Whether an empty body is an error.
  open var requiresBody: Bool { true }

  /// Whether a body that looks compressed is, although the server does not say so.
  open var infersCompression: Bool { false }

  /// Whether the body is gathered for `decode(_:)`; otherwise only `receive(_:)` sees it.
  open var gathersBody: Bool { true }

  /// Whether a compressed body is expanded; otherwise it is taken as it is on the wire.
  open var expandsBody: Bool { true }

  // MARK: The life of an operation

  /// True: an attempt is handed to the transport.
  open override var beginsBriefly: Bool { true }

  /// Sends the first attempt.
  open override func execute() {
    let now = log.now
    flight.withLock { flight in
      flight.started = now
      flight.deadline = options.timeout.map { now + $0 }
    }
    beginWithCache()
  }

  /// Cancels the transfer, or the pause between two.
  open override func cancelExecution() {
    let (task, timer) = flight.withLock { $0.end() }
    task?.cancel()
    timer?.cancel()
    transferDidEnd()
  }

  /// Releases the value, and what the server or the cache gave in its place.
  open override func releaseValue() {
    super.releaseValue()
    let old = flight.withLock { flight in
      let old = (flight.refusalBody, flight.caching?.stored, flight.caching?.storedValue)
      flight.refusalBody = []
      flight.caching?.stored = nil
      flight.caching?.storedValue = nil
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Lets the transfer go on after `receive(_:)` returned `pause`.
  public final func resumeReceiving() {
    let task = flight.withLock { flight in
      if flight.task == nil { flight.mustResume = true }
      return flight.task
    }
    task?.resume()
  }

  /// For a success what came, how much and in what time, such as `30 questions, 14.9 kB, 276 ms`.
  open override var outcomeSummary: String? {
    // A value may have been decoded while the operation was being cancelled.
    let (isMade, error) = decision
    if let error = error as? NetworkError {
      let words = error.isToldByCode ? error.code : nil
      guard let ending = flight.withLock({ $0.endOfAttempts }) else { return words }
      return "\(words ?? error.message); \(ending)"
    }
    return isMade && error == nil ? flight.withLock { $0.summary } : nil
  }
}

/// Names the pauses that an operation respects.
///
/// They come from `Retry-After` of a refusal, whatever the service, unless it is longer than
/// `RequestOptions.maximumRetryDelay`; and from what else a service has for it.
public struct RequestPacing: Sendable {
  /// Who remembers the pauses.
  public let pacer: RequestPacer
  /// The method together with its service.
  public let method: String

  /// Creates the name of a method's pauses.
  ///
  /// - Parameters:
  ///   - pacer: Who remembers the pauses.
  ///   - method: The method together with its service.
  public init(pacer: RequestPacer, method: String) {
    self.pacer = pacer
    self.method = method
  }

  /// Creates the name of the pauses of one address, whatever is asked there.
  ///
  /// - Parameters:
  ///   - pacer: Who remembers the pauses.
  ///   - request: What is asked.
  public init(pacer: RequestPacer, request: HTTPRequest) {
    self.init(pacer: pacer, method: "\(request.origin) \(request.address.path)")
  }
}
