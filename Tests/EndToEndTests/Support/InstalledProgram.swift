import Foundation

/// Programs that tests use; `scripts/test` installs them.
enum InstalledProgram {
  /// Finds a program.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - folders: Folders to search in addition to those in the environment's path.
  /// - Returns: Its path; nil if it is not installed.
  static func path(_ name: String, in folders: [String] = []) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return (path.split(separator: ":").map(String.init) + folders)
      .map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
