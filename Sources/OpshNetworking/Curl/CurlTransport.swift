import Foundation
import OpshLocking
public import OpshSupport
import Synchronization

/// A transport that uses libcurl on a thread of its own.
///
/// The first request starts the thread and loads the library. The configuration limits the number
/// of concurrent transfers; further requests wait in order.
///
/// ```swift
/// let transport = CurlTransport()
/// let task = transport.start(try HTTPRequest(url: "http://127.0.0.1:8080/"), delegate: printer)
/// ```
public final class CurlTransport: Transport {
  /// The settings of a transport, which cannot change later.
  public struct Configuration: Sendable, Equatable {
    /// The maximum number of concurrent transfers, at least 1.
    public var maximumConcurrentTransfers: Int
    /// The variables that name proxies and certificates; nil for the environment of the process.
    public var environment: [String: String]?

    /// Creates a configuration.
    public init(maximumConcurrentTransfers: Int = 16, environment: [String: String]? = nil) {
      self.maximumConcurrentTransfers = max(1, maximumConcurrentTransfers)
      self.environment = environment
    }
  }

  /// Returns the certificate in PEM that is trusted at an origin of this process.
  ///
  /// An origin is such as `https://localhost:49153`; for all others it returns nil. It is called on
  /// any thread.
  public typealias OwnIssuer = @Sendable (_ origin: String) -> String?

  private let engine: CurlEngine
  private let environment: [String: String]
  private let ownIssuer: OwnIssuer

  /// Creates a transport without starting its thread.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - clock: What time limits and timings go by.
  ///   - ownIssuer: The certificates to trust at servers of this process, where a request names none
  ///     itself.
  public init(
    configuration: Configuration = Configuration(), clock: PacedClock = PacedClock(),
    ownIssuer: @escaping OwnIssuer = { _ in nil }
  ) {
    self.ownIssuer = ownIssuer
    engine = CurlEngine(width: configuration.maximumConcurrentTransfers, clock: clock)
    clock.onChange { [weak engine] in engine?.post(.clockChanged) }
    environment = configuration.environment ?? ProcessInfo.processInfo.environment
  }

  deinit { engine.stop() }

  /// Loads the library on the transport's thread in advance, so that the first request is faster.
  public func prepare() { engine.startThread() }

  /// When the library had been loaded.
  public var readySince: ContinuousClock.Instant? { engine.readySince }

  /// Starts a request and returns at once; after `shutdown` it completes as cancelled.
  public func start(
    _ request: HTTPRequest, delegate: any TransportDelegate
  ) -> any TransportTask {
    let transfer = CurlTransfer(
      request: request, environment: environment, ownIssuer: ownIssuer, clock: engine.clock,
      time: engine.time, delegate: delegate)
    engine.submit(transfer)
    return CurlTask(engine: engine, transfer: transfer)
  }

  /// Cancels all transfers and ends the thread; every delegate still receives its completion.
  public func shutdown() { engine.stop() }

  /// Cancels all transfers, and waits for the thread, which ends after all delegates were called.
  ///
  /// Inside a delegate's method, which runs on that thread, it does not wait.
  ///
  /// - Parameter limit: The longest time to wait, because a delegate may block the thread.
  /// - Returns: Whether the thread has ended.
  @discardableResult
  public func shutdown(within limit: Duration) -> Bool {
    engine.stop()
    return engine.waitForEnd(within: limit)
  }
}

/// Identifies a transfer to the engine's thread, and reads what of it is for other threads.
struct CurlTask: TransportTask {
  let engine: CurlEngine
  let transfer: CurlTransfer

  func cancel() { engine.post(.cancel(transfer.id)) }

  func resume() { engine.post(.resume(transfer.id)) }

  var isWaiting: Bool { transfer.isWaiting.load(ordering: .relaxed) }

  var bytesSent: RequestTimeout.Sent? { transfer.upload?.withLock { $0 } ?? nil }
}
