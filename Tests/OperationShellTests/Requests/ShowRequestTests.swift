import Foundation
import PracticeServer
import ShellLanguage
import OpshTerminal
import TestSupport
import Testing

@testable import ShellSession

@Suite("What 'show' tells about a request", .timeLimit(.minutes(15)))
struct ShowRequestTests {
  @Test(
    "A shell reads a quoted word as it is, also where an accent follows an apostrophe",
    arguments: ["a'b", "'\u{301}; echo x; '\u{301}", "\"\u{301}$HOME`\u{301}", "a\r\nb", ""])
  func quotedWords(word: String) throws {
    let command = "printf %s " + SystemShellQuoting.quoted(word)
    let outcome = try ChildProcess.run("/bin/sh", arguments: ["-c", command])
    #expect(Array(outcome.output.utf8) == Array(word.utf8))
  }

  @Test("--verbose shows each exchange, on the virtual clock the same each time")
  func verbose() throws {
    func text() throws -> String {
      let fixture = try ShellFixture(
        """
        set clock virtual
        get '/cookies/set?a=b' --header 'X-Mine: 1' --header 'X-Key: abcdefgh'; wait
        """)
      return try fixture.output(of: "show get-1 --verbose").joined(separator: "\n")
    }
    let shown = try text()
    #expect(try text() == shown)
    for line in [
      "get-1, attempt 1 of 1, begun at 0.000 s: succeeded after ", "  connection   in this process",
      "\n  > GET /cookies/set?a=b HTTP/1.1\n  > Host: 127.0.0.1:49152\n  > X-Mine: 1\n",
      "\n  > X-Key: ***\n", "\n  < HTTP/1.1 302 Found\n", "\n  < Set-Cookie: ***\n",
      "\n  the redirect is followed to http://127.0.0.1:49152/cookies:\n",
      "\n  > GET /cookies HTTP/1.1\n", "\n  < HTTP/1.1 200 OK\n", "  times        lookup 0 ",
    ] {
      #expect(shown.contains(line), "\(line): \(shown)")
    }
    #expect(!shown.contains("abcdefgh"))
  }

  @Test("--verbose counts attempts as the log does, up to the last one that may follow")
  func attemptLimit() throws {
    let fixture = try ShellFixture(
      "set clock virtual; server fail 100%; fetch questions --name q --retry 5 --backoff 1s; sleep 2s"
    )
    let titles = try fixture.output(of: "show q --verbose").filter { $0.hasPrefix("q, attempt ") }
    #expect(titles.count == 2, "\(titles)")
    #expect(titles.first?.hasPrefix("q, attempt 1 of 6, begun") == true, "\(titles)")
    #expect(try fixture.output(of: "log q").contains { $0.contains("before attempt 2 of 6") })
    try fixture.run("cancel q; wait --any-outcome")
  }

  @Test("Nothing is lost or cut at any width", arguments: [40, 80, 120, 200])
  func widths(width: Int) throws {
    var configuration = SessionConfiguration()
    configuration.width = { width }
    let fixture = try ShellFixture("", configuration)
    let value = String(repeating: "word ", count: 30) + String(repeating: "x", count: 150)
    try fixture.run(
      "server fail 100%; get '/2.3/info' --header 'X-Long: \(value)'; wait --any-outcome")
    let lines = try fixture.shown(by: "show get-1 --verbose")
    #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= width }, "\(lines)")
    let whole = lines.joined().filter { $0 != " " }
    #expect(whole.contains(value.filter { $0 != " " }))
    #expect(whole.contains("[invalid-status-code("))
    let table = try fixture.shown(by: "show get-1 --attempts")
    #expect(table.allSatisfy { TextWidth.columns(of: $0) <= width })
    #expect(table.count == 2)
  }

