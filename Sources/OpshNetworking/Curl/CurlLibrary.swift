import COpshCurl
import OpshSupport

/// Loads libcurl when the first request needs it.
struct CurlLibrary: @unchecked Sendable {
  // @unchecked because the table is filled before it is shared and never changes after that.
  /// For the wrappers of the variadic functions.
  let table: UnsafePointer<opsh_curl_table>
  /// The functions of the library.
  var functions: opsh_curl_table { table.pointee }

  /// The library, or why it cannot be used; loaded on first use.
  static let shared: Result<CurlLibrary, NetworkError> = open(named: "libcurl.so.4")

  /// 7.87 is the first version that can abandon a slow name lookup.
  private static let minimumVersion: UInt32 = 0x07_57_00

  /// Loads the library with a name; a test passes one that does not exist.
  static func open(named name: String) -> Result<CurlLibrary, NetworkError> {
    let library: CurlLibrary
    do {
      library = CurlLibrary(
        table: try DynamicLibrary.load([name], opsh_curl_table(), opsh_curl_resolve))
    } catch {
      return .failure(
        .transportUnavailable(
          "HTTP needs the library libcurl, install the package libcurl4 (\(printable(error.text)))")
      )
    }
    guard opsh_curl_version(library.table) >= minimumVersion else {
      return .failure(
        .transportUnavailable("the library libcurl is too old, 7.87 or a later one is needed"))
    }
    // Thread-safe since 7.84; runs only once anyway.
    guard library.functions.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
      return .failure(.transportUnavailable("the library libcurl could not be initialised"))
    }
    return .success(library)
  }
}
