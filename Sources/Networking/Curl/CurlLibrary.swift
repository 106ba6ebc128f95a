import CCurl

/// Gives access to libcurl, which is opened when the first request needs it.
struct CurlLibrary: @unchecked Sendable {
  // @unchecked because the table is filled before anyone sees it and never changes after that.
  private let storage: UnsafeMutablePointer<opsh_curl_table>

  /// The functions of the library.
  var functions: opsh_curl_table { storage.pointee }
  /// The same for the wrappers of the variadic ones.
  var table: UnsafePointer<opsh_curl_table> { UnsafePointer(storage) }

  /// The library, or why it cannot be used; opened when first asked for.
  static let shared: Result<CurlLibrary, NetworkError> = open(named: "libcurl.so.4")

  /// 7.87 is the first version that can leave a slow name lookup behind.
  private static let minimumVersion: UInt32 = 0x07_57_00

  /// Opens the library of a name; a test gives one that does not exist.
  static func open(named name: String) -> Result<CurlLibrary, NetworkError> {
    let storage = UnsafeMutablePointer<opsh_curl_table>.allocate(capacity: 1)
    storage.initialize(to: opsh_curl_table())
    if let missing = opsh_curl_load(storage, name) {
      let reason = String(cString: missing)
      storage.deallocate()
      return .failure(
        .transportUnavailable(
          "HTTP needs the library libcurl, install the package libcurl4 (\(printable(reason)))"))
    }
    let library = CurlLibrary(storage: storage)
    guard opsh_curl_version(library.table) >= minimumVersion else {
      return .failure(
        .transportUnavailable("the library libcurl is too old, 7.87 or a later one is needed"))
    }
    // Thread-safe since 7.84; this runs once all the same.
    guard library.functions.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
      return .failure(.transportUnavailable("the library libcurl could not be initialised"))
    }
    return .success(library)
  }
}
