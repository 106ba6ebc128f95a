import CMicroHTTPD
import Foundation
import Locking

/// The functions of libmicrohttpd, looked up in the library when the first server starts.
///
/// A program that is linked to the library pays 3 ms at every start, used or not.
struct MicroHTTPDLibrary: @unchecked Sendable {
  // @unchecked because it holds only addresses of functions in a library that is never closed.
  let startDaemon: UnsafeMutableRawPointer
  let getDaemonInfo: UnsafeMutableRawPointer
  let getConnectionInfo: UnsafeMutableRawPointer
  let stopDaemon: opsh_mhd_stop_daemon
  let run: opsh_mhd_run
  let getTimeout: opsh_mhd_get_timeout
  let suspendConnection: opsh_mhd_suspend_connection
  let resumeConnection: opsh_mhd_resume_connection
  let queueResponse: opsh_mhd_queue_response
  let createResponseFromBuffer: opsh_mhd_create_response_from_buffer
  let createResponseFromCallback: opsh_mhd_create_response_from_callback
  let addResponseHeader: opsh_mhd_add_response_header
  let destroyResponse: opsh_mhd_destroy_response
  let lookUpConnectionValue: opsh_mhd_lookup_connection_value

  private static let opened = Locked<MicroHTTPDLibrary?>(nil)

  /// Opens the library once; a failure is not remembered, so that installing the package helps.
  static func open() throws(PracticeServerError) -> MicroHTTPDLibrary {
    try opened.withLock { library throws(PracticeServerError) in
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
  init(names: [String]) throws(PracticeServerError) {
    var handle: UnsafeMutableRawPointer?
    for name in names where handle == nil {
      handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL)
    }
    guard let handle else { throw .libraryMissing(names.first ?? "libmicrohttpd") }
    func address(_ name: String) throws(PracticeServerError) -> UnsafeMutableRawPointer {
      guard let found = dlsym(handle, name) else { throw .functionMissing(name) }
      return found
    }
    func function<Function>(
      _ name: String, as type: Function.Type
    ) throws(PracticeServerError) -> Function {
      unsafeBitCast(try address(name), to: type)
    }
    startDaemon = try address("MHD_start_daemon")
    getDaemonInfo = try address("MHD_get_daemon_info")
    getConnectionInfo = try address("MHD_get_connection_info")
    stopDaemon = try function("MHD_stop_daemon", as: opsh_mhd_stop_daemon.self)
    run = try function("MHD_run", as: opsh_mhd_run.self)
    getTimeout = try function("MHD_get_timeout", as: opsh_mhd_get_timeout.self)
    suspendConnection = try function(
      "MHD_suspend_connection", as: opsh_mhd_suspend_connection.self)
    resumeConnection = try function("MHD_resume_connection", as: opsh_mhd_resume_connection.self)
    queueResponse = try function("MHD_queue_response", as: opsh_mhd_queue_response.self)
    createResponseFromBuffer = try function(
      "MHD_create_response_from_buffer", as: opsh_mhd_create_response_from_buffer.self)
    createResponseFromCallback = try function(
      "MHD_create_response_from_callback", as: opsh_mhd_create_response_from_callback.self)
    addResponseHeader = try function(
      "MHD_add_response_header", as: opsh_mhd_add_response_header.self)
    destroyResponse = try function("MHD_destroy_response", as: opsh_mhd_destroy_response.self)
    lookUpConnectionValue = try function(
      "MHD_lookup_connection_value", as: opsh_mhd_lookup_connection_value.self)
  }
}

extension PracticeServerError {
  static func libraryMissing(_ name: String) -> PracticeServerError {
    PracticeServerError(
      code: "library-missing",
      message: "the practice server needs \(name): install the package libmicrohttpd12")
  }

  static func functionMissing(_ name: String) -> PracticeServerError {
    PracticeServerError(
      code: "library-unusable",
      message: "the installed libmicrohttpd has no function \(name): "
        + "install the package libmicrohttpd12")
  }
}
