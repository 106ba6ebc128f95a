import Foundation
package import ShellLanguage
import ShellOutput
import OpshSystemCalls

/// Where a program runs: its environment, its working directory, its standard error.
package struct ProgramPlace: Sendable {
  package var environment: [String: String]
  /// The absolute path of the working directory; nil for that of the process.
  package var directory: String?
  package var errors: Int32

  package init(
    environment: [String: String], directory: String? = nil, errors: Int32 = STDERR_FILENO
  ) {
    self.environment = environment
    self.directory = directory
    self.errors = errors
  }

  /// Finds a program in the search path of the environment.
  ///
  /// - Parameter program: Its name, or its path, which has a slash.
  /// - Returns: Its path.
  /// - Throws: `ENOENT`, or `EACCES` if only files that are not programs have that name.
  package func find(_ program: String) throws(UnplacedError) -> String {
    guard !program.contains("/") else { return program }
    var number = ENOENT
    for folder in (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":") {
      let path = "\(folder)/\(program)"
      let absolute = path.hasPrefix("/") ? path : directory.map { "\($0)/\(path)" } ?? path
      var information = stat()
      guard stat(absolute.forSystem, &information) == 0, information.st_mode & S_IFMT == S_IFREG
      else { continue }
      if access(absolute.forSystem, X_OK) == 0 { return path }
      number = EACCES
    }
    guard number == ENOENT else { throw .start(program, number) }
    throw UnplacedError(
      .file(number), "'\(program)' could not be started: no folder of PATH has that program",
      help: "check its name; it may have to be installed")
  }
}
