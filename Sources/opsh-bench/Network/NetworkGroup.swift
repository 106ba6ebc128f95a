import OpshCompression
import Foundation
import OpshNetworking
import Operations
import OpshPersistence
import PracticeServer

/// Requests, pages and a download, ours against curl and what is commonly piped after it, from the same
/// nginx on this machine; also through the shell, and with an adaptive width.
struct NetworkGroup {
  let report: Report
  let isQuick: Bool
  /// The release binary, for what is measured through the shell.
  let opsh: String?
  private static let largeFileSize = 300_000_000

  func run() throws {
    let names = ["requests", "pages", "download", "get", "put", "shell", "auto"]
      .map { "network/" + $0 }
    guard names.contains(where: isWanted) else { return }
    guard let nginx = find("nginx") else {
      return report.note("network: 'nginx' is missing, and without a server there is nothing to do")
    }
    try AdaptiveGroup(report: report, isQuick: isQuick, opsh: opsh).run(nginx: nginx)
    guard names.dropLast().contains(where: isWanted) else { return }
    let folder = NSTemporaryDirectory() + "opsh-bench-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = try NginxServer(
      executable: nginx, folder: folder, page: try Self.page(),
      files: ["large": Self.largeFileSize, "15kB": 15_000])
    defer { server.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    let page = base + "/2.3/questions?site=stackoverflow"
    try requests(page, folder, count: isQuick ? 3_000 : 30_000)
    try pages(page, folder, count: isQuick ? 300 : 3_000)
    try large(.download, base + "/large", "curl -s -o theirs '\(base)/large'", folder)
    // curl holds no body in memory, so this has no peer.
    try large(.get, base + "/large", nil, folder)
    try large(.put, base + "/put/ours", "curl -s -T files/large '\(base)/put/theirs'", folder)
    try ShellGroup(report: report, isQuick: isQuick, opsh: opsh, folder: folder)
      .run(page: base + "/15kB", large: base + "/large")
    report.endGroup("From one nginx on this machine, width \(NetworkCase.width)")
  }

  /// Whether a benchmark was asked for, or one that it is made of.
  private func isWanted(_ name: String) -> Bool {
    report.selection.includes(name) || report.selection.reaches(name)
  }

  private func requests(_ url: String, _ folder: String, count: Int) throws {
    let rounds = isQuick ? 3 : 5
    try compare(
      "network/requests/\(count)", NetworkCase(.requests, url: url, count: count, folder: folder),
      peer: "curl --parallel", operations: count, rounds: rounds, needs: ["curl"],
      """
      curl -s -Z --parallel-max \(NetworkCase.width) '\(url)&page=[1-\(count)]' -o /dev/null
      """, in: folder)
  }

  private func pages(_ url: String, _ folder: String, count: Int) throws {
    try compare(
      "network/pages/\(count)", NetworkCase(.pages, url: url, count: count, folder: folder),
      peer: "curl, jq, sqlite3", operations: count, rounds: isQuick ? 1 : 3,
      needs: ["curl", "jq", "sqlite3"],
      """
      rm -rf pages items db; mkdir pages &&
      curl -s --compressed -Z --parallel-max \(NetworkCase.width) '\(url)&page=[1-\(count)]' \
        -o 'pages/#1' &&
      find pages -type f | xargs jq -c '.items[]' > items &&
      sqlite3 db 'create table items (item text)' '.mode ascii' '.separator "\\037" "\\n"' \
        '.import items items' > /dev/null
      """, in: folder)
  }

  /// One large body: how long it takes, and how much memory.
  private func large(
    _ task: NetworkCase.Task, _ url: String, _ command: String?, _ folder: String
  ) throws {
    let bench = "network/\(task.rawValue)/300MB"
    let figures = try compare(
      bench, NetworkCase(task, url: url, count: 1, folder: folder), peer: "curl",
      operations: nil, rounds: isQuick ? 3 : 7, needs: command == nil ? [] : ["curl"],
      command, in: folder)
    if let memory = figures {
      report.add(
        Measurement(bench: bench + "/memory", value: memory, unit: .megabytes))
    }
  }

  /// Runs both in turn and adds the medians; returns the median of how much our memory grew.
  @discardableResult
  private func compare(
    _ bench: String, _ ours: NetworkCase, peer: String, operations: Int?, rounds: Int,
    needs programs: [String], _ command: String?, in folder: String
  ) throws -> Double? {
    guard isWanted(bench) else { return nil }
    // Without a command there is no peer.
    let command = programs.allSatisfy { find($0) != nil } ? command : nil
    let missing = programs.filter { find($0) == nil }
    for program in missing { report.note("\(bench): '\(program)' is missing") }
    report.note("\(bench): \(rounds) rounds")
    var totals: [Double] = []
    var memory: [Double] = []
    var peerTotals: [Double] = []
    for round in 0..<rounds {
      // The order alternates, so that neither always has the warmer machine.
      if round % 2 == 0, let command { peerTotals.append(try time(command, in: folder)) }
      let figures = try Child.figures(ours.arguments, timeout: .seconds(300))
      if let total = figures["total"] { totals.append(total) }
      if let growth = figures["memory"] { memory.append(growth) }
      if round % 2 == 1, let command { peerTotals.append(try time(command, in: folder)) }
      try? FileManager.default.removeItem(atPath: folder + "/ours")
      try? FileManager.default.removeItem(atPath: folder + "/theirs")
      for end in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: folder + "/" + SQLiteStore.fileName + end)
      }
    }
    guard let total = totals.median else { return nil }
    report.add(
      Measurement(
        bench: bench + "/total", value: total, unit: .seconds, peer: command.map { _ in peer },
        peerValue: peerTotals.median, operations: operations))
    return memory.median
  }

  private func time(_ command: String, in folder: String) throws -> Double {
    try Child.time("/bin/sh", ["-c", "cd '\(folder)' && { \(command); } 2> /dev/null"])
  }

  /// A page of thirty questions as the service sends it: compressed.
  private static func page() throws -> [UInt8] {
    let server = PracticeServer()
    try server.start()
    defer { server.stop() }
    let engine = OperationEngine()
    let queue = InspectableQueue(name: "page", maxConcurrentOperationCount: 1, engine: engine)
    let operation = HTTPOperation(
      engine: engine,
      request: try HTTPRequest(
        url: (server.baseURL ?? "") + "/2.3/questions?site=stackoverflow&pagesize=30"),
      transport: CurlTransport())
    try queue.addOperation(operation)
    queue.waitUntilAllOperationsAreFinished()
    guard let response = try operation.result?.get() else { throw Child.Failure.timedOut }
    return try Gzip.compress(response.body)
  }

  private func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin"]
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
