import Foundation

/// What a user runs: requests and a download by `opsh -c`, beside curl.
///
/// The figures are those of whole processes, their start included.
struct ShellGroup {
  static let requests = "network/shell/requests"
  static let download = "network/shell/download/300MB"

  let report: Report
  let isQuick: Bool
  let opsh: String?
  let folder: String

  func run(page: String, large: String) throws {
    let count = isQuick ? 2_000 : 20_000
    let requests = "\(Self.requests)/\(count)"
    guard report.selection.includes(requests) || report.selection.includes(Self.download) else {
      return
    }
    guard let opsh else {
      return report.note("network/shell: needs --opsh PATH; scripts/bench gives it")
    }
    let width = NetworkCase.width
    try compare(
      requests, operations: count, rounds: isQuick ? 3 : 9,
      ours: [opsh, "queue width \(width); get '\(page)' --count \(count); wait"],
      theirs: "curl -s -Z --parallel-max \(width) '\(page)?[1-\(count)]' -o /dev/null")
    try compare(
      Self.download, operations: nil, rounds: isQuick ? 3 : 9,
      ours: [opsh, "download '\(large)' '\(folder)/ours'; wait"],
      theirs: "curl -s -o '\(folder)/theirs' '\(large)'")
  }

  private func compare(
    _ bench: String, operations: Int?, rounds: Int, ours: [String], theirs: String
  ) throws {
    guard report.selection.includes(bench) else { return }
    report.note("\(bench): \(rounds) rounds")
    var own: [Double] = []
    var peer: [Double] = []
    for round in 0..<rounds {
      // The order alternates, so that neither always has the warmer machine.
      for isOurs in round % 2 == 0 ? [false, true] : [true, false] {
        if isOurs {
          own.append(
            try Child.time(
              ours[0], ["--no-rc", "--no-history", "--events", "off", "-c", ours[1]]))
        } else {
          peer.append(try Child.time("/bin/sh", ["-c", theirs + " 2> /dev/null"]))
        }
      }
      for name in ["ours", "theirs"] {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    }
    guard let value = own.median else { return }
    report.add(
      Measurement(
        bench: bench, value: value, unit: .seconds, peer: "curl", peerValue: peer.median,
        operations: operations))
  }
}
