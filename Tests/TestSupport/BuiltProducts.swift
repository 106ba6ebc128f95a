import COpshSystem
import Foundation

/// Finds the build products.
public enum BuiltProducts: Sendable {
  /// Returns the path of an executable of this package.
  ///
  /// `OPSH_BINARY` overrides the path of `opsh`, so that an installed one can be tested.
  ///
  /// - Parameter name: The executable's name.
  /// - Returns: Its path.
  /// - Throws: ``TestSupportError`` if it was not built.
  public static func executable(_ name: String) throws -> String {
    if name == "opsh", let path = ProcessInfo.processInfo.environment["OPSH_BINARY"] {
      return path
    }
    for directory in try candidates() {
      let path = directory + "/" + name
      if access(path, X_OK) == 0 { return path }
    }
    throw TestSupportError("'\(name)' was not built")
  }

  /// The folders that may contain products: next to the test bundle, or above it.
  private static func candidates() throws -> [String] {
    var paths = CommandLine.arguments.filter { $0.contains(".xctest") }
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      paths.append(own)
    }
    return paths.flatMap { path in
      var directories: [String] = []
      var directory = (path as NSString).deletingLastPathComponent
      while directories.count < 4, directory.count > 1 {
        directories.append(directory)
        directory = (directory as NSString).deletingLastPathComponent
      }
      return directories
    }
  }
}
