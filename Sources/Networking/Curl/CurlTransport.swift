import Foundation
import Locking

/// Carries requests with libcurl on one thread of its own.
///
/// The thread starts, and the library is opened, with the first request. As many transfers as the
/// configuration says run at once; further requests wait in order.
///
/// ```swift
/// let transport = CurlTransport()
/// let task = transport.start(try HTTPRequest(url: "http://127.0.0.1:8080/"), delegate: printer)
/// ```
public final class CurlTransport: Transport {
  /// Sets what cannot change while a transport lives.
  public struct Configuration: Sendable, Equatable {
    /// How many transfers run at once, at least 1.
    public var maximumConcurrentTransfers: Int

    /// Creates a configuration.
    ///
    /// - Parameter maximumConcurrentTransfers: How many transfers run at once.
    public init(maximumConcurrentTransfers: Int = 16) {
      self.maximumConcurrentTransfers = max(1, maximumConcurrentTransfers)
    }
  }

  private let engine: CurlEngine

  /// Creates a transport; nothing is started or opened yet.
  ///
  /// - Parameter configuration: What cannot change later.
  public init(configuration: Configuration = Configuration()) {
    engine = CurlEngine(width: configuration.maximumConcurrentTransfers)
  }

  deinit { engine.stop() }

  /// Opens the library on the transport's thread, so that the first request need not wait for it.
  public func prepare() { engine.startThread() }

  /// Starts a request and returns at once; after `shutdown` it completes as cancelled.
  ///
  /// - Parameters:
  ///   - request: What to send.
  ///   - delegate: Is told what happens, on the transport's thread.
  /// - Returns: The running request.
  public func start(
    _ request: HTTPRequest, delegate: any TransportDelegate
  ) -> any TransportTask {
    let transfer = CurlTransfer(request: request, time: engine.time, delegate: delegate)
    engine.submit(transfer)
    return CurlTask(engine: engine, id: transfer.id)
  }

  /// Cancels what runs and ends the thread; every delegate is still told of its completion.
  public func shutdown() { engine.stop() }

  /// Cancels what runs, and waits for the thread, which has told every delegate when it ends.
  ///
  /// From inside a delegate's method, which is on that thread, it does not wait.
  ///
  /// - Parameter limit: The longest time to wait, for a delegate may hold the thread up.
  /// - Returns: Whether the thread has ended.
  @discardableResult
  public func shutdown(within limit: Duration) -> Bool {
    engine.stop()
    return engine.waitForEnd(within: limit)
  }
}

/// Names a transfer to the engine's thread without touching it.
struct CurlTask: TransportTask {
  let engine: CurlEngine
  let id: Int

  func cancel() { engine.post(.cancel(id)) }

  func resume() { engine.post(.resume(id)) }
}