  @Test("--attempts lists retries with status and fault; both give objects with --json")
  func attempts() throws {
    let fixture = try ShellFixture(
      """
      server fault status-503 100%
      get /2.3/info --retry 2 --backoff 1ms; wait --any-outcome
      delay 1ms --name d
      """)
    let rows = try fixture.output(of: "show get-1 --attempts")
    #expect(rows.count == 4)
    #expect(
      rows.dropFirst().allSatisfy {
        $0.contains("503  ") && $0.contains("invalid-status-code(503)")
      })
    for option in ["--attempts", "--verbose"] {
      let objects = try fixture.output(of: "show get-1 \(option) --json")
      #expect(objects.count == 3)
      #expect(
        objects.allSatisfy {
          $0.contains(#""type":"attempt""#) && $0.contains(#""fault":"invalid"#)
        })
    }
    try fixture.run("let a = show get-1 --attempts; expect ($a[0].exchanges[0].status == 503)")
    #expect(try fixture.error(of: "show d --attempts").code == "not-a-request")
    #expect(try fixture.error(of: "show get-1 --curl --verbose").code == "conflicting-options")
    try fixture.run("get / --hold --name held")
    #expect(try fixture.output(of: "show held --verbose") == ["held: no request was sent yet"])
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var words: String
    /// The requests that the operation sends.
    var count = 1
    var testDescription: String { words }
  }

  @Test(
    "The curl command, run by a shell, sends the same",
    arguments: [
      Case(words: "get URL/a?b=c%20d"), Case(words: "head URL/"), Case(words: "delete URL/x"),
      Case(words: "post URL/ --json '{\"it\": \"$HOME\"}'"),
      Case(words: "post URL/ --form 'a=b c&d' --form e=ä"), Case(words: "put URL/ --body '@x'"),
      Case(words: "patch URL/ --file 'a b.json'"), Case(words: "post URL/ --file bytes"),
      Case(words: "post URL/ --multipart 'title= home; \"q\"' --multipart 'f=@a b.json'"),
      Case(words: "post URL/ --multipart f=@bytes --multipart f=@bytes"),
      Case(
        words: "put URL/ --multipart f=@bytes --header 'Content-Type: multipart/form-data; a=b'"),
      Case(words: "get URL/ --auth basic:ada:env:PW"),
      Case(words: "get URL/ --auth bearer:file:pw"),
      Case(words: "get URL/ --cookies jar"), Case(words: "download URL/big saved"),
      Case(words: "get URL/ --user-agent me --header 'X-A: $b' --header 'Range: bytes=0-1'"),
      Case(words: "get URL/ --idle-timeout 1s --connect-timeout 500ms --max-size 9kB --timeout 9s"),
    ])
  func curl(one: Case) throws {
    let folder = try ScratchFolder()
    try folder.write("{\"a\": 1}", to: "a b.json")
    try folder.write("\u{1}\u{2}text", to: "bytes")
    try folder.write("s3cret-token\n", to: "pw")
    chmod(folder.path + "/pw", 0o600)
    try folder.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n", to: "jar")
    let server = try RequestRecorder()
    let environment = ["PW": "it's $ecret", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
    var configuration = SessionConfiguration()
    configuration.environment = environment.merging(["all_proxy": "http://127.0.0.1:1"]) { $1 }
    configuration.directory = folder.path
    let fixture = try ShellFixture("", configuration)
    try fixture.run(one.words.replacing("URL", with: server.url) + "; wait")
    let own = server.take()
    #expect(own.count == one.count)
    let command = try fixture.output(of: "show last --curl").joined(separator: "\n")
    #expect(!command.contains("s3cret") && !command.contains("$ecret"))
    let outcome = try ChildProcess.run(
      "/bin/sh",
      arguments: [
        "-c", command.replacing("curl ", with: "curl --silent --show-error ", maxReplacements: 1),
      ],
      environment: configuration.environment, directory: folder.path)
    #expect(outcome.status == 0, "\(command): \(outcome.errors)")
    let others = server.take()
    #expect(others.map(Self.comparable) == own.map(Self.comparable), "\(command)")
    if one.words.hasPrefix("download") { #expect(folder.names.contains("saved")) }
  }

  /// A request without what each client chooses itself: the order of the headers, and the line between
  /// the parts of a form.
  private static func comparable(_ request: RequestRecorder.Request) -> RequestRecorder.Request {
    var request = request
    let boundary =
      request.headers.compactMap { $0.split(separator: "boundary=").dropFirst().first }.first
    request.headers = request.headers.map { $0.replacing(/^[^:]*:/) { $0.output.lowercased() } }
      .filter { boundary == nil || !$0.hasPrefix("content-length:") }
      .map { boundary.map($0.removing) ?? $0 }.sorted()
    if let boundary { request.body = request.body.removing(boundary) }
    return request
  }

  @Test("The file that a download goes to is shown before, after and in a replay")
  func file() throws {
    let folder = try ScratchFolder()
    let fixture = try ShellFixture(
      """
      record '\(folder.path)/run'
      download /2.3/sites '\(folder.path)/out.json' --hold --name d
      """)
    func rows(_ fixture: ShellFixture) throws -> [String] {
      try fixture.shown(by: "show d").filter { $0.hasPrefix("file ") }
    }
    let held = try rows(fixture)
    #expect(held.count == 1 && held[0].hasSuffix("\(folder.path)/out.json"), "\(held)")
    try fixture.run("start d; wait; record off; get /2.3/sites --name g; wait")
    #expect(try rows(fixture) == held)
    #expect(try rows(ShellFixture("replay '\(folder.path)/run'")) == held)
    #expect(try !fixture.shown(by: "show g").contains { $0.hasPrefix("file ") })
  }

  @Test("The curl command answers the challenge as the operation does, by the server's log")
  func digest() throws {
    var configuration = SessionConfiguration()
    configuration.environment["PW"] = "practice"
    let fixture = try ShellFixture("server start", configuration)
    try fixture.run(
      "get /auth/digest --auth digest:opsh:env:PW; wait; expect (get-1.status == 200)")
    let server = fixture.session.outside.network.server
    let own = server.records(after: 0).records.map { "\($0.method) \($0.path) \($0.status ?? 0)" }
    let cursor = server.records(after: 0).cursor
    let command = try fixture.output(of: "show get-1 --curl").joined()
    let outcome = try ChildProcess.run(
      "/bin/sh", arguments: ["-c", command], environment: configuration.environment)
    #expect(outcome.output.contains("\"authenticated\":true"), "\(command) \(outcome.errors)")
    let others = server.records(after: cursor).records
    #expect(others.map { "\($0.method) \($0.path) \($0.status ?? 0)" } == own)
    #expect(own == ["GET /auth/digest 401", "GET /auth/digest 200"])
  }
}

extension String {
  /// The text without each occurrence of another.
  fileprivate func removing(_ other: Substring) -> String { replacing(other, with: "") }
}
