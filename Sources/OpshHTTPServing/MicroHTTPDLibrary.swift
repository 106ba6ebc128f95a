import COpshMicroHTTPD
import OpshLocking
import OpshSupport

/// Loads libmicrohttpd when the first server starts.
struct MicroHTTPDLibrary: @unchecked Sendable {
  // @unchecked because the table is filled before it is shared and never changes after that.
  /// The table as C sees it, for the wrappers of variadic functions.
  let table: UnsafePointer<opsh_mhd_table>
  /// The functions of the library.
  var functions: opsh_mhd_table { table.pointee }

  /// Whether it ends the value of a header field at a zero byte, instead of refusing the request.
  let endsValuesAtZero: Bool

  private static let opened = Locked<MicroHTTPDLibrary?>(nil)

  /// Opens the library once; a failure is not remembered, so that installing the package helps.
  static func open() throws(HTTPServingError) -> MicroHTTPDLibrary {
    try opened.withLock { library throws(HTTPServingError) in
      if let library { return library }
      let loaded = try MicroHTTPDLibrary(names: fileNames)
      library = loaded
      return loaded
    }
  }

  /// The names that the system's loader knows the library by.
  static let fileNames = ["libmicrohttpd.so.12", "libmicrohttpd.12.dylib", "libmicrohttpd.dylib"]

  /// Loads the first library that is there and looks its functions up.
  ///
  /// - Parameter names: File names in the order of preference.
  /// - Throws: `library-missing`, or `library-unusable` when a function is not in it.
  init(names: [String]) throws(HTTPServingError) {
    do {
      table = try DynamicLibrary.load(names, opsh_mhd_table(), opsh_mhd_resolve)
      // Such as 0.9.75.
      endsValuesAtZero =
        table.pointee.get_version().map { String(cString: $0) }?.hasPrefix("0.") == true
    } catch {
      switch error {
      case .notOpened: throw .libraryMissing(names.first ?? "libmicrohttpd")
      case .lacks(let function): throw .functionMissing(function)
      }
    }
  }
}
