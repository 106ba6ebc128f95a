import Dispatch
import Foundation
import OpshLocking
import OpshNetworking

/// A transport that answers from a list and records the requests.
final class ScriptedTransport: Transport {
  /// The answer to one request.
  struct Answer: Sendable {
    var status = 200
    var headers: [(String, String)] = []
    var body = ""
    var failure: NetworkError?

    static func page(_ body: String, _ headers: (String, String)...) -> Answer {
      Answer(headers: headers, body: body)
    }

    static func notModified(_ headers: (String, String)...) -> Answer {
      Answer(status: 304, headers: headers)
    }

    static func failing(_ failure: NetworkError) -> Answer { Answer(failure: failure) }
  }

  private struct Task: TransportTask {
    func cancel() {}
  }

  private let state = Locked<(answers: [Answer], requests: [HTTPRequest])>(([], []))
  private let thread = DispatchQueue(label: "scripted transport")

  /// The received requests in order.
  var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// Sets the answers to the next requests.
  func willAnswer(_ answers: Answer...) {
    state.withLock { $0.answers += answers }
  }

  func start(_ request: HTTPRequest, delegate: any TransportDelegate) -> any TransportTask {
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answers.isEmpty
        ? .failing(.connectionRefused(.init(at: "a.example:80"))) : state.answers.removeFirst()
    }
    thread.async {
      if let failure = answer.failure { return delegate.didComplete(.failure(failure)) }
      let head = HTTPResponseHead(
        status: answer.status, headers: HTTPHeaders(received: answer.headers), url: request.url)
      _ = delegate.didReceive(head: head)
      let body = Array(answer.body.utf8)
      if !body.isEmpty { _ = delegate.didReceive(chunk: body) }
      delegate.didComplete(.success(TransferSummary(bytesReceived: body.count)))
    }
    return Task()
  }
}
