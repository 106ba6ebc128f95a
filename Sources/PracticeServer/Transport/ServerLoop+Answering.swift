import CMicroHTTPD
import Foundation

extension ServerLoop {
  /// Goes on with a request that has arrived completely.
  ///
  /// It is called when the request is complete, and again after each suspension.
  ///
  /// - Returns: Whether the connection stays open; false closes it without another byte.
  func continueRequest(of connection: ServerConnection, method: String) -> Bool {
    switch connection.phase {
    case .receiving:
      let request = PracticeRequest(method: method, target: connection.target)
      let admission = state.admit(
        route: request.route.pattern, isImitated: request.route.isImitated)
      guard admission.decision.delay > 0 else {
        connection.phase = .answering
        return answer(request, admission: admission, on: connection)
      }
      connection.phase = .delayed(.init(request: request, admission: admission))
      suspend(connection, until: monotonicNanoseconds() + admission.decision.delay)
      return true
    case .delayed(let pending):
      connection.phase = .answering
      return answer(pending.request, admission: pending.admission, on: connection)
    case .answering:
      return false
    }
  }

  private func answer(
    _ request: PracticeRequest, admission: Admission, on connection: ServerConnection
  ) -> Bool {
    switch admission.decision.outcome {
    case .answer:
      let answer = api.answer(request, admission: admission, state: state)
      return queue(answer, bandwidth: admission.decision.bandwidth, on: connection)
    case .fail(let status, let retryAfter):
      return queue(
        .proxyFailure(status: status, retryAfter: retryAfter),
        bandwidth: admission.decision.bandwidth, on: connection)
    case .drop(.beforeHeaders):
      return false
    case .drop(let place):
      sendPart(
        of: api.answer(request, admission: admission, state: state), upTo: place, on: connection)
      return false
    }
  }

  private func queue(
    _ answer: PracticeAnswer, bandwidth: Int?, on connection: ServerConnection
  ) -> Bool {
    let response: OpaquePointer?
    if let bandwidth, !answer.body.isEmpty {
      let body = PacedBody(
        bytes: answer.body, bandwidth: bandwidth, loop: self, connection: connection)
      response = library.createResponseFromCallback(
        UInt64(answer.body.count), 4096, pacedBodyRead, Unmanaged.passRetained(body).toOpaque(),
        pacedBodyFree)
    } else {
      response = answer.body.withUnsafeBytes { bytes in
        // The library only copies from the pointer; its header merely lacks the `const`.
        library.createResponseFromBuffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
          opsh_mhd_must_copy)
      }
      state.countSent(bytes: answer.body.count)
    }
    guard let response else { return false }
    for header in answer.headers {
      _ = library.addResponseHeader(response, header.name, header.value)
    }
    let queued = library.queueResponse(connection.handle, UInt32(answer.status), response)
    library.destroyResponse(response)
    return queued == opsh_mhd_yes
  }

  /// Writes the beginning of an answer past libmicrohttpd, which sends whole answers only.
  private func sendPart(
    of answer: PracticeAnswer, upTo place: FaultDecision.Place, on connection: ServerConnection
  ) {
    let descriptor = opsh_mhd_connection_socket(library.getConnectionInfo, connection.handle)
    guard descriptor >= 0 else { return }
    var head = "HTTP/1.1 \(answer.status) \(answer.status == 200 ? "OK" : "Bad Request")\r\n"
    for header in answer.headers { head += "\(header.name): \(header.value)\r\n" }
    head += "Content-Length: \(answer.body.count)\r\n"
    var bytes = Array(head.utf8)
    if place == .insideBody {
      bytes += Array("\r\n".utf8) + answer.body.prefix(answer.body.count / 2)
    } else {
      // The last header is cut, so that not even the status line's reader can be content.
      bytes.removeLast(5)
    }
    // What does not fit into the socket's buffer is lost, which is all the same here.
    let sent = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    state.countSent(bytes: max(0, min(sent - head.utf8.count, answer.body.count)))
  }
}
