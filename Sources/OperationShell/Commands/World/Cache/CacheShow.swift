import Foundation
import Networking
import ShellLanguage
import Terminal

/// `cache show`: one response that is kept.
enum CacheShow: Command {
  static let signature = CommandSignature(
    path: ["cache", "show"],
    summary: "Shows a response that is kept: its headers, and with '--body' its body",
    positionals: [.init("id", .integer(minimum: 1), help: "its number in 'cache list'")],
    options: [.init("body", help: "show the body too")],
    examples: [
      .init(
        "fetch questions --cached; wait; let kept = cache list --limit 1; cache show $kept[0].id",
        "the one just kept")
    ],
    searchTerms: ["response", "headers", "etag", "stored"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let found: CachedResponse
    do throws(StoreError) {
      found = try invocation.session.responseCache.response(id: call.integer("id") ?? 0)
    } catch {
      throw call.failure(
        error.code, error.message, at: "id",
        help: error.kind == .unknownResponse ? "'cache list' lists them" : nil)
    }
    let now = invocation.session.clock.date
    let entry = found.entry
    var rows: [(String, String)] = [
      ("request", "\(entry.method) \(entry.url)"), ("status", String(entry.status)),
      ("state", entry.state(at: now)), ("age", DateText.span(entry.age(at: now))),
      ("fresh for", DateText.span(entry.freshnessLifetime)),
      ("received", DateText.text(entry.receivedAt)),
      ("body", "\(ByteCount(entry.bodySize)), \(ByteCount(entry.storedSize)) in the store"),
      ("used", "\(entry.hitCount) times without asking"),
      ("confirmed", "\(entry.revalidationCount) times by the server"),
    ]
    rows += entry.headers.fields.map { ("header", "\($0.name): \($0.value)") }
    for (name, text) in rows {
      invocation.print(
        StyledText(TextWidth.pad(name, to: 11), style: .dim) + StyledText(VisibleText.escape(text)))
    }
    if call.flag("body") {
      if let text = String(validating: found.body, as: UTF8.self), !text.contains("\0") {
        var invocation = invocation
        invocation.isReceived = true
        invocation.printText(text)
      } else {
        invocation.print("the body is no text")
      }
    }
    return Value(json: entry.json(now: now))
  }

  static func completions(for argument: String, in session: Session) -> [CompletionCandidate] {
    argument == "id" ? session.cachedResponses : []
  }
}

extension Session {
  /// The responses that are kept, to be offered; none where the store can't be read.
  var cachedResponses: [CompletionCandidate] {
    ((try? responseCache.entries(limit: 50)) ?? []).map {
      CompletionCandidate(String($0.id), summary: VisibleText.escape($0.url))
    }
  }
}
