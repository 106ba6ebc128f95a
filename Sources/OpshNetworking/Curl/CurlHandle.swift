import COpshCurl
import Foundation

/// An easy handle of libcurl and the C memory that it uses.
///
/// Consecutive requests mostly have the same host and headers: data created for one is stored with
/// the handle and reused if it fits.
///
/// `@unchecked Sendable` because it has one owner at a time: the engine's store of idle handles, or
/// a transfer that the engine carries out.
final class CurlHandle: @unchecked Sendable {
  let easy: UnsafeMutableRawPointer
  /// The buffer for libcurl's error message.
  let errorText: UnsafeMutablePointer<CChar>
  /// A copy of the body of the request, if it is short, for one exchange.
  var body: UnsafeMutableRawBufferPointer?
  /// Whether the request of this exchange has a body.
  var sendsBody = false

  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// The headers for which the list was created, unless it depended on more than those.
  private var listedHeaders: HTTPHeaders?
  /// A `CURLU` with the root of the address's origin.
  private var root: (url: OpaquePointer, address: WebAddress)?

  /// The settings of the options; nil if they cannot be reused.
  private var setup: Setup?
  /// Whether the list of headers is set as an option.
  private var isListSet = false
  /// Whether the root is set as an option.
  private var isRootSet = false
  /// How often libcurl has started to send in this exchange.
  private var sendCount = 0
  /// The other end of the connection of this exchange; nil before libcurl sends.
  private(set) var peer: CurlPeer?
  /// The TLS connection of this exchange.
  private(set) var tlsSession: TLSSession?
  /// Whether the address has the scheme `https`.
  private var isSecure = false
  private let table: UnsafePointer<opsh_curl_table>

  /// The settings on which the options depend, except the address and the headers.
  struct Setup: Equatable {
    let method: String
    let isLoopback: Bool
    let isSecure: Bool
    let isLarge: Bool
    let connectTimeout: Duration?
    let tls: TLSOptions
    let issuer: String?

    /// Nil for a request with a body, which is not sent twice.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - issuer: The certificate to trust, in PEM, if it is that of a server of this process.
    init?(_ request: HTTPRequest, issuer: String?) {
      guard request.bodyToSend == nil else { return nil }
      method = request.method
      isLoopback = request.address.isLoopback
      isSecure = request.address.scheme == "https"
      isLarge = request.transfer.maximumBodySize == .max
      connectTimeout = request.transfer.connectTimeout
      tls = request.transfer.tls
      self.issuer = issuer
    }
  }

