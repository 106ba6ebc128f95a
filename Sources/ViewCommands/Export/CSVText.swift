import Operations
import OpshSupport

/// The operations as comma-separated values: RFC 4180, with lines that end in CR LF.
struct CSVText {
  private static let columns = [
    "id", "name", "kind", "queue", "state", "outcome", "error", "depth", "created", "pending",
    "ready", "started", "finished", "waited", "ran", "attempts", "bytes", "status", "dependencies",
  ]

  let text: String

  init(of session: ExportedSession) {
    let lines = [Self.columns] + session.rows.map { Self.cells(of: $0, session) }
    text = lines.map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func cells(
    of row: ExportedSession.Row, _ session: ExportedSession
  ) -> [String] {
    func time(_ instant: ContinuousClock.Instant?) -> String {
      instant.map { number(session.seconds($0)) } ?? ""
    }
    func length(
      _ start: ContinuousClock.Instant?, _ end: ContinuousClock.Instant?
    ) -> String {
      guard let start, let end else { return "" }
      return number((end - start).seconds)
    }
    let times = row.times
    return [
      String(row.id), row.name, row.kind, row.queue ?? "", row.state.rawValue, row.outcome ?? "",
      row.error ?? "", String(row.depth), time(times.created), time(times.pending),
      time(times.ready), time(times.executing), time(times.finished),
      length(times.pending, times.executing ?? times.finished),
      length(times.executing, times.finished), String(row.attempts),
      row.bytes.map(String.init) ?? "", row.status.map(String.init) ?? "",
      row.dependencies.map { String($0.id) }.joined(separator: " "),
    ]
  }

  /// Seconds with microseconds, without an exponent.
  private static func number(_ seconds: Double) -> String {
    let microseconds = Int64((seconds * 1_000_000).rounded())
    let fraction = (microseconds.magnitude % 1_000_000).padded(to: 6)
    return "\(microseconds < 0 ? "-" : "")\(microseconds.magnitude / 1_000_000).\(fraction)"
  }

  /// A field, in quotes where it has a comma, a quote or a line break.
  private static func field(_ text: String) -> String {
    let isPlain = !text.unicodeScalars.contains { "\",\r\n".unicodeScalars.contains($0) }
    return isPlain ? text : "\"" + text.replacing(scalars: ["\"": "\"\""]) + "\""
  }
}
