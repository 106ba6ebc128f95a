import COpshCurl
import OpshSupport
import Synchronization

extension CurlTransfer {
  /// Describes the exchange that libcurl has ended, or that is given up, while it has its handle; also
  /// one that ends while it waits for a place.
  func exchange(_ library: CurlLibrary) -> HTTPExchange? {
    if isWaiting.load(ordering: .relaxed) {
      return HTTPExchange(
        request: request, head: nil, version: nil, peer: nil,
        timings: TransferTimings(waited: clock.now - started), bytesReceived: 0, wasSent: false)
    }
    guard isActive, let handle else { return nil }
    let peer = handle.peer
    return HTTPExchange(
      request: request, head: receivedHead,
      version: receivedHead == nil ? nil : version(handle, library),
      peer: peer?.text, tls: handle.tlsSession, timings: timings(library),
      bytesReceived: bytesReceived + discarded, wasSent: peer != nil,
      toProxy: ProxyChoice.isAsked(for: request.address, environment: environment))
  }

  private func version(_ handle: CurlHandle, _ library: CurlLibrary) -> String {
    var number = 0
    opsh_curl_get_long(library.table, handle.easy, CURLINFO_HTTP_VERSION, &number)
    return switch number {
    case CURL_HTTP_VERSION_1_0: "HTTP/1.0"
    case CURL_HTTP_VERSION_2_0: "HTTP/2"
    case CURL_HTTP_VERSION_3: "HTTP/3"
    default: "HTTP/1.1"
    }
  }

  /// The times of the phases, from the start of the exchange; what did not end took until its end.
  func timings(_ library: CurlLibrary) -> TransferTimings {
    var total = time(CURLINFO_TOTAL_TIME_T, library)
    // Of an exchange that is given up it is that of libcurl's last look.
    if !isSound { total = max(total, clock.now - exchangeStarted) }
    var timings = TransferTimings(waited: isFirstExchange ? waited : .zero, total: total)
    let (lookup, connect, tls) = (
      time(CURLINFO_NAMELOOKUP_TIME_T, library), time(CURLINFO_CONNECT_TIME_T, library),
      time(CURLINFO_APPCONNECT_TIME_T, library)
    )
    let isConnected = handle?.peer != nil
    timings.lookup = lookup == .zero && !isConnected ? total : lookup
    timings.connect = connect == .zero && !isConnected ? total : connect
    if tls > .zero {
      timings.tls = tls
    } else if isConnected, request.address.scheme == "https", !hasSent(library) {
      timings.tls = total
    }
    // For libcurl the response of an upload starts with the first bytes sent.
    if bodyReader == nil {
      let start = time(CURLINFO_STARTTRANSFER_TIME_T, library)
      if firstByteTime != nil { timings.firstByte = min(start, total) }
    } else {
      timings.firstByte = firstByteTime.map { min(max(.zero, $0 - exchangeStarted), total) }
      let sent = bodySentTime.map { min($0 - exchangeStarted, total) }
      if isConnected { timings.sent = sent ?? timings.firstByte ?? total }
    }
    return timings
  }

  /// How much of the clock's time had passed since the exchange began, when libcurl took a time.
  func time(_ info: CURLINFO, _ library: CurlLibrary) -> Duration {
    var microseconds: curl_off_t = 0
    if let handle { opsh_curl_get_offset(library.table, handle.easy, info, &microseconds) }
    return clock.duration(ofSystem: .microseconds(Int(microseconds)), from: exchangeStarted)
  }
}

/// The other end of a connection.
struct CurlPeer: Equatable {
  let address: String
  let port: Int

  /// Such as `127.0.0.1:8080` or `[::1]:8080`.
  var text: String {
    (address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address) + ":\(port)"
  }
}
