import Foundation

/// Opens libraries of the system when they are first used, so that a start does not pay for them.
///
/// A library is never closed again: its threads, and the exit handlers of the libraries behind it,
/// may outlive any known use.
public enum DynamicLibrary: Sendable {
  /// The reason why a library cannot be used.
  public enum Failure: Error, Sendable {
    /// None of the files could be opened.
    case notOpened(String)
    /// The library has no function of that name.
    case lacks(String)

    /// The reason in the system's words, or the name of the function.
    public var text: String {
      switch self {
      case .notOpened(let text), .lacks(let text): text
      }
    }
  }

  /// Opens the first library that exists, and looks up its functions.
  ///
  /// - Parameters:
  ///   - names: File names in the order of preference.
  ///   - table: An empty table of functions.
  ///   - resolve: Fills the table from the open library; returns the name of a missing function.
  /// - Returns: The table, which is never deallocated.
  /// - Throws: `Failure`.
  public static func load<Table>(
    _ names: [String], _ table: Table,
    _ resolve: (UnsafeMutablePointer<Table>, UnsafeMutableRawPointer) -> UnsafePointer<CChar>?
  ) throws(Failure) -> UnsafePointer<Table> {
    guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_LAZY | RTLD_LOCAL) }).first else {
      throw .notOpened(dlerror().map { String(cString: $0) } ?? names.joined(separator: ", "))
    }
    let storage = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    storage.initialize(to: table)
    if let missing = resolve(storage, handle) {
      storage.deallocate()
      throw .lacks(String(cString: missing))
    }
    return UnsafePointer(storage)
  }
}
