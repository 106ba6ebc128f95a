import COpshCurl
import OpshSupport
import Foundation
import OpshSystemCalls

extension CurlTransfer {
  /// Determines the result of an exchange: our own decision first, then libcurl's code and the
  /// system's; a message only for the numbers of OpenSSL in it.
  func result(
    _ code: CURLcode, library: CurlLibrary
  ) -> Result<TransferSummary, NetworkError> {
    switch verdict {
    case .failed(let error): return .failure(error)
    case .stopped: return .success(summary(library, wasStopped: true))
    case .redirected, nil: break
    }
    guard code == CURLE_OK else { return .failure(error(code, library)) }
    // libcurl treats a connection that closes inside the headers as the end of the response.
    guard isHeadComplete else { return .failure(.connectionLost) }
    return .success(summary(library, wasStopped: false))
  }

  private func summary(_ library: CurlLibrary, wasStopped: Bool) -> TransferSummary {
    var timings = timings(library)
    timings.waited = waited
    timings.total = clock.now - started
    return TransferSummary(
      timings: timings, bytesReceived: bytesReceived, redirectCount: redirectCount,
      wasStopped: wasStopped)
  }

  private func error(_ code: CURLcode, _ library: CurlLibrary) -> NetworkError {
    if let failure = failureOfClientCertificate(code) { return .tls(failure) }
    switch code {
    case CURLE_URL_MALFORMAT: return .badURL("the address '\(request.maskedURL)' is not valid")
    case CURLE_COULDNT_RESOLVE_HOST: return .hostNotFound(server)
    case CURLE_COULDNT_RESOLVE_PROXY: return ofProxy(.hostNotFound(server))
    case CURLE_COULDNT_CONNECT: return failureToConnect(systemError(library))
    case CURLE_OPERATION_TIMEDOUT:
      return .timedOut(RequestTimeout(phase(library), limit: request.transfer.connectTimeout))
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM:
      return .connectionLost
    case CURLE_RECV_ERROR where tunnelStatus(library) >= 300:
      // The proxy answered instead of the server, and reported why it rejects the tunnel.
      return ofProxy(.invalidStatusCode(tunnelStatus(library)))
    case CURLE_RECV_ERROR:
      // The same code is used for an invalid chunk, then without a system error. A stale error of
      // an earlier attempt to connect is not an error of receiving.
      let lost = [ECONNRESET, EPIPE, ECONNABORTED, ETIMEDOUT, EHOSTUNREACH, ENETDOWN]
      guard !lost.contains(systemError(library)),
        request.address.scheme == "http" || isAboutChunks
      else { return .connectionLost }
      return .badResponse(explanation)
    case CURLE_UNSUPPORTED_PROTOCOL:
      // The scheme was checked before, so this means a malformed status line, unless the library
      // was built without TLS.
      return hasSent(library)
        ? .badResponse(explanation) : .unsupportedProtocol(request.address.scheme)
    case CURLE_OUT_OF_MEMORY:
      // Also the code for a single header line beyond the library's limit.
      return hasSent(library) && !isHeadComplete
        ? .tooLarge(.headerLine, limit: HTTPResponseHead.longestLine)
        : .transportUnavailable("there is no memory left for a transfer")
    case CURLE_FILESIZE_EXCEEDED: return .tooLarge(.body, limit: request.transfer.maximumBodySize)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      return .tls(tlsFailure(code, library))
    case CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_BAD_FUNCTION_ARGUMENT,
      CURLE_UNKNOWN_OPTION:
      return .transportUnavailable("the library libcurl refused the request (\(code.rawValue))")
    default: return .badResponse(explanation)
    }
  }

  /// Why there is no connection, by the system's error number; libcurl has one code for all.
  private func failureToConnect(_ number: Int32) -> NetworkError {
    switch number {
    case ETIMEDOUT: .timedOut(RequestTimeout(.connect, limit: nil))
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EACCES, EPERM: ofProxy(.hostUnreachable(server))
    case EMFILE, ENFILE:
      .transportUnavailable("the process has no file descriptor left for a connection")
    default: ofProxy(.connectionRefused(server))
    }
  }

  /// The server that the exchange is with, the last one after redirects.
  private var server: UnreachedServer {
    UnreachedServer(at: request.address.place, isOfEndpoint: request.isOfEndpoint)
  }

  /// What a connection that took too long was doing.
  private func phase(_ library: CurlLibrary) -> RequestTimeout.Phase {
    // libcurl counts the handshake as a part of connecting, and tells it apart in its text alone.
    if explanation.hasPrefix("SSL ") || time(CURLINFO_CONNECT_TIME_T, library) > .zero {
      return .handshake
    }
    return time(CURLINFO_NAMELOOKUP_TIME_T, library) > .zero ? .connect : .lookup
  }

