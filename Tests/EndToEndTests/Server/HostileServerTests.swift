import Foundation
import TestSupport
import Testing

@Suite("The shell with hostile servers", .timeLimit(.minutes(15)))
struct HostileServerTests {
  /// The bytes of a response.
  struct Hostile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    /// A complete response.
    init(_ description: String, raw bytes: [UInt8]) {
      testDescription = description
      self.bytes = bytes
    }

    init(_ description: String, raw text: String) {
      self.init(description, raw: Array(text.utf8))
    }

    /// A body with a correct head.
    init(_ description: String, body: [UInt8], type: String = "application/json") {
      self.init(
        description,
        raw: Array(
          ("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
            + "Connection: close\r\n\r\n").utf8) + body)
    }

    init(_ description: String, body: String, type: String = "application/json") {
      self.init(description, body: Array(body.utf8), type: type)
    }
  }

  /// A page of one question with the given texts.
  private static func page(title: String, name: String = "x", extra: String = "") -> String {
    """
    {"items":[{"tags":["\(title)"],"owner":{"display_name":"\(name)","user_type":"registered"},
    "is_answered":true,"view_count":1,"answer_count":0,"score":1,"last_activity_date":1,
    "creation_date":1,"question_id":7,"link":"\(title)","title":"\(title)"}\(extra)],
    "has_more":false,"quota_max":300,"quota_remaining":1}
    """
  }

  static let cases: [Hostile] = [
    Hostile("NUL in a body", body: "a\u{0}b\u{0}\u{0}"),
    Hostile("NUL in a header", raw: "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\nbody"),
    Hostile(
      "escape sequences in a text", body: "\u{1B}[2J\u{1B}]0;title\u{7}\u{1B}P\u{1B}\\evil\r\u{8}",
      type: "text/plain"),
    Hostile("escape sequences in a page", body: page(title: #"\u001b[2J\u0007\u009b31m\u202e"#)),
    Hostile("raw control characters in JSON", body: page(title: "\u{1B}[31m")),
    Hostile(
      "entities that are controls", body: page(title: "&#27;[2J&#x1b;]0;x&#7;&#155;", name: "&#0;")
    ),
    Hostile("lone surrogates", body: page(title: #"\ud800 \udfff \udc00\ud800"#)),
    Hostile(
      "eight-bit controls and broken UTF-8",
      body: [0x9B, 0x32, 0x4A, 0xC0, 0xAF, 0xED, 0xA0, 0x80, 0xF8, 0x88, 0xFF, 0xFE, 0x80, 0xE2]),
    Hostile(
      "broken UTF-8 in JSON",
      body: Array(page(title: "@").utf8).flatMap { $0 == 0x40 ? [0xC3, 0x28, 0x9B, 0xFF] : [$0] }),
    Hostile("a byte order mark", body: "\u{FEFF}" + page(title: "t")),
    Hostile(
      "escapes in the status line and headers",
      raw: "HTTP/1.1 200 \u{1B}[31mO\u{7}K\r\nX-\u{1B}[2J: \u{1B}[2J\r\nContent-Type: \u{1B}c\r\n"
        + "Content-Length: 2\r\n\r\n{}"),
    Hostile(
      "escapes in an error of the service",
      raw: "HTTP/1.1 400 Bad\r\nConnection: close\r\n\r\n"
        + #"{"error_id":502,"error_name":"\u001b[2J","error_message":"\u001b]0;x\u0007\r\n\u202e"}"#
    ),
    Hostile(
      "a redirect to controls",
      raw: "HTTP/1.1 302 Found\r\nLocation: /\u{1B}[2J%1b\u{7}\r\nContent-Length: 0\r\n\r\n"),
    Hostile(
      "ten thousand headers",
      raw: "HTTP/1.1 200 OK\r\n" + String(repeating: "X-A: b\r\n", count: 10_000) + "\r\n{}"),
    Hostile(
      "one header of 200 kB",
      raw: "HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 200_000))\r\n\r\n{}"),
    Hostile("headers without an end", raw: String(repeating: "X-Endless: y\r\n", count: 40_000)),
    Hostile("deep arrays", body: String(repeating: "[", count: 200_000)),
    Hostile(
      "deep objects that end",
      body: String(repeating: #"{"items":"#, count: 50_000) + "1"
        + String(repeating: "}", count: 50_000)),
    Hostile(
      "numbers beyond all bounds",
      body: page(
        title: "t",
        extra: #","# + #"{"question_id":1e999999,"score":-99999999999999999999999999999}"#)),
    Hostile("a number of a million digits", body: String(repeating: "9", count: 1_000_000)),
    Hostile(
      "the same key a thousand times",
      body: "{" + (0..<1000).map { _ in #""items":[],"# }.joined() + #""has_more":false}"#),
    Hostile("a title of a megabyte", body: page(title: String(repeating: "w", count: 1_000_000))),
    Hostile(
      "combining marks without end",
      body: page(title: "Z" + String(repeating: "\u{301}", count: 20_000))),
    Hostile(
      "wide and joined characters", body: page(title: "👩‍👩‍👧‍👦日本語\u{200D}\u{FE0F}\u{2028}\u{2029}")),
    Hostile("no HTTP at all", raw: "SSH-2.0-OpenSSH_9.2\r\n\u{1B}[2J"),
    Hostile("random bytes", raw: (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }),
  ]

  private static let script = """
    fetch questions --name q --timeout 20s
    get $url --name g --timeout 20s
    wait --any-outcome
    ops
    show q
    show g
    try { result q } catch e { echo $e.message }
    try { result g } catch e { echo $e.message }
    try { echo (q.result) } catch e { echo $e.message }
    log
    why q
    echo "the end"
    """

  @Test("No hostile bytes reach the terminal unescaped, and the shell continues", arguments: cases)
  func shown(_ hostile: Hostile) throws {
    let server = try CannedServer(hostile.bytes)
    let script = "let url = \"\(server.url)/\"\n" + Self.script
    // The recorder writes text as a terminal shows it.
    let folder = try TemporaryFolder()
    let outcome = try Opsh.run(
      ["--endpoint", server.url, "--transcript", folder.path + "/transcript"], input: script)
    #expect(outcome.signal == 0 && outcome.status == 0, "\(outcome.errors.suffix(2000))")
    #expect(outcome.output.hasSuffix("the end\n"))
    for (name, data) in [("output", outcome.stdout), ("errors", outcome.stderr)] {
      let text = String(validating: data, as: UTF8.self)
      #expect(text != nil, "the \(name) is no UTF-8")
      let raw = (text ?? "").unicodeScalars.filter { scalar in
        scalar != "\n" && scalar != "\t"
          && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || (0x202A...0x202E).contains(scalar.value))
      }
      #expect(raw.isEmpty, "\(name): \(raw.prefix(5))")
    }
  }

  @Test("With --json every line is valid for all responses", arguments: cases)
  func asJSON(_ hostile: Hostile) throws {
    let server = try CannedServer(hostile.bytes)
    let script = "let url = \"\(server.url)/\"\n" + Self.script
    var outcome = try Opsh.run(["--json", "--endpoint", server.url], input: script)
    // Numbers keep their digits; Foundation's parser rejects numbers that exceed a Double.
    outcome.stdout = Data(outcome.output.replacing(/\d{400,}|1e999999/, with: "1").utf8)
    #expect(outcome.signal == 0 && outcome.status == 0, "\(outcome.errors.suffix(2000))")
    let lines = JSONContract.lines(of: outcome)
    #expect(lines.dropLast().last?.string("text") == "the end")
    #expect(!outcome.stdout.contains { $0 < 0x20 && $0 != 0x0A })
    #expect(lines.count { $0.type == "operation" } == 4)
  }
}
