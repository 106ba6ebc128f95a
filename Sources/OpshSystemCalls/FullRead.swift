import COpshSystem
import Foundation

/// Reads to the end of a file or up to a number of bytes; returns what came, and 0 or the error.
package func readFully(_ descriptor: Int32, atMost limit: Int) -> (bytes: [UInt8], error: Int32) {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while bytes.count < limit {
    let count = read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
    if count == 0 { break }
    if count > 0 {
      bytes += chunk[..<count]
    } else if opsh_errno() != EINTR {
      return (bytes, opsh_errno())
    }
  }
  return (bytes, 0)
}