  /// The failure, if the server did not accept the client's certificate, or requires one.
  ///
  /// By TLS 1.3 the server sees the certificate when the handshake is over for the client. Its alert
  /// comes where the response is expected, as an error of receiving.
  private func failureOfClientCertificate(_ code: CURLcode) -> TLSFailure? {
    guard code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR, !isHeadComplete,
      request.address.scheme == "https",
      let failure = TLSFailure(
        errorText: explanation, clientCertificate: request.transfer.tls.clientCertificateFile),
      failure.isAboutClient
    else { return nil }
    return failure
  }

  /// What is wrong with a TLS connection, by the numbers of OpenSSL, which libcurl passes on; with
  /// another library for TLS the failure is that library's text.
  private func tlsFailure(_ code: CURLcode, _ library: CurlLibrary) -> TLSFailure {
    if code == CURLE_SSL_CACERT_BADFILE {
      return certificateFile.map(TLSFailure.unusableCertificates(file:)) ?? .noTrustedCertificates
    }
    if code == CURLE_SSL_CERTPROBLEM, let file = request.transfer.tls.clientCertificateFile {
      let key = request.transfer.tls.clientKeyFile ?? file
      return Self.isEncrypted(key)
        ? .encryptedClientKey(file: key) : .unusableClientCertificate(file: file)
    }
    if code == CURLE_PEER_FAILED_VERIFICATION {
      var result = 0
      if let handle {
        opsh_curl_get_long(library.table, handle.easy, CURLINFO_SSL_VERIFYRESULT, &result)
      }
      let failure = TLSFailure(verifyResult: result, host: request.address.host)
      if failure == .unknownIssuer, certificateFile == nil, certificateFolder == nil, issuer == nil
      {
        return .noTrustedCertificates
      }
      if let failure { return failure }
    }
    let text = explanation
    let closed = ["SSL_ERROR_SYSCALL", String(cString: strerror(ECONNRESET))]
    return TLSFailure(
      errorText: text, clientCertificate: request.transfer.tls.clientCertificateFile)
      ?? (closed.contains(where: text.contains) ? .connectionClosed : .other(text))
  }

  /// Whether the text of a key says that it is encrypted: `BEGIN ENCRYPTED PRIVATE KEY` by RFC 7468,
  /// `Proc-Type: 4,ENCRYPTED` by RFC 1421.
  private static func isEncrypted(_ path: String) -> Bool {
    let file = open(path.forSystem, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    return readFully(file, atMost: 1 << 20).bytes.firstRange(of: Array("ENCRYPTED".utf8)) != nil
  }

  /// Whether libcurl found an invalid chunk.
  ///
  /// Over TLS nothing else distinguishes that from a lost connection. If libcurl's message changes,
  /// the error becomes a lost connection.
  private var isAboutChunks: Bool {
    handle.map { strstr($0.errorText, "chunked-encoding") != nil } ?? false
  }

  /// The error as one of the proxy, if a proxy is used.
  private func ofProxy(_ error: NetworkError) -> NetworkError {
    guard let proxy = ProxyChoice.proxy(for: request.address, environment: environment) else {
      return error
    }
    // libcurl has no code of its own for it.
    let scheme = ProxyChoice.unsupportedScheme(of: proxy)
    return .proxy(proxy, scheme.map { .unsupportedProtocol($0) } ?? error)
  }

  private var explanation: String {
    let text = handle.map { String(cString: $0.errorText) } ?? ""
    return text.isEmpty ? "it does not follow HTTP" : printable(text)
  }

  private func systemError(_ library: CurlLibrary) -> Int32 {
    var number = 0
    if let handle { opsh_curl_get_long(library.table, handle.easy, CURLINFO_OS_ERRNO, &number) }
    return Int32(truncatingIfNeeded: number)
  }

  /// The status of a proxy's response to CONNECT; 0 without one.
  private func tunnelStatus(_ library: CurlLibrary) -> Int {
    var status = 0
    if let handle {
      opsh_curl_get_long(library.table, handle.easy, CURLINFO_HTTP_CONNECTCODE, &status)
    }
    return status
  }

  func hasSent(_ library: CurlLibrary) -> Bool {
    var size = 0
    if let handle { opsh_curl_get_long(library.table, handle.easy, CURLINFO_REQUEST_SIZE, &size) }
    return size > 0
  }
}
