public import Foundation

/// A request that has reached the practice server.
///
/// What is secret is not in it: keys and tokens in the query are masked before they are stored, and
/// headers and bodies are not stored at all.
public struct RequestRecord: Sendable, Equatable {
  /// Counts the records from 1; each is one greater than the one before.
  public let number: Int
  /// When the request had arrived completely.
  public let time: Date
  /// The method, such as `GET`.
  public let method: String
  /// The path as it was sent, with everything but printable ASCII escaped.
  public let path: String
  /// The query as it was sent, without the question mark and with secrets masked; nil for none.
  public let query: String?
  /// The status of the answer; nil before it is sent, and if the connection ended without one.
  public let status: Int?
  /// How many bytes of a body were handed to the network.
  public let bytes: Int
  /// The names of the faults that struck, in the order of their decision.
  public let faults: [String]
  /// How long it took, from the arrival to the end of the answer, or until now.
  public let milliseconds: Double
  /// What happens to it, or how it ended.
  public let progress: Progress
  /// Whether nothing more will happen to it.
  public var isFinished: Bool { progress.isEnd }

  /// The progress of a request.
  public enum Progress: Sendable, Equatable {
    /// A fault holds the answer back, for so long from now; nil until the client leaves.
    case held(by: String, left: Duration?)
    /// The answer is being sent.
    case answering
    /// The server has sent the answer, or has closed the connection.
    case ended
    /// The client closed the connection before it had the whole answer.
    case cut

    var isEnd: Bool { self == .ended || self == .cut }
  }
}

/// Some of the records of the practice server's log.
public struct RequestLogBatch: Sendable, Equatable {
  /// The records, the oldest first.
  public let records: [RequestRecord]
  /// Where the next reading has to begin.
  public let cursor: Int
  /// How many records after the cursor that was given are no longer kept.
  public let missed: Int
}
