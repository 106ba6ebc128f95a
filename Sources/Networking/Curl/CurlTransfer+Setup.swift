import CCurl
import Foundation

extension CurlTransfer {
  /// Sets the options of a fresh or reset handle for the current exchange.
  func configure(_ handle: UnsafeMutableRawPointer, library: CurlLibrary) {
    self.handle = handle
    let table = library.table
    func set(_ option: CURLoption, _ value: Int) {
      opsh_curl_set_long(table, handle, option, value)
    }
    func set(_ option: CURLoption, _ value: String?) {
      opsh_curl_set_string(table, handle, option, value)
    }
    // libcurl gets a bare pointer; the engine's table keeps the object until the handle is
    // removed.
    let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    opsh_curl_set_pointer(table, handle, CURLOPT_PRIVATE, context)
    opsh_curl_set_data_function(table, handle, CURLOPT_HEADERFUNCTION, curlHeaderCallback)
    opsh_curl_set_pointer(table, handle, CURLOPT_HEADERDATA, context)
    opsh_curl_set_data_function(table, handle, CURLOPT_WRITEFUNCTION, curlBodyCallback)
    opsh_curl_set_pointer(table, handle, CURLOPT_WRITEDATA, context)

    set(CURLOPT_NOSIGNAL, 1)
    // Without it, giving up during a slow name lookup blocks the thread until that returns.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // libcurl takes the buffer anew for each request, and above 64 kB the C library tidies up each
    // time; only what has no limit, a download, is large enough to be worth that.
    set(CURLOPT_BUFFERSIZE, request.maximumBodySize == .max ? 128 << 10 : 32 << 10)
    set(CURLOPT_URL, request.url)
    if let connectTimeout = request.connectTimeout {
      set(CURLOPT_CONNECTTIMEOUT_MS, max(1, connectTimeout.wholeMilliseconds))
    }
    // An empty name is libcurl's "none", whatever the environment says.
    if request.address.isLoopback { set(CURLOPT_PROXY, "") }
    if request.address.scheme == "https", let certificates = Self.certificateFile {
      set(CURLOPT_CAINFO, certificates)
      // With a directory besides, libcurl reads all certificates again for each connection.
      set(CURLOPT_CAPATH, nil)
    }
    // On a kept connection that turns out to be closed, libcurl sends again by itself, which
    // must not happen to what changes something.
    if !request.isSafe { set(CURLOPT_FRESH_CONNECT, 1) }

    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    resources.errorText = errorText
    opsh_curl_set_pointer(table, handle, CURLOPT_ERRORBUFFER, errorText)
    setMethodAndBody(handle, library: library)
    setHeaders(handle, library: library)
  }

  private func setMethodAndBody(_ handle: UnsafeMutableRawPointer, library: CurlLibrary) {
    let table = library.table
    // Methods whose meaning is in their body say that it is empty.
    let body = request.body ?? (["POST", "PUT", "PATCH"].contains(request.method) ? [] : nil)
    if let body {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, body.count), alignment: 1)
      copy.copyBytes(from: body)
      resources.body = copy
      opsh_curl_set_long(table, handle, CURLOPT_POST, 1)
      opsh_curl_set_offset(table, handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      opsh_curl_set_pointer(table, handle, CURLOPT_POSTFIELDS, copy.baseAddress)
    }
    switch request.method {
    case "HEAD": opsh_curl_set_long(table, handle, CURLOPT_NOBODY, 1)
    case "GET" where body == nil: opsh_curl_set_long(table, handle, CURLOPT_HTTPGET, 1)
    default: opsh_curl_set_string(table, handle, CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  private func setHeaders(_ handle: UnsafeMutableRawPointer, library: CurlLibrary) {
    var list: UnsafeMutablePointer<curl_slist>?
    func append(_ line: String) {
      if let longer = library.functions.slist_append(list, line) { list = longer }
    }
    for field in request.headers.fields {
      // A colon with nothing after it would take the header away, a semicolon sends it empty.
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if resources.body != nil {
      // libcurl would wait a second for a "100 Continue" that few servers send.
      append("Expect:")
      // It would also call every body a form.
      if request.headers["Content-Type"] == nil { append("Content-Type:") }
    }
    resources.headerList = list
    opsh_curl_set_list(library.table, handle, CURLOPT_HTTPHEADER, list)
  }

  /// The first of the usual files that is here; libcurl's own default otherwise.
  private static let certificateFile: String? = {
    let environment = ProcessInfo.processInfo.environment
    let candidates = [
      environment["SSL_CERT_FILE"], environment["CURL_CA_BUNDLE"],
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/ssl/cert.pem",
    ]
    return candidates.compactMap(\.self).first { access($0, R_OK) == 0 }
  }()
}

/// Receives each header line.
///
/// A function of the library and not a closure, because one formed in isolated code traps on
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

extension Duration {
  /// The time in milliseconds, rounded up, so that a timer never fires too early.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < 1 << 40 else { return Int(Int32.max) }
    let rounded = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int(seconds) * 1000 + Int(rounded)
  }
}
