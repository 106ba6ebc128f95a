import Foundation

/// Ends programs that were started in opsh's own process group.
package enum ChildProgram {
  /// Terminates programs and their descendants: with a request, and a moment later by force.
  ///
  /// - Parameter children: Their process ids; none has been waited for yet.
  package static func end(_ children: [Int32]) {
    let others = children.flatMap(descendants)
    for process in children + others {
      kill(process, SIGTERM)
      kill(process, SIGCONT)
    }
    var status: Int32 = 0
    var left = children
    for _ in 0..<10 where !left.isEmpty {
      left.removeAll { waitpid($0, &status, WNOHANG) == $0 }
      if !left.isEmpty { _ = poll(nil, 0, patience) }
    }
    // After a shell has ended, its children that ignored the signal remain.
    for process in others + left { kill(process, SIGKILL) }
    for child in left {
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// The descendants of a process, if the system lists them.
  ///
  /// A process group would not do: a program that a script runs stays in opsh's own.
  private static func descendants(of process: Int32) -> [Int32] {
    var found: [pid_t] = []
    var next = [process]
    while let parent = next.popLast(), found.count < 10_000 {
      let path = "/proc/\(parent)/task/\(parent)/children"
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
      let children = text.split(separator: " ").compactMap { pid_t($0) }
      found += children
      next += children
    }
    return found
  }

  /// The intervals between checks, in milliseconds.
  private static let patience: Int32 = 20
}
