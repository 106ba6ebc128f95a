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
      connection.arrival = monotonicNanoseconds()
      let request = makeRequest(method: method, on: connection)
      let admission = state.admit(request)
      guard admission.decision.delay > 0 else {
        connection.phase = .answering
        return answer(request, admission: admission, on: connection)
      }
      connection.phase = .delayed(.init(request: request, admission: admission))
      state.countWaiting(1)
      hold(connection, until: connection.arrival + admission.decision.delay)
      return true
    case .delayed(let pending):
      state.countWaiting(-1)
      connection.phase = .answering
      guard !connection.isAbandoned else {
        begin(pending.request, pending.admission, status: nil, bytes: 0, on: connection)
        return false
      }
      return answer(pending.request, admission: pending.admission, on: connection)
    case .sending(let transfer):
      return !connection.isAbandoned && advance(transfer, on: connection)
    case .answering:
      return false
    }
  }

  /// A request is over, answered or not.
  func requestCompleted(on connection: ServerConnection) {
    if case .delayed(let pending) = connection.phase {
      // The client, or the server, has ended the connection before the answer was due.
      state.countWaiting(-1)
      begin(pending.request, pending.admission, status: nil, bytes: 0, on: connection)
    }
    let now = monotonicNanoseconds()
    if let number = connection.openRecord {
      let (bytes, arrival) = (connection.sentBytes, connection.arrival)
      state.updateLog(number) { entry in
        entry.bytes = bytes
        entry.nanoseconds = now - arrival
        entry.isFinished = true
      }
    }
    connection.beginRequest(now: now)
  }

  private func makeRequest(method: String, on connection: ServerConnection) -> PracticeRequest {
    var request = PracticeRequest(method: method, target: connection.target)
    request.body = connection.body
    request.bodyIsTooLong = connection.bodyIsTooLong
    connection.body = []
    let (library, handle) = (library, connection.handle)
    request.header = { name in
      library.lookUpConnectionValue(handle, opsh_mhd_header_kind, name).map(String.init(cString:))
    }
    return request
  }

  private func answer(
    _ request: PracticeRequest, admission: Admission, on connection: ServerConnection
  ) -> Bool {
    let decision = admission.decision
    if case .hugeBody(let size) = decision.replacement, decision.delivery == nil {
      begin(request, admission, status: 200, bytes: nil, on: connection)
      return queueHugeBody(size, on: connection)
    }
    var answer = plainAnswer(request, admission: admission, on: connection)
    for rewriting in decision.rewritings { answer.rewrite(rewriting) }
    let raw = RawAnswer(answer, method: request.method)
    // The library has no words for this status.
    let steps = decision.delivery.map(raw.steps) ?? (answer.status == 420 ? raw.steps : nil)
    if let steps {
      let isSent = steps.contains { if case .send = $0 { true } else { false } }
      begin(
        request, admission, status: isSent ? answer.status : nil, bytes: nil, on: connection)
      let descriptor = opsh_mhd_connection_socket(library.getConnectionInfo, connection.handle)
      let transfer = RawTransfer(steps, descriptor: descriptor)
      connection.phase = .sending(transfer)
      return advance(transfer, on: connection)
    }
    let hasBody = request.method != "HEAD" && answer.status != 204 && answer.status != 304
    let isPaced = decision.bandwidth != nil && !answer.body.isEmpty && hasBody
    let bytes = hasBody ? answer.body.count : 0
    begin(
      request, admission, status: answer.status, bytes: isPaced ? nil : bytes, on: connection)
    if !isPaced { state.countSent(bytes: bytes) }
    return queue(answer, bandwidth: isPaced ? decision.bandwidth : nil, on: connection)
  }

  /// What is answered, before anything is done to it.
  private func plainAnswer(
    _ request: PracticeRequest, admission: Admission, on connection: ServerConnection
  ) -> PracticeAnswer {
    if let replaced = admission.decision.replacement?.answer(to: request, port: port) {
      return replaced
    }
    let rules = admission.decision.rules
    let isWatched = rules.throttle != nil || rules.punishesBackoff
    let client =
      isWatched ? opsh_mhd_client_address(library.getConnectionInfo, connection.handle) : 0
    return api.answer(request, admission: admission, client: client, state: state)
  }

  /// Writes a request into the log.
  ///
  /// It is done before the answer is sent, so that a client that has its answer finds it there.
  ///
  /// `status` is what is sent, if anything is; `bytes` is the length of the body, or nil if how
  /// much is sent will only be known later.
  private func begin(
    _ request: PracticeRequest, _ admission: Admission, status: Int?, bytes: Int?,
    on connection: ServerConnection
  ) {
    var entry = RequestLog.Entry(
      time: wallNanoseconds(), method: String(request.method.prefix(20)),
      target: MaskedTarget(request.target))
    entry.status = status
    entry.bytes = bytes ?? 0
    entry.faults = admission.decision.names
    entry.nanoseconds = monotonicNanoseconds() - connection.arrival
    // The time of arrival, also of an answer that was held back.
    entry.time -= min(entry.time, entry.nanoseconds)
    entry.isFinished = bytes != nil
    let number = state.log(entry)
    if bytes == nil { connection.openRecord = number }
  }

  private func advance(_ transfer: RawTransfer, on connection: ServerConnection) -> Bool {
    let before = transfer.written
    let outcome = transfer.advance(now: monotonicNanoseconds())
    _ = noteSent(transfer.written - before, on: connection)
    guard case .wait(let deadline) = outcome else { return false }
    hold(connection, until: deadline)
    return true
  }

  /// Counts bytes that were handed to the network.
  ///
  /// - Returns: The number of bytes.
  func noteSent(_ count: Int, on connection: ServerConnection) -> Int {
    connection.sentBytes += count
    if count > 0 { state.countSent(bytes: count) }
    return count
  }

  // MARK: Answers that libmicrohttpd sends

  private func queue(
    _ answer: PracticeAnswer, bandwidth: Int?, on connection: ServerConnection
  ) -> Bool {
    let response: OpaquePointer?
    if let bandwidth {
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
    }
    return queue(response, status: answer.status, headers: answer.headers, on: connection)
  }

  private func queueHugeBody(_ size: Int, on connection: ServerConnection) -> Bool {
    let body = HugeBody(size: size, loop: self, connection: connection)
    let response = library.createResponseFromCallback(
      UInt64(body.size), 32 * 1024, hugeBodyRead, Unmanaged.passRetained(body).toOpaque(),
      hugeBodyFree)
    let type = PracticeAnswer.Header(
      name: "Content-Type", value: "application/json; charset=utf-8")
    return queue(response, status: 200, headers: [type], on: connection)
  }

  private func queue(
    _ response: OpaquePointer?, status: Int, headers: [PracticeAnswer.Header],
    on connection: ServerConnection
  ) -> Bool {
    guard let response else { return false }
    for header in headers {
      _ = library.addResponseHeader(response, header.name, header.value)
    }
    let queued = library.queueResponse(connection.handle, UInt32(status), response)
    library.destroyResponse(response)
    return queued == opsh_mhd_yes
  }
}
