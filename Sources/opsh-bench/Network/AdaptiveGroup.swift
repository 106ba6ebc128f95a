import Foundation
import PracticeServer
import OpshSupport

/// `queue width auto` against the best of fixed widths, where different things limit a server.
///
/// All run in the shell, as a user would type it. The server is nginx; where it has to be slow, it
/// passes the requests on to a practice server in this process.
struct AdaptiveGroup {
  /// One limit of a server, and how many requests are made to it.
  private struct Row {
    let name: String
    let count: Int
  }

  private static let rows: [Row] = [
    .init(name: "latency", count: 120), .init(name: "limit_conn", count: 120),
    .init(name: "limit_rate", count: 60), .init(name: "limit_req", count: 150),
  ]
  private static let widths = ["16", "32", "8", "4", "2", "1"]
  /// How long one answer takes.
  private static let latency = Duration.milliseconds(200)

  let report: Report
  let isQuick: Bool
  let opsh: String?

  func run(nginx: String) throws {
    let rows = Self.rows.filter {
      report.selection.includes(bench($0)) || report.selection.includes(failures($0))
    }
    guard !rows.isEmpty else { return }
    guard let opsh else {
      return report.note("network/auto: needs --opsh PATH; scripts/bench gives it")
    }
    let practice = PracticeServer()
    practice.update { $0.latency = Self.latency }
    try practice.start()
    defer { practice.stop() }
    let folder = NSTemporaryDirectory() + "opsh-bench-auto-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = try NginxServer(
      executable: nginx, folder: folder, files: ["page": 15_000, "slow": 200_000],
      zones: """
        limit_conn_zone $binary_remote_addr zone=connections:1m;
        limit_req_zone $binary_remote_addr zone=requests:1m rate=20r/s;
        """,
      locations: Self.locations(folder: folder, upstream: practice.baseURL ?? ""))
    defer { server.stop() }
    for row in rows {
      let url = "http://127.0.0.1:\(server.port)/\(row.name)"
      if report.selection.includes(bench(row)) { try compareTimes(row, url, opsh) }
      if row.name == "limit_req", report.selection.includes(failures(row)) {
        try compareFailures(row, url, opsh)
      }
    }
    report.endGroup("'queue width auto' and the best of the widths 1, 2, 4, 8, 16 and 32")
  }

  private func bench(_ row: Row) -> String { "network/auto/\(row.name)/\(row.count)" }

  private func failures(_ row: Row) -> String { bench(row) + "/failed" }

  private static func locations(folder: String, upstream: String) -> String {
    let answer = "proxy_pass \(upstream)/2.3/info?site=stackoverflow;"
    return """
      location = /latency { \(answer) }
      location = /limit_conn { limit_conn connections 6; \(answer) }
      location = /limit_rate { limit_rate 100k; alias \(folder)/files/slow; }
      location = /limit_req {
        limit_req zone=requests burst=5 nodelay; limit_req_status 429;
        alias \(folder)/files/page;
      }
      """
  }

  /// The seconds until all requests have succeeded, where refused ones are repeated.
  private func compareTimes(_ row: Row, _ url: String, _ opsh: String) throws {
    let rounds = isQuick ? 1 : 3
    report.note("\(bench(row)): \(rounds) rounds")
    var ours: [Double] = []
    var fixed: [String: [Double]] = [:]
    for _ in 0..<rounds {
      let time = try seconds("auto", row, url, opsh, limit: .seconds(300))
      ours.append(time)
      var best = Double.infinity
      for width in Self.widths {
        // What takes longer than the best one needs no end.
        let limit = min(best + 0.5, 300)
        guard let time = try? seconds(width, row, url, opsh, limit: .seconds(limit)) else {
          continue
        }
        best = min(best, time)
        fixed[width, default: []].append(time)
      }
    }
    // A width counts if it ended in every round.
    let medians = fixed.filter { $0.value.count == rounds }.compactMapValues(\.median)
    guard let value = ours.median, let best = medians.min(by: { $0.value < $1.value }) else {
      return
    }
    report.add(
      Measurement(
        bench: bench(row), value: value, unit: .seconds, peer: "width \(best.key)",
        peerValue: best.value, operations: row.count))
  }

  private func seconds(
    _ width: String, _ row: Row, _ url: String, _ opsh: String, limit: Duration
  ) throws -> Double {
    // What the run before has left of the server's limits.
    usleep(500_000)
    let start = ContinuousClock.now
    _ = try Child.output(
      of: opsh,
      Self.arguments("queue width \(width); get '\(url)' --count \(row.count) --retry 40; wait"),
      timeout: limit)
    return start.duration(to: .now).seconds
  }

  /// How many requests fail that are not repeated.
  private func compareFailures(_ row: Row, _ url: String, _ opsh: String) throws {
    report.note("\(failures(row))")
    let ours = try failed("auto", row, url, opsh)
    let fixed = try Self.widths.map { (width: $0, count: try failed($0, row, url, opsh)) }
    guard let best = fixed.min(by: { $0.count < $1.count }) else { return }
    report.add(
      Measurement(
        bench: failures(row), value: ours, unit: .count, peer: "width \(best.width)",
        peerValue: best.count))
  }

  private func failed(
    _ width: String, _ row: Row, _ url: String, _ opsh: String
  ) throws -> Double {
    usleep(500_000)
    let output = try Child.output(
      of: opsh,
      Self.arguments(
        "queue width \(width); get '\(url)' --count \(row.count); wait --any-outcome\n"
          + "echo failed (count of ops where outcome == failed)"),
      timeout: .seconds(300))
    let line = output.split(separator: "\n").last { $0.hasPrefix("failed ") }
    return line?.split(separator: " ").last.flatMap { Double($0) } ?? .nan
  }

  private static func arguments(_ script: String) -> [String] {
    ["--no-rc", "--no-history", "--events", "off", "-c", script]
  }
}
