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
  /// A `CURLU`, and the address that it holds.
  private var parsedAddress: (url: OpaquePointer, address: WebAddress)?

  /// Makes a handle; nil if there is no memory left.
  init?(_ library: CurlLibrary) {
    guard let easy = library.functions.easy_init() else { return nil }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  /// Begins an exchange, with no option set.
  ///
  /// Keeping the options from one exchange to the next would save a little more. But libcurl counts
  /// over all exchanges since the last reset how often it sent again because a kept connection had
  /// been closed, and the sixth time it gives up.
  func begin(_ library: CurlLibrary) {
    library.functions.easy_reset(easy)
  }

  /// Ends an exchange, after libcurl has let go of the handle.
  func endExchange() {
    body?.deallocate()
    body = nil
    errorText.pointee = 0
  }

  /// Gives everything back; the last use of the handle.
  func free(_ library: CurlLibrary) {
    library.functions.easy_cleanup(easy)
    if let headerList { library.functions.slist_free_all(headerList) }
    if let parsedAddress { library.functions.url_cleanup(parsedAddress.url) }
    body?.deallocate()
    errorText.deallocate()
  }

  // MARK: Address

  /// Hands over the address, taken apart already.
  ///
  /// libcurl would do that otherwise, and put the parts together again, on the thread that all
  /// requests share.
  func setAddress(_ address: WebAddress, _ library: CurlLibrary) {
    // Later versions take the text from the parts, this one needs both.
    opsh_curl_set_string(library.table, easy, CURLOPT_URL, address.text)
    let url = parse(address, library)
    parsedAddress = url.map { ($0, address) }
    opsh_curl_set_pointer(library.table, easy, CURLOPT_CURLU, url.map { UnsafeRawPointer($0) })
  }

  /// Takes an address apart; nil where libcurl will have to say what is wrong with it.
  private func parse(_ address: WebAddress, _ library: CurlLibrary) -> OpaquePointer? {
    let functions = library.functions
    if let (url, known) = parsedAddress {
      if known.isSamePlace(as: address), isTakenAsItIs(address),
        functions.url_set(url, CURLUPART_PATH, address.path, 0) == CURLUE_OK,
        functions.url_set(url, CURLUPART_QUERY, address.query, 0) == CURLUE_OK
      {
        return url
      }
      parsedAddress = nil
      functions.url_cleanup(url)
    }
    guard let url = functions.url() else { return nil }
    let flags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
    guard functions.url_set(url, CURLUPART_URL, address.text, flags) == CURLUE_OK else {
      functions.url_cleanup(url)
      return nil
    }
    return url
  }

  /// Whether the parts mean the same by themselves as within the whole: of an encoded character
  /// libcurl changes the case, and an empty query it forgets in one of the two.
  private func isTakenAsItIs(_ address: WebAddress) -> Bool {
    // By the C library, for this is done for each request.
    address.query != "" && strchr(address.text, Int32(UInt8(ascii: "%"))) == nil
  }

  // MARK: Headers

  /// Hands over the header fields; the body has to be there already.
  func setHeaders(_ headers: HTTPHeaders, _ library: CurlLibrary) {
    if body != nil || listedHeaders != headers { makeHeaderList(of: headers, library) }
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
