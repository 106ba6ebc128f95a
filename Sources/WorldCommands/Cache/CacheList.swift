import CommandParts
import Foundation
import OpshNetworking
import ShellLanguage
import ShellOutput
package import ShellSession
import OpshSupport
import OpshTerminal

/// `cache list`: the cached responses.
enum CacheList: Command {
  static let limit = Option<Int>(
    "limit", .integer(minimum: 1), default: 50, help: "largest number of responses")

  static let path = ["cache", "list"]
  static let declaration = CommandDeclaration(
    summary: "Lists the cached responses of '--cached', with sizes and ages",
    discussion: """
      The last used comes first. A response is fresh as long as its server said: until then it is \
      used without a request, and later it is revalidated with the server. Keys and passwords are \
      never kept.
      """,
    options: [limit],
    examples: [.init("fetch questions --cached; wait; cache list", "one response")],
    searchTerms: ["responses", "stored", "etag", "http", "size", "age", "statistics"],
    traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    try show(limit: invocation.call[limit], invocation)
  }

  /// Shows the last used, and the sizes and counts of all.
  static func show(limit: Int, _ invocation: Invocation) throws -> Value {
    let cache = invocation.outside.responseCache
    let entries = try cache.entries(limit: limit)
    let now = invocation.run.clock.date
    if invocation.isJSON {
      for entry in entries { invocation.object(.cache, entry.json(now: now)) }
      return .list(entries.map { Value(json: $0.json(now: now)) })
    }
    let statistics = try cache.statistics()
    if !entries.isEmpty { invocation.print(table(entries, now: now, width: invocation.width)) }
    let text = StyledText(describe(statistics), style: .dim)
    if entries.isEmpty { invocation.printNothing(text) } else { invocation.print(text) }
    return .list(entries.map { Value(json: $0.json(now: now)) })
  }

  private static func table(_ entries: [CacheEntry], now: Date, width: Int?) -> Table {
    var table = Table(columns: [
      .init("id", alignment: .trailing), .init("age", alignment: .trailing), .init("state"),
      .init("status"), .init("size", alignment: .trailing), .init("hits", alignment: .trailing),
      .init("confirmed", alignment: .trailing), .init("url", isFlexible: true, goesBelow: true),
    ])
    for entry in entries {
      table.rows.append([
        StyledText(String(entry.id)), StyledText(DurationText(age: entry.age(at: now)).description),
        StyledText(entry.state(at: now)), StyledText(String(entry.status)),
        StyledText(ByteCount(entry.storedSize).description), StyledText(String(entry.hitCount)),
        StyledText(String(entry.revalidationCount)), StyledText(VisibleText.escape(entry.url)),
      ])
    }
    let (size, hits, confirmed) = (4, 5, 6)
    if width.map({ $0 < 50 }) ?? false {
      table.removeColumns([confirmed, hits, size], toFit: width)
    }
    return table
  }

  private static func describe(_ statistics: CacheStatistics) -> String {
    func number(_ count: Int, _ one: String, _ many: String) -> String {
      "\(count) \(count == 1 ? one : many)"
    }
    return number(statistics.entryCount, "response", "responses") + ", "
      + "\(ByteCount(statistics.storedSize)) of \(ByteCount(statistics.sizeLimit)); "
      + number(statistics.hitCount, "hit", "hits") + ", "
      + number(statistics.missCount, "miss", "misses") + ", "
      + "\(statistics.revalidationCount) confirmed, \(statistics.evictionCount) made room"
  }
}

extension CacheEntry {
  /// How far it may be used: `fresh`, `usable` while it is revalidated, or `stale`.
  func state(at now: Date) -> String {
    guard let request = try? HTTPRequest(url: url) else { return "stale" }
    switch CacheFreshness.of(self, for: request, at: now) {
    case .fresh: return "fresh"
    case .usableWhileRevalidating: return "usable"
    case .mustRevalidate, .notStored: return "stale"
    }
  }

  func json(now: Date) -> JSONValue {
    JSONValue.members([
      "id": .number(id), "method": .string(method), "url": .string(url), "status": .number(status),
      "age": .seconds(age(at: now)), "state": .string(state(at: now)), "size": .number(storedSize),
      "bytes": .number(bodySize), "hits": .number(hitCount),
      "confirmed": .number(revalidationCount),
    ])
  }
}

extension ObjectKind {
  package static let cache = ObjectKind(
    type: "cache", commands: "`cache` and `cache list`, one for each response",
    keys: [
      ("id", "its number, for `cache show`"), ("method", "the method of the request"),
      ("url", "the address, secrets masked"), ("status", "the status of the response"),
      ("age", "its age in seconds"), ("state", "`fresh`, `usable` while it is updated, or `stale`"),
      ("size", "how many bytes it takes in the store"), ("bytes", "how long its body is"),
      ("hits", "how often it was used"), ("confirmed", "how often the server confirmed it"),
    ])
}
