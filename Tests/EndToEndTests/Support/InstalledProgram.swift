import Foundation

/// Programs of this machine that tests use where they are installed.
enum InstalledProgram {
  /// Finds a program.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - folders: Where else to look than in the folders that the path of the environment names.
  /// - Returns: Its path, or nil where it is not installed.
  static func path(_ name: String, in folders: [String] = []) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return (path.split(separator: ":").map(String.init) + folders)
      .map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
