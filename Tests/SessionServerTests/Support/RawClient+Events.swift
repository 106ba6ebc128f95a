import Foundation
import TestSupport

/// A server-sent event.
struct ServerEvent: Equatable {
  var name = "message"
  var id: String?
  var data = ""
}

extension RawClient {
  /// Reads events until there are so many, comments left out; fewer at the end of the stream.
  func readEvents(_ count: Int) throws -> [ServerEvent] {
    var events: [ServerEvent] = []
    while events.count < count {
      guard let block = try? readBlock(endingWith: "\n\n") else { break }
      if let event = ServerEvent(block) { events.append(event) }
    }
    return events
  }

  /// Reads all events to the end of the stream.
  func readEventsToEnd() throws -> [ServerEvent] {
    String(decoding: try readToEnd(), as: UTF8.self).components(separatedBy: "\n\n").dropLast()
      .compactMap(ServerEvent.init)
  }
}

extension ServerEvent {
  /// Reads the lines of an event; nil for a comment.
  init?(_ block: String) {
    self.init()
    var hasData = false
    for line in block.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
      switch parts[0] {
      case "id": id = String(value)
      case "event": name = String(value)
      case "data":
        data = String(value)
        hasData = true
      default: break
      }
    }
    if !hasData { return nil }
  }
}

extension RawClient.Reply {
  var text: String { String(decoding: body, as: UTF8.self) }
}
