import COpshCurl
import OpshSupport
import Foundation
import OpshSystemCalls

extension CurlTransfer {
  /// Sets a handle up for the current exchange.
  func configure(_ handle: CurlHandle, _ library: CurlLibrary) {
    self.handle = handle
    if !handle.begin(CurlHandle.Setup(request, issuer: issuer), library) {
      setOptions(of: handle, library)
    }
    let table = library.table
    // libcurl gets an unretained pointer; the engine's table retains the object until the handle is
    // removed.
    let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    opsh_curl_set_pointer(table, handle.easy, CURLOPT_PRIVATE, context)
    opsh_curl_set_pointer(table, handle.easy, CURLOPT_HEADERDATA, context)
    opsh_curl_set_pointer(table, handle.easy, CURLOPT_WRITEDATA, context)
    handle.setAddress(request.address, library)
    handle.setHeaders(request.headers, library)
  }

  /// Sets all options except the address and the headers, which persist in the handle.
  private func setOptions(of handle: CurlHandle, _ library: CurlLibrary) {
    let table = library.table
    let easy = handle.easy
    func set(_ option: CURLoption, _ value: Int) {
      opsh_curl_set_long(table, easy, option, value)
    }
    func set(_ option: CURLoption, _ value: String?) {
      opsh_curl_set_string(table, easy, option, value?.forSystem)
    }
    opsh_curl_set_data_function(table, easy, CURLOPT_HEADERFUNCTION, curlHeaderCallback)
    opsh_curl_set_data_function(table, easy, CURLOPT_WRITEFUNCTION, curlBodyCallback)
    opsh_curl_set_pointer(table, easy, CURLOPT_ERRORBUFFER, handle.errorText)
    set(CURLOPT_NOSIGNAL, 1)
    // Without it, cancelling during a slow name lookup blocks the thread until the lookup returns.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // libcurl allocates the buffer for each request, and above 64 kB the C library trims memory
    // each time; only a download, which has no size limit, is large enough to justify that.
    set(CURLOPT_BUFFERSIZE, request.transfer.maximumBodySize == .max ? 128 << 10 : 32 << 10)
    // Without a value libcurl has a limit of its own: 300 s. It counts by the system's clock.
    let connectTimeout = request.transfer.connectTimeout.map { $0 / clock.speed }
    set(CURLOPT_CONNECTTIMEOUT_MS, max(1, connectTimeout?.wholeMilliseconds ?? Int(Int32.max)))
    if request.address.isLoopback {
      set(CURLOPT_NOPROXY, "*")
    } else {
      // Also where they are empty: otherwise libcurl reads the environment of the process.
      let (proxy, exceptions) = ProxyChoice.setting(
        for: request.address.scheme, environment: environment)
      set(CURLOPT_PROXY, proxy)
      set(CURLOPT_NOPROXY, exceptions)
    }
    if request.address.scheme == "https" {
      if let issuer {
        issuer.withCString {
          _ = opsh_curl_set_blob(table, easy, CURLOPT_CAINFO_BLOB, $0, strlen($0))
        }
        set(CURLOPT_CAPATH, nil)
      } else if let certificates = certificateFile {
        set(CURLOPT_CAINFO, certificates)
        // With a folder as well, libcurl reads all certificates again for each connection.
        set(CURLOPT_CAPATH, certificateFolder)
      } else if let folder = certificateFolder {
        set(CURLOPT_CAPATH, folder)
      }
      if !request.transfer.tls.verifiesServer {
        set(CURLOPT_SSL_VERIFYPEER, 0)
        set(CURLOPT_SSL_VERIFYHOST, 0)
      }
      if let certificate = request.transfer.tls.clientCertificateFile {
        set(CURLOPT_SSLCERT, certificate)
        set(CURLOPT_SSLKEY, request.transfer.tls.clientKeyFile ?? certificate)
        // Otherwise OpenSSL asks for the pass phrase of an encrypted key, on this thread and from
        // the terminal or standard input.
        set(CURLOPT_KEYPASSWD, "")
      }
    }
    // If an idle connection turns out to be closed, libcurl sends again by itself, which must not
    // happen to requests with side effects.
    if !request.isSafe { set(CURLOPT_FRESH_CONNECT, 1) }
    setMethodAndBody(handle, table)
  }

