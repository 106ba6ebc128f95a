import CommandParts
import Foundation
import OpshNetworking
import ShellLanguage
import ShellOutput
import ShellSession
import OpshSupport
import OpshTerminal

/// `cache show`: one cached response.
enum CacheShow: Command {
  static let id = Positional<Int>("id", .integer(minimum: 1), help: "number in 'cache list'")
  static let body = Flag("body", help: "show the body, too")

  static let path = ["cache", "show"]
  static let declaration = CommandDeclaration(
    summary: "Shows a cached response: its headers, and with '--body' its body",
    positionals: [id], options: [body],
    examples: [
      .init(
        "fetch questions --cached; wait; let kept = cache list --limit 1; cache show $kept[0].id",
        "the response just cached")
    ],
    searchTerms: ["response", "headers", "etag", "stored"], traits: [.inspects])

  static let completions = [ParameterCompletion(id) { candidates(in: $1) }]

  /// The cached responses for completion; none where the store can't be read.
  static func candidates(in outside: Outside) -> [CompletionCandidate] {
    ((try? outside.responseCache.entries(limit: 50)) ?? []).map {
      CompletionCandidate(String($0.id), summary: VisibleText.escape($0.url))
    }
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let found: CachedResponse
    do throws(StoreError) {
      found = try invocation.outside.responseCache.response(id: call[id])
    } catch {
      throw call.failure(
        error, at: id, help: error.kind == .unknownResponse ? "'cache list' lists them" : nil)
    }
    let now = invocation.run.clock.date
    let entry = found.entry
    var rows: [(String, String)] = [
      ("request", "\(entry.method) \(entry.url)"), ("status", String(entry.status)),
      ("state", entry.state(at: now)), ("age", DurationText(age: entry.age(at: now)).description),
      ("fresh for", DurationText(age: entry.freshnessLifetime).description),
      ("received", DateText.text(entry.receivedAt)),
      ("body", "\(ByteCount(entry.bodySize)), \(ByteCount(entry.storedSize)) in the store"),
      ("used", "\(entry.hitCount) times without asking"),
      ("confirmed", "\(entry.revalidationCount) times by the server"),
    ]
    rows += entry.headers.fields.map { ("header", "\($0.name): \($0.value)") }
    invocation.print(rows: rows.map { ($0, StyledText(VisibleText.escape($1))) })
    if call[body] {
      if let text = String(validating: found.body, as: UTF8.self), !text.contains("\0") {
        var invocation = invocation
        invocation.isReceived = true
        invocation.printText(text)
      } else {
        invocation.print("the body is not text")
      }
    }
    return Value(json: entry.json(now: now))
  }
}
