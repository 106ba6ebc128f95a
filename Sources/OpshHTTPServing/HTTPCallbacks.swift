import COpshMicroHTTPD

// The functions that libmicrohttpd calls, on the server's thread. They are global and isolated to
// nothing, because a closure that inherited an actor would trap on this thread.

private func httpListener(_ context: UnsafeMutableRawPointer?) -> HTTPListener? {
  context.map { Unmanaged<HTTPListener>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(of handle: OpaquePointer?, in loop: HTTPLoop) -> HTTPConnection? {
  guard let handle,
    let context = opsh_mhd_connection_context(loop.library.table, handle)
  else { return nil }
  return Unmanaged<HTTPConnection>.fromOpaque(context).takeUnretainedValue()
}

/// A connection was opened or is about to be freed.
func httpConnectionChanged(
  _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
  _ stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
  guard let listener = httpListener(context), let handle, let stored else { return }
  if code == opsh_mhd_connection_started {
    let connection = listener.loop.opened(handle, by: listener)
    stored.pointee = Unmanaged.passRetained(connection).toOpaque()
  } else if let pointer = stored.pointee {
    stored.pointee = nil
    listener.loop.closed(Unmanaged<HTTPConnection>.fromOpaque(pointer).takeRetainedValue())
  }
}

/// A request line has arrived.
func httpTargetReceived(
  _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let loop = httpListener(context)?.loop, let connection = connection(of: handle, in: loop)
  else { return nil }
  connection.target = target.map { Array(String(cString: $0).utf8) } ?? []
  return nil
}

/// The headers of a request have arrived, then parts of its body, then its end.
func httpHandleRequest(
  _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ path: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
  _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>?,
  _ requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let loop = httpListener(context)?.loop, let connection = connection(of: handle, in: loop)
  else { return opsh_mhd_no }
  if connection.head == nil {
    let head = RequestHead(
      version: version.map { String(cString: $0) } ?? "", target: connection.target)
    var fields = ReceivedFields(head: head)
    if let method, loop.library.endsValuesAtZero {
      let size = opsh_mhd_head_size(loop.library.table, handle)
      fields.memory = UnsafeBufferPointer(start: method, count: size)
    }
    _ = withUnsafeMutablePointer(to: &fields) { fields in
      loop.library.functions.get_connection_values(
        handle, opsh_mhd_header_kind, httpFieldReceived, fields)
    }
    fields.end()
    connection.head = fields.head
    connection.method = method.map { String(cString: $0) } ?? ""
    guard let refusal = loop.service.refusal(of: fields.head, on: connection) else {
      return opsh_mhd_yes
    }
    connection.isComplete = true
    return loop.service.refuse(connection, with: refusal) ? opsh_mhd_yes : opsh_mhd_no
  }
  if let uploadSize, uploadSize.pointee > 0 {
    connection.receive(
      UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee),
      limit: loop.limits.bodyBytes)
    uploadSize.pointee = 0
    return opsh_mhd_yes
  }
  connection.isComplete = true
  return loop.service.proceed(with: connection) ? opsh_mhd_yes : opsh_mhd_no
}

/// One header field of a request, for the fields that are the context.
private func httpFieldReceived(
  _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let name else { return opsh_mhd_yes }
  context?.assumingMemoryBound(to: ReceivedFields.self).pointee.add(name, value)
  return opsh_mhd_yes
}

/// A request is over, answered or not.
func httpRequestCompleted(
  _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
  _ requestContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ code: MHD_RequestTerminationCode
) {
  guard let loop = httpListener(context)?.loop, let connection = connection(of: handle, in: loop)
  else { return }
  loop.requestEnded(on: connection)
}