  private func setMethodAndBody(_ handle: CurlHandle, _ table: UnsafePointer<opsh_curl_table>) {
    let easy = handle.easy
    if let body = request.bodyToSend {
      handle.sendsBody = true
      opsh_curl_set_long(table, easy, CURLOPT_POST, 1)
      opsh_curl_set_offset(table, easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      setContent(body, of: handle, table)
    }
    switch request.method {
    case "HEAD": opsh_curl_set_long(table, easy, CURLOPT_NOBODY, 1)
    case "GET" where request.body == nil: opsh_curl_set_long(table, easy, CURLOPT_HTTPGET, 1)
    default: opsh_curl_set_string(table, easy, CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  /// The certificate that is trusted at the origin, in PEM, if it is one of this process and the
  /// request names no certificates itself.
  var issuer: String? {
    guard request.address.isLoopback, request.address.scheme == "https",
      request.transfer.tls.verifiesServer,
      request.transfer.tls.trustedCertificatesFile == nil
    else { return nil }
    return ownIssuer(request.origin)
  }

  private func setContent(
    _ body: RequestBody, of handle: CurlHandle, _ table: UnsafePointer<opsh_curl_table>
  ) {
    let easy = handle.easy
    if body.isShort, let bytes = body.heldBytes {
      let copy = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(1, bytes.count), alignment: 1)
      copy.copyBytes(from: bytes)
      handle.body = copy
      opsh_curl_set_pointer(table, easy, CURLOPT_POSTFIELDS, copy.baseAddress)
      return
    }
    bodyReader = RequestBodyReader(body)
    let context = Unmanaged.passUnretained(self).toOpaque()
    opsh_curl_set_data_function(table, easy, CURLOPT_READFUNCTION, curlReadCallback)
    opsh_curl_set_pointer(table, easy, CURLOPT_READDATA, context)
    opsh_curl_set_seek_function(table, easy, curlSeekCallback, context)
  }

  /// The file of trusted certificates: that of the request, of the environment, or the first usual
  /// one that exists; nil for libcurl's default.
  ///
  /// A file that the request or the environment names is used also where it can't be read: that is
  /// an error, and not a reason to trust others.
  var certificateFile: String? {
    let named = [
      request.transfer.tls.trustedCertificatesFile, environment["CURL_CA_BUNDLE"],
      environment["SSL_CERT_FILE"],
    ].lazy.compactMap(\.self).first { !$0.isEmpty }
    return named
      ?? [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/cert.pem",
      ].first { access($0, R_OK) == 0 }
  }

  /// The folder of further trusted certificates, each in a file with the hash of its subject as name;
  /// nil for none, also where a file is named that curl's own command would use alone.
  var certificateFolder: String? {
    let alone = [
      request.transfer.tls.trustedCertificatesFile, environment["CURL_CA_BUNDLE"],
    ].contains { $0?.isEmpty == false }
    let folder = environment["SSL_CERT_DIR"]
    return alone || folder?.isEmpty != false ? nil : folder
  }
}

/// Receives each header line.
///
/// A function of the library and not a closure, because a closure formed in isolated code traps on
/// libcurl's thread.
private func curlHeaderCallback(
  data: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
  return transfer.receive(headerLine: bytes.bindMemory(to: UInt8.self)) ? size * count : 0
}

/// Receives each part of the body.
private func curlBodyCallback(
  data: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
  return transfer.receive(body: bytes.bindMemory(to: UInt8.self))
}

/// Asks for the next part of the request's body.
private func curlReadCallback(
  data: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return Int(CURL_READFUNC_ABORT) }
  let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.read(into: UnsafeMutableRawBufferPointer(start: data, count: size * count))
}

/// Asks for the request's body from another position on, as when it has to be sent again.
private func curlSeekCallback(
  context: UnsafeMutableRawPointer?, offset: curl_off_t, origin: Int32
) -> Int32 {
  guard let context, origin == SEEK_SET, offset >= 0 else { return CURL_SEEKFUNC_CANTSEEK }
  let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.bodyReader?.seek(to: Int(offset)) == true
    ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

extension Duration {
  /// The time in milliseconds, rounded up, so that no timer fires early.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < 1 << 40 else { return Int(Int32.max) }
    let rounded = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int(seconds) * 1000 + Int(rounded)
  }
}
