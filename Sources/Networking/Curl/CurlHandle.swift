import CCurl
import Foundation

/// Owns an easy handle of libcurl and the C memory that it uses.
///
/// A request mostly goes where the one before it went, with the same headers: what was made for
/// that is kept with the handle, and used again where it fits.
///
/// `@unchecked Sendable` because it has one owner at a time: the engine's store of idle handles, or
/// a transfer on its way through the engine.
final class CurlHandle: @unchecked Sendable {
  let easy: UnsafeMutableRawPointer
  /// Where libcurl says what went wrong.
  let errorText: UnsafeMutablePointer<CChar>
  /// The body of the request, for one exchange.
  var body: UnsafeMutableRawBufferPointer?

  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// What the list was made of, unless it depended on more than that.
  private var listedHeaders: HTTPHeaders?
  /// A `CURLU` that leads to the root of the place of an address.
  private var root: (url: OpaquePointer, address: WebAddress)?

  /// What the options were set for; nil where they cannot be used again.
  private var setup: Setup?
  /// Whether the options name the list of headers.
  private var isListSet = false
  /// Whether the options name the root.
  private var isRootSet = false
  /// How often libcurl has begun to send something in this exchange.
  private var sendCount = 0

  /// On what the options depend, all but the address and the headers.
  struct Setup: Equatable {
    let method: String
    let isLoopback: Bool
    let isSecure: Bool
    let isLarge: Bool
    let connectTimeout: Duration?

    /// Nil for a request with a body, which is not sent twice.
    init?(_ request: HTTPRequest) {
      guard request.bodyToSend == nil else { return nil }
      method = request.method
      isLoopback = request.address.isLoopback
      isSecure = request.address.scheme == "https"
      isLarge = request.maximumBodySize == .max
      connectTimeout = request.connectTimeout
    }
  }

  /// Makes a handle; nil if there is no memory left.
  init?(_ library: CurlLibrary) {
    guard let easy = library.functions.easy_init() else { return nil }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  /// Begins an exchange.
  ///
  /// The options are kept from one exchange to the next like it. But libcurl counts over all
  /// exchanges since the last reset how often it sent again because a kept connection had been
  /// closed, and the sixth time it gives up; so that it begins afresh whenever it sent twice.
  ///
  /// - Returns: Whether the options are set already.
  func begin(_ setup: Setup?, _ library: CurlLibrary) -> Bool {
    sendCount = 0
    if let setup, setup == self.setup { return true }
    self.setup = setup
    library.functions.easy_reset(easy)
    (isListSet, isRootSet) = (false, false)
    let context = Unmanaged.passUnretained(self).toOpaque()
    opsh_curl_set_prerequest_function(library.table, easy, curlSendCallback, context)
    return false
  }

  /// Ends an exchange, after libcurl has let go of the handle.
  ///
  /// - Parameter isSound: Whether all went well, so that nothing of it can be left behind.
  func endExchange(isSound: Bool) {
    body?.deallocate()
    body = nil
    errorText.pointee = 0
    if !isSound || sendCount != 1 { setup = nil }
  }

  fileprivate func noteSending() { sendCount += 1 }

  /// Gives everything back; the last use of the handle.
  func free(_ library: CurlLibrary) {
    library.functions.easy_cleanup(easy)
    if let headerList { library.functions.slist_free_all(headerList) }
    if let root { library.functions.url_cleanup(root.url) }
    body?.deallocate()
    errorText.deallocate()
  }

  // MARK: Address

  /// Hands over the address.
  ///
  /// Where no proxy can ask for more, libcurl only gets the root of the place, taken apart already,
  /// and what the request says of it as it stands: else it would take the whole address apart and
  /// put it together again, on the thread that all requests share.
  func setAddress(_ address: WebAddress, _ library: CurlLibrary) {
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

  /// Hands over the root of an address; returns false where libcurl has to say what is wrong.
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
    // Later versions take the text from the parts, this one needs both.
    opsh_curl_set_string(library.table, easy, CURLOPT_URL, address.root)
    opsh_curl_set_pointer(
      library.table, easy, CURLOPT_CURLU, root.map { UnsafeRawPointer($0.url) })
    isRootSet = true
    return true
  }

  // MARK: Headers

  /// Hands over the header fields; the body has to be there already.
  func setHeaders(_ headers: HTTPHeaders, _ library: CurlLibrary) {
    if body != nil || listedHeaders != headers {
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
      // A colon with nothing after it would take the header away, a semicolon sends it empty.
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    listedHeaders = body == nil ? headers : nil
    guard body != nil else { return }
    // libcurl would wait a second for a "100 Continue" that few servers send.
    append("Expect:")
    // It would also call every body a form.
    if headers["Content-Type"] == nil { append("Content-Type:") }
  }
}

/// Is told that libcurl is about to send a request, the first time or again.
///
/// A function of the library and not a closure, because one formed in isolated code traps on
/// libcurl's thread.
private func curlSendCallback(
  context: UnsafeMutableRawPointer?, address: UnsafeMutablePointer<CChar>?,
  ownAddress: UnsafeMutablePointer<CChar>?, port: Int32, ownPort: Int32
) -> Int32 {
  guard let context else { return CURL_PREREQFUNC_OK }
  Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue().noteSending()
  return CURL_PREREQFUNC_OK
}
