import Foundation
import OpshLocking
import OpshNetworking

/// Records the events of one request, and answers with predefined results.
final class RecordingDelegate: TransportDelegate {
  struct Record: Sendable {
    var heads: [HTTPResponseHead] = []
    var body: [UInt8] = []
    var chunks = 0
    var exchanges: [HTTPExchange] = []
    var completions = 0
    /// Whether an event came after the completion.
    var isLate = false
  }

  private let state = Locked(Record())
  private let completion = Promise<Result<TransferSummary, NetworkError>>()
  let firstChunk = Promise<Int>()
  private let onHead: @Sendable (HTTPResponseHead) -> TransferDisposition
  private let onChunk: @Sendable (Int) -> TransferDisposition

  init(
    onHead: @escaping @Sendable (HTTPResponseHead) -> TransferDisposition = { _ in .proceed },
    onChunk: @escaping @Sendable (Int) -> TransferDisposition = { _ in .proceed }
  ) {
    self.onHead = onHead
    self.onChunk = onChunk
  }

  var record: Record { state.withLock { $0 } }

  /// The end of the request; throws if it does not arrive in time.
  func end() async throws -> Result<TransferSummary, NetworkError> {
    try await completion.value()
  }

  func didReceive(head: HTTPResponseHead) -> TransferDisposition {
    state.withLock { record in
      record.heads.append(head)
      record.isLate = record.isLate || record.completions > 0
    }
    return onHead(head)
  }

  func didReceive(chunk: [UInt8]) -> TransferDisposition {
    let number = state.withLock { record in
      record.body += chunk
      record.chunks += 1
      record.isLate = record.isLate || record.completions > 0
      return record.chunks
    }
    if number == 1 { firstChunk.fulfil(chunk.count) }
    return onChunk(number)
  }

  func didEnd(_ exchange: HTTPExchange) {
    state.withLock { $0.exchanges.append(exchange) }
  }

  func didComplete(_ result: Result<TransferSummary, NetworkError>) {
    state.withLock { $0.completions += 1 }
    completion.fulfil(result)
  }
}

/// The code of a failure, or `success`.
func code<Value>(_ result: Result<Value, NetworkError>) -> String {
  switch result {
  case .success: "success"
  case .failure(let error): error.code
  }
}
