import Foundation
import OpshLocking
import OpshNetworking

/// A transport whose requests the test answers, event by event.
final class ManualTransport: Transport {
  /// A request that was handed to the transport.
  final class Running: TransportTask {
    let request: HTTPRequest
    let delegate: any TransportDelegate
    private let state = Locked((isCancelled: false, resumed: 0))
    private let thread: DispatchQueue

    init(_ request: HTTPRequest, _ delegate: any TransportDelegate, _ thread: DispatchQueue) {
      (self.request, self.delegate, self.thread) = (request, delegate, thread)
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var resumed: Int { state.withLock { $0.resumed } }

    func cancel() {
      let isFirst = state.withLock { state in
        defer { state.isCancelled = true }
        return !state.isCancelled
      }
      if isFirst { thread.async { self.delegate.didComplete(.failure(.cancelled)) } }
    }

    func resume() { state.withLock { $0.resumed += 1 } }

    /// Sends the head, and returns what the delegate says.
    @discardableResult
    func sendHead(status: Int = 200, _ headers: (String, String)...) -> TransferDisposition {
      thread.sync {
        delegate.didReceive(
          head: HTTPResponseHead(
            status: status, headers: HTTPHeaders(received: headers), url: request.url))
      }
    }

    /// Sends a part of the body, and returns what the delegate says.
    @discardableResult
    func send(_ text: String) -> TransferDisposition {
      thread.sync { delegate.didReceive(chunk: Array(text.utf8)) }
    }

    func end(bytes: Int, wasStopped: Bool = false) {
      thread.sync {
        delegate.didComplete(
          .success(TransferSummary(bytesReceived: bytes, wasStopped: wasStopped)))
      }
    }

    func fail(_ error: NetworkError) { thread.sync { delegate.didComplete(.failure(error)) } }
  }

  private let state = Locked<[Running]>([])
  private let thread = DispatchQueue(label: "manual transport")

  /// The requests in order.
  var running: [Running] { state.withLock { $0 } }

  func start(_ request: HTTPRequest, delegate: any TransportDelegate) -> any TransportTask {
    let task = Running(request, delegate, thread)
    state.withLock { $0.append(task) }
    return task
  }
}
