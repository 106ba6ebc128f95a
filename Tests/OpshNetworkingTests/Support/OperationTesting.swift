import Foundation
import OpshNetworking
import Operations

/// A queue with a log and a transport of its own.
struct Workplace {
  let engine = OperationEngine()
  let queue: InspectableQueue
  let transport = CurlTransport()

  init(width: Int = 4) {
    queue = InspectableQueue(name: "network", maxConcurrentOperationCount: width, engine: engine)
  }

  /// Runs a raw request and returns the operation after it has finished.
  func get(
    _ url: String, method: String = "GET", options: RequestOptions = RequestOptions()
  ) async throws -> HTTPOperation {
    let operation = HTTPOperation(
      engine: engine, request: try HTTPRequest(method: method, url: url), transport: transport,
      options: options)
    try queue.addOperation(operation)
    try await finish(operation)
    return operation
  }

  /// Waits until an operation has finished; throws after a time limit.
  func finish(_ operation: ObservableOperation) async throws {
    let finished = Promise<Bool>()
    let token = operation.observe(\.isFinished, options: [.initial, .new]) { _, change in
      if change.newValue == true { finished.fulfil(true) }
    }
    defer { token.invalidate() }
    _ = try await finished.value()
  }

  /// The transitions of an operation, as `from→to`.
  func transitions(of operation: ObservableOperation) -> [String] {
    entries(of: operation).map { "\($0.from)→\($0.to)" }
  }

  func entries(of operation: ObservableOperation) -> [EventLog.Entry] {
    engine.log.entries(from: 0, limit: 10_000).entries.filter { $0.operation.id == operation.id }
  }

  /// The reasons of its transitions, one a line.
  func reasons(of operation: ObservableOperation) -> String {
    entries(of: operation).map(\.reason).joined(separator: "\n")
  }
}

/// The code that a finished operation failed with, or the name of its outcome.
func outcomeCode(_ operation: ObservableOperation) -> String {
  switch operation.outcome {
  case .failed(let failure): failure.code
  case let outcome?: outcome.name
  case nil: "unfinished"
  }
}
