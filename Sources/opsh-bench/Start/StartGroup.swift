import Foundation

/// How long a start takes, ours and that of other programs one types at.
///
/// The programs take turns, so that whatever else the machine does hits all of them.
struct StartGroup {
  private static let rounds = 60
  let report: Report
  let opsh: String?

  private struct Peer {
    let name: String
    let path: String
    let arguments: [String]
  }

  func run() throws {
    let bench = "start/opsh-quit"
    guard report.selection.includes(bench) else { return }
    guard let opsh else {
      report.note("start: needs --opsh PATH; scripts/bench gives it")
      return
    }
    let peers = findPeers()
    report.note("\(bench): \(Self.rounds) rounds")
    var ours: [Double] = []
    var theirs = [[Double]](repeating: [], count: peers.count)
    // The first round only brings the files into memory.
    for round in 0...Self.rounds {
      let own = try Child.time(opsh, ["-c", "quit"])
      if round > 0 { ours.append(own) }
      for (index, peer) in peers.enumerated() {
        let time = try Child.time(peer.path, peer.arguments)
        if round > 0 { theirs[index].append(time) }
      }
    }
    guard let value = ours.median else { return }
    if peers.isEmpty { report.add(Measurement(bench: bench, value: value, unit: .seconds)) }
    for (peer, times) in zip(peers, theirs) {
      report.add(
        Measurement(
          bench: bench, value: value, unit: .seconds, peer: peer.name, peerValue: times.median))
    }
    report.endGroup("Start to end of 'opsh -c quit', median of \(Self.rounds)")
  }

  private func findPeers() -> [Peer] {
    let all = [
      ("lftp", ["-c", "exit"]), ("python3", ["-c", "pass"]), ("tclsh", []), ("bash", ["-c", ":"]),
    ]
    return all.compactMap { name, arguments in
      guard let path = Self.find(name) else {
        report.note("start: '\(name)' is missing and left out")
        return nil
      }
      return Peer(name: name, path: path, arguments: arguments)
    }
  }

  static func find(_ name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let path = folders.lazy.map { folder -> String in "\(folder)/\(name)" }
      .first { access($0, X_OK) == 0 }
    guard name == "python3", let path else { return path }
    // What the path names may be a script that looks for the interpreter of the day, which would
    // be timed as well.
    let real = try? Child.output(
      of: path, ["-c", "import sys; print(sys.executable)"], timeout: .seconds(10))
    return real?.trimmingCharacters(in: .whitespacesAndNewlines) ?? path
  }
}
