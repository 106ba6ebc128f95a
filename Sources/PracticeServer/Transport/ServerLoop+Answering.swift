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
        begin(
          pending.request, faults: pending.admission.decision.names, status: nil, bytes: 0,
          on: connection)
        return false
      }
      return answer(pending.request, admission: pending.admission, on: connection)
    case .sending(let player):
      return !connection.isAbandoned && advance(player, on: connection)
    case .answering:
      return false
    }
  }

  /// Answers a request whose head is refused, before its body has come, and closes the connection:
  /// where the next request on it would begin is not known.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - method: The method of the request.
  ///   - refusal: The answer.
  /// - Returns: Whether the connection stays open for the answer.
  func refuse(
    _ connection: ServerConnection, method: String, with refusal: PracticeAnswer
  ) -> Bool {
    connection.arrival = monotonicNanoseconds()
    connection.phase = .answering
    let request = PracticeRequest(method: method, target: connection.target)
    var answer = refusal
    answer.setHeader("Connection", "close")
    begin(request, faults: [], status: answer.status, bytes: answer.body.count, on: connection)
    state.countSent(bytes: answer.body.count)
    return queue(answer, on: connection)
  }

  /// A request is over, answered or not.
  func requestCompleted(on connection: ServerConnection) {
    if case .delayed(let pending) = connection.phase {
      // The client, or the server, has ended the connection before the answer was due.
      state.countWaiting(-1)
      begin(
        pending.request, faults: pending.admission.decision.names, status: nil, bytes: 0,
        on: connection)
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
    request.connection.isReused = connection.isReused
    request.connection.isSecure =
      opsh_mhd_connection_is_secure(library.table, connection.handle)
    let (library, handle) = (library, connection.handle)
    request.header = { name in
      library.functions.lookup_connection_value(handle, opsh_mhd_header_kind, name).map(
        String.init(cString:))
    }
    return request
  }

  private func answer(
    _ request: PracticeRequest, admission: Admission, on connection: ServerConnection
  ) -> Bool {
    let decision = admission.decision
    var answer = plainAnswer(request, admission: admission, on: connection)
    decision.rewrite(&answer, to: request)
    // The library has no words for this status.
    if decision.needsScript || (answer.status == 420 && !request.connection.isSecure) {
      if decision.delivery == nil { answer.headers.insert(state.dateHeader, at: 0) }
      let script = FaultScript(answer, method: request.method, decision: decision)
      begin(request, faults: decision.names, status: script.status, bytes: nil, on: connection)
      let descriptor = opsh_mhd_connection_socket(library.table, connection.handle)
      let player = SocketPlayer(script, descriptor: descriptor)
      connection.phase = .sending(player)
      return advance(player, on: connection)
    }
    let hasBody = request.method != "HEAD" && answer.status != 204 && answer.status != 304
    let bytes = hasBody ? answer.body.count : 0
    begin(request, faults: decision.names, status: answer.status, bytes: bytes, on: connection)
    state.countSent(bytes: bytes)
    return queue(answer, on: connection)
  }

  /// What is answered, before anything is done to it.
  private func plainAnswer(
    _ request: PracticeRequest, admission: Admission, on connection: ServerConnection
  ) -> PracticeAnswer {
    let replaced = admission.decision.replacementAnswer(to: request, port: port) { mistake in
      openPort(showing: mistake)
    }
    if let replaced { return replaced }
    let rules = admission.decision.rules
    let isWatched = rules.throttle != nil || rules.punishesBackoff
    let client =
      isWatched ? opsh_mhd_client_address(library.table, connection.handle) : 0
    return api.answer(request, admission: admission, client: client, state: state)
  }

  /// Writes a request into the log.
  ///
  /// It is done before the answer is sent, so that a client that has its answer finds it there.
  ///
  /// `status` is what is sent, if anything is; `bytes` is the length of the body, or nil if how
  /// much is sent will only be known later.
  private func begin(
    _ request: PracticeRequest, faults: [String], status: Int?, bytes: Int?,
    on connection: ServerConnection
  ) {
    var entry = RequestLog.Entry(
      time: wallNanoseconds(), method: String(request.method.prefix(20)),
      target: MaskedTarget(request.target))
    entry.status = status
    entry.bytes = bytes ?? 0
    entry.faults = faults
    entry.nanoseconds = monotonicNanoseconds() - connection.arrival
    // The time of arrival, also of an answer that was held back.
    entry.time -= min(entry.time, entry.nanoseconds)
    entry.isFinished = bytes != nil
    let number = state.log(entry)
    if bytes == nil { connection.openRecord = number }
  }

  private func advance(_ player: SocketPlayer, on connection: ServerConnection) -> Bool {
    let before = player.written
    let outcome = player.advance(now: monotonicNanoseconds())
    connection.sentBytes += player.written - before
    state.countSent(bytes: player.written - before)
    guard case .wait(let deadline) = outcome else { return false }
    hold(connection, until: deadline)
    return true
  }

  /// Hands an answer to libmicrohttpd, which sends it.
  private func queue(_ answer: PracticeAnswer, on connection: ServerConnection) -> Bool {
    let response = answer.body.withUnsafeBytes { bytes in
      // The library only copies from the pointer; its header merely lacks the `const`.
      library.functions.create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), opsh_mhd_must_copy)
    }
    guard let response else { return false }
    for header in answer.headers {
      _ = library.functions.add_response_header(response, header.name, header.value)
    }
    let queued = library.functions.queue_response(
      connection.handle, UInt32(answer.status), response)
    library.functions.destroy_response(response)
    return queued == opsh_mhd_yes
  }
}
