import Foundation
import OpshLocking
import TestSupport

/// A file of which downloads bring a part only, and the answers of its server.
enum BrokenDownloads {
  /// The file as it is at first, and after it has changed.
  static let old = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
  static let new = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 17 ^ $0 >> 7) }
  static let half = 100_000
  static let rest = Array(old[half...])
  static let tag = "ETag: \"v1\""
  static let range = "Content-Range: bytes 100000-199999/200000"

  /// The status, the headers, and the body, of which only so much is sent.
  struct Answer: Sendable {
    var status = "200 OK"
    var headers: [String]
    var body: [UInt8]
    var sent = Int.max
    /// Whether the connection stays open after what is sent.
    var stalls = false

    /// The first half of the old file.
    static func broken(_ headers: [String] = [tag], stalls: Bool = false) -> Answer {
      Answer(headers: headers, body: old, sent: half, stalls: stalls)
    }

    static func part(
      _ headers: [String] = [tag, range], body: [UInt8] = rest,
      status: String = "206 Partial Content"
    ) -> Answer {
      Answer(status: status, headers: headers, body: body)
    }

    static let changed = Answer(headers: ["ETag: \"v2\""], body: new)
  }

  /// Answers requests in turn, and closes each connection.
  static func server(
    _ answers: [Answer]
  ) throws -> (LoopbackServer, requests: Locked<[ReceivedRequest]>) {
    let requests = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      guard let request = connection.readRequest() else { return }
      let number = requests.withLock { requests in
        requests.append(request)
        return requests.count - 1
      }
      let answer = answers[min(number, answers.count - 1)]
      let head =
        ["HTTP/1.1 \(answer.status)", "Content-Length: \(answer.body.count)", "Connection: close"]
        + answer.headers
      connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
      connection.send(Array(answer.body.prefix(answer.sent)))
      if answer.stalls { connection.wait(seconds: 20) }
    }
    return (server, requests)
  }
}
