internal import COpshSystem
import Foundation
import OpshSystemCalls

/// The environment that the process was started with.
package enum ProcessEnvironment {
  /// Returns the environment variables.
  ///
  /// Foundation searches for the '=' after each name character by character, which takes a tenth of
  /// the start-up time.
  package static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    guard var next = opsh_environment() else { return variables }
    while let entry = next.pointee {
      next += 1
      guard let sign = strchr(entry, Int32(UInt8(ascii: "="))) else { continue }
      let name = UnsafeRawBufferPointer(start: entry, count: sign - entry)
      variables[String(ofSystem: name)] = String(ofSystem: sign + 1)
    }
    return variables
  }
}
