import COpshSystem
import Foundation

/// The failure of a system call.
public struct SystemCallError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The attempted action, as in `make a signal descriptor`.
  public let action: String
  /// The system's error number.
  public let code: Int32

  /// The error as a sentence.
  public var description: String {
    "cannot \(action): \(String(cString: strerror(code)))"
  }

  /// The error of the call that just failed on this thread.
  package static func last(_ action: String) -> SystemCallError {
    SystemCallError(action: action, code: opsh_errno())
  }
}