  /// Creates a handle; nil if there is no memory left.
  init?(_ library: CurlLibrary) {
    guard let easy = library.functions.easy_init() else { return nil }
    self.easy = easy
    table = library.table
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  /// Begins an exchange.
  ///
  /// The options persist from one exchange to the next. But libcurl counts since the last reset how
  /// often it sent a request again because an idle connection had been closed, and fails the sixth
  /// time; so the handle is reset after each repeated send.
  ///
  /// - Returns: Whether the options are set already.
  func begin(_ setup: Setup?, _ library: CurlLibrary) -> Bool {
    sendCount = 0
    (peer, tlsSession) = (nil, nil)
    if let setup, setup == self.setup { return true }
    self.setup = setup
    library.functions.easy_reset(easy)
    (isListSet, isRootSet) = (false, false)
    let context = Unmanaged.passUnretained(self).toOpaque()
    opsh_curl_set_prerequest_function(library.table, easy, curlSendCallback, context)
    return false
  }

  /// Ends an exchange, after libcurl has released the handle.
  ///
  /// - Parameter isSound: Whether it succeeded, so that no state of it can affect the next one.
  func endExchange(isSound: Bool) {
    body?.deallocate()
    (body, sendsBody) = (nil, false)
    errorText.pointee = 0
    if !isSound || sendCount != 1 { setup = nil }
  }

  fileprivate func noteSending(to address: UnsafePointer<CChar>?, _ port: Int32) {
    sendCount += 1
    peer = CurlPeer(address: address.map { String(cString: $0) } ?? "", port: Int(port))
    if isSecure { tlsSession = TLSLibrary.shared?.session(of: easy, table) }
  }

  /// Frees all memory; the handle must not be used afterwards.
  func free(_ library: CurlLibrary) {
    library.functions.easy_cleanup(easy)
    if let headerList { library.functions.slist_free_all(headerList) }
    if let root { library.functions.url_cleanup(root.url) }
    body?.deallocate()
    errorText.deallocate()
  }

  // MARK: Address

  /// Sets the address.
  ///
  /// Without a proxy, libcurl receives the parsed root of the origin, and the request target as a
  /// string: otherwise it would parse and reassemble the whole address on the thread that all
  /// requests share.
  func setAddress(_ address: WebAddress, _ library: CurlLibrary) {
    isSecure = address.scheme == "https"
    guard address.isLoopback || address.scheme == "https", setRoot(of: address, library) else {
      isRootSet = false
      setup = nil
      opsh_curl_set_pointer(library.table, easy, CURLOPT_CURLU, nil)
      opsh_curl_set_string(library.table, easy, CURLOPT_REQUEST_TARGET, nil)
      opsh_curl_set_string(library.table, easy, CURLOPT_URL, address.text)
      return
    }
    address.text.withCString { text in
      _ = opsh_curl_set_string(
        library.table, easy, CURLOPT_REQUEST_TARGET, text + address.lengthBeforePath)
    }
  }

  /// Sets the root of an address; returns false if libcurl has to report an error.
  private func setRoot(of address: WebAddress, _ library: CurlLibrary) -> Bool {
    let functions = library.functions
    if let root, root.address.isSamePlace(as: address) {
      if isRootSet { return true }
    } else {
      if let root { functions.url_cleanup(root.url) }
      root = nil
      guard let url = functions.url() else { return false }
      let flags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
      guard functions.url_set(url, CURLUPART_URL, address.root, flags) == CURLUE_OK else {
        functions.url_cleanup(url)
        return false
      }
      root = (url, address)
    }
    // Later versions take the text from the parts, this version needs both.
    opsh_curl_set_string(library.table, easy, CURLOPT_URL, address.root)
    opsh_curl_set_pointer(
      library.table, easy, CURLOPT_CURLU, root.map { UnsafeRawPointer($0.url) })
    isRootSet = true
    return true
  }

  // MARK: Headers

  /// Sets the header fields; the body must be set already.
  func setHeaders(_ headers: HTTPHeaders, _ library: CurlLibrary) {
    if sendsBody || listedHeaders != headers {
      makeHeaderList(of: headers, library)
    } else if isListSet {
      return
    }
    isListSet = true
    opsh_curl_set_list(library.table, easy, CURLOPT_HTTPHEADER, headerList)
  }

  private func makeHeaderList(of headers: HTTPHeaders, _ library: CurlLibrary) {
    if let headerList { library.functions.slist_free_all(headerList) }
    headerList = nil
    func append(_ line: String) {
      if let longer = library.functions.slist_append(headerList, line) { headerList = longer }
    }
    for field in headers.fields {
      // With a colon and no value libcurl would remove the header; a semicolon sends it empty.
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    listedHeaders = sendsBody ? nil : headers
    guard sendsBody else { return }
    // libcurl would wait a second for a "100 Continue" that few servers send.
    append("Expect:")
    // libcurl would declare every body to be a form.
    if headers["Content-Type"] == nil { append("Content-Type:") }
  }
}

/// Called before libcurl sends a request, the first time or again.
///
/// A function of the library and not a closure, because a closure formed in isolated code traps on
/// libcurl's thread.
private func curlSendCallback(
  context: UnsafeMutableRawPointer?, address: UnsafeMutablePointer<CChar>?,
  ownAddress: UnsafeMutablePointer<CChar>?, port: Int32, ownPort: Int32
) -> Int32 {
  guard let context else { return CURL_PREREQFUNC_OK }
  Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().noteSending(to: address, port)
  return CURL_PREREQFUNC_OK
}
