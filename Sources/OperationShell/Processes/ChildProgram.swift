import Foundation

/// Ends programs that were started in opsh's own process group.
enum ChildProgram {
  /// Ends programs and those that they have started: politely, and a moment later for good.
  ///
  /// - Parameter children: Their numbers; none of them was waited for yet.
  static func end(_ children: [pid_t]) {
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
    // A shell that has ended leaves behind what did not heed the signal.
    for process in others + left { kill(process, SIGKILL) }
    for child in left {
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// The processes below one, where the system tells.
  ///
  /// A group would not do: a program that a script runs stays in opsh's own.
  private static func descendants(of process: pid_t) -> [pid_t] {
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

  /// How long each look at them is apart, in milliseconds.
  private static let patience: Int32 = 20
}
