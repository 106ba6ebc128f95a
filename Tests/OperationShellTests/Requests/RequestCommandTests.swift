import Foundation
import OpshLocking
import OpshNetworking
import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import InspectCommands
@testable import ShellCommands
@testable import ShellSession
@testable import SteerCommands

@Suite("Commands for single requests", .timeLimit(.minutes(15)))
struct RequestCommandTests {
  private static let keys =
    "--header 'X-Parse-Application-Id: opsh' --header 'X-Parse-REST-API-Key: SECRET'"

  @Test("Every method is sent with its body and content type")
  func methods() throws {
    let fixture = try ShellFixture(
      """
      post /1/classes/Note --json '{"n":1}' \(Self.keys); wait
      let path = "/1/classes/Note/${post-1.result.body.objectId}"
      put $path --json '{"n":2}' \(Self.keys); wait
      get $path \(Self.keys); head $path \(Self.keys); wait
      delete $path \(Self.keys); wait
      get $path \(Self.keys); patch $path --body x; wait --any-outcome
      expect (get-1.result.body.n == 2)
      """)
    for (name, method, status) in [
      ("post-1", "POST", 201), ("put-1", "PUT", 200), ("get-1", "GET", 200),
      ("head-1", "HEAD", 200), ("delete-1", "DELETE", 200), ("get-2", "GET", 404),
    ] {
      let metrics = try #require(try fixture.operation(name).networkMetrics)
      #expect(metrics.method == method)
      #expect(metrics.statusCode == status, "\(name)")
    }
    #expect(try fixture.operation("patch-1").outcome?.failure != nil)
  }

  @Test("The body is a text, a file, or validated JSON")
  func bodies() throws {
    let folder = try ScratchFolder()
    try folder.write(#"{"from":"file"}"#, to: "body.json")
    let fixture = try ShellFixture(
      """
      post /1/classes/Note --file '\(folder.path)/body.json' \(Self.keys); wait
      get "/1/classes/Note/${post-1.result.body.objectId}" \(Self.keys); wait
      expect (get-1.result.body.from == 'file')
      """)
    let type = try #require(try fixture.operation("post-1") as? HTTPOperation)
    #expect(type.sentHeaders.contains { $0 == ("Content-Type", "application/json") })
    for (options, code) in [
      ("--file '\(folder.path)/none'", "file(2)"), ("--file '\(folder.path)'", "file(21)"),
      ("--file /dev/zero", "too-large"), ("--form =b", "bad-form-field"),
      ("--multipart 'a=@/none'", "file(2)"),
      ("--header 'Host: x'", "bad-request"), ("--header \"A: b\\nC: d\"", "bad-request"),
    ] {
      #expect(try fixture.error(of: "post /1/classes/Note \(options)").code == code, "\(options)")
    }
    #expect(fixture.session.jobs.operations.count == 2)
  }

  @Test("A header that can't be given says where it comes from, and gets no advice on writing it")
  func reservedHeaders() throws {
    for (header, message) in [
      ("Host: x", "the header 'Host' comes from the address, and can't be given"),
      ("Expect: 1", "the header 'Expect' is set by the transport, and can't be given"),
    ] {
      let outcome = try Opsh.run("get / --header '\(header)'")
      #expect(outcome.status == 2 && outcome.errors.contains("error: \(message) [bad-request]"))
      #expect(!outcome.errors.contains("help:"), "\(outcome.errors)")
      let name = try ShellFixture("let h = '\(header)'")
      let error = try name.error(of: "get / --header $h")
      #expect(error.message == message && error.help == nil)
    }
  }

  @Test("The output '-' is refused also where only running shows it, and './-' is a file")
  func dashes() throws {
    let folder = try ScratchFolder()
    var configuration = SessionConfiguration()
    configuration.directory = folder.path
    let fixture = try ShellFixture("let dash = '-'", configuration)
    for words in ["get /2.3/sites --output $dash", "download /2.3/sites $dash"] {
      #expect(try fixture.error(of: words).code == "bad-output")
    }
    try fixture.run("download /2.3/sites ./-; wait")
    #expect(folder.names == ["-"])
  }

  @Test("The fields of a form are sent as a browser sends them")
  func forms() throws {
    let folder = try ScratchFolder()
    try folder.write("data", to: "a \"b\".json")
    let fixture = try ShellFixture(
      """
      post /1/classes/Note --form 'a=b c&d' --form 'e=ü, =1' --form f= --name fields
      post /1/classes/Note --multipart "a\\u{D}\\u{A}\\"\\u{301}=b" \
        --multipart 'f=@\(folder.path)/a "b".json' --name parts
      wait --any-outcome
      """)
    let fields = try #require(try fixture.operation("fields") as? HTTPOperation)
    #expect(fields.request.body == .bytes(Array("a=b+c%26d&e=%C3%BC%2C+%3D1&f=".utf8)))
    #expect(fields.request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    let parts = try #require(try fixture.operation("parts") as? HTTPOperation)
    let type = try #require(parts.request.headers["Content-Type"])
    let line = try #require(type.split(separator: "=").last)
    #expect(type == "multipart/form-data; boundary=\(line)")
    #expect(
      String(decoding: parts.request.body?.heldBytes ?? [], as: UTF8.self)
        == [
          "--\(line)", "Content-Disposition: form-data; name=\"a%0D%0A%22\u{301}\"", "", "b",
          "--\(line)",
          "Content-Disposition: form-data; name=\"f\"; filename=\"a %22b%22.json\"",
          "Content-Type: application/json", "", "data", "--\(line)--", "",
        ].joined(separator: "\r\n"))
  }

  @Test("A type that the call names for the parts of a form gets the boundary, and names none")
  func ownTypeOfParts() throws {
    let server = try RequestRecorder()
    let fixture = try ShellFixture("")
    try fixture.run(
      "post \(server.url)/ --multipart a=b --header 'content-type: multipart/mixed'; wait")
    let request = try #require(server.take().first)
    let types = request.headers.filter { $0.lowercased().hasPrefix("content-type:") }
    let start = "Content-Type: multipart/mixed; boundary="
    #expect(types.count == 1 && types[0].hasPrefix(start), "\(types)")
    #expect(request.body.hasPrefix("--\(types[0].dropFirst(start.count))\r\n"))
    let error = try fixture.error(
      of: "post / --multipart a=b --header 'Content-Type: multipart/form-data; Boundary=x'")
    #expect(error.code == "conflicting-options")
  }

  @Test("The line between the parts of a form is drawn by chance, which a seed repeats")
  func boundaries() throws {
    func line(_ script: String) throws -> String? {
      let fixture = try ShellFixture(script + "; post /x --multipart a=b; wait --any-outcome")
      let post = try fixture.operation("post-1") as? HTTPOperation
      return post?.request.headers["Content-Type"]
    }
    #expect(try line("set seed 7") == line("set seed 7"))
    #expect(try line("set seed 7") != line("set seed 8"))
    #expect(try line("echo") != line("echo"))
    #expect(try line("echo")?.utf8.count == "multipart/form-data; boundary=opsh-form-".count + 36)
  }

  @Test("A large file is not read before it is sent, also as a part of a form")
  func largeFiles() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/big"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(truncate(path, 40 << 20) == 0)
    let fixture = try ShellFixture(
      """
      put /1/classes/Note/x --file '\(path)' --hold
      post /1/classes/Note --multipart a=b --multipart 'f=@\(path)' --hold
      put /1/classes/Note/x --file '\(path)' --hold --name late
      """)
    let put = try #require(try fixture.operation("put-1") as? HTTPOperation)
    #expect(put.request.body?.soleFile?.size == 40 << 20)
    #expect(put.curlCommand().words.map(\.text).contains("@" + path))
    let post = try #require(try fixture.operation("post-1") as? HTTPOperation)
    #expect(post.request.body?.parts.count == 3)
    #expect((post.request.body?.count ?? 0) > 40 << 20)
    try fixture.run("start put-1; start post-1; wait --any-outcome")
    // Read to its end by the server, which then refuses it.
    for name in ["put-1", "post-1"] {
      #expect(try fixture.operation(name).networkMetrics?.statusCode == 403, "\(name)")
    }
    #expect(truncate(path, 30 << 20) == 0)
    try fixture.run("start late; wait --any-outcome")
    #expect(try fixture.operation("late").outcome?.failure?.code == "file(\(ESTALE))")
  }

  @Test("The body of a response goes to a file as it comes")
  func output() throws {
    let folder = try ScratchFolder()
    let path = "\(folder.path)/page.json"
    let fixture = try ShellFixture("get '/2.3/info?site=stackoverflow' --output '\(path)'; wait")
    #expect(folder.read("page.json")?.hasPrefix("{") == true)
    #expect(try fixture.output(of: "result last").first?.hasSuffix("in '\(path)'") == true)
    #expect(try fixture.operation("get-1").kind == "get")
    try fixture.run("get /2.3/none --output '\(path)'; wait --any-outcome")
    #expect(folder.read("page.json")?.contains("quota") == true)
    try fixture.run(
      "post /1/classes/Note --json '{\"n\":1}' --output '\(path)' \(Self.keys); wait post-1")
    #expect(folder.read("page.json")?.contains("objectId") == true)
    #expect(folder.names == ["page.json"])
    #expect(try fixture.error(of: "get /2.3/info --output ''").code == "wrong-kind")
    try fixture.run("get /2.3/info --output '\(folder.path)/none/x'; wait --any-outcome")
    #expect(try fixture.operation("get-3").outcome?.failure?.code == "file(2)")
  }

  @Test("The body can be standard input, unless the script is read from it")
  func standardInput() throws {
    let body = try Opsh.shell(
      "'post /1/classes/Note --file - \(Self.keys.replacing("'", with: "\""));"
        + " wait; result last'", then: "<<< '{\"a\":1}'")
    #expect(body.status == 0, "\(body.errors)")
    #expect(body.output.contains("objectId"))
  }

  @Test(
    "Text is decoded by its charset",
    arguments: [
      ("text/plain; charset=iso-8859-1", [0x63, 0x61, 0x66, 0xE9, 0x80], "café€"),
      ("text/plain;charset=\"Windows-1252\"", [0x93, 0x61, 0x94], "“a”"),
      ("text/plain; charset=utf-16", [0xFF, 0xFE, 0x61, 0x00, 0xE9, 0x00], "aé"),
      ("text/plain; charset=UTF-16BE", [0x00, 0x61, 0x00, 0xE9], "aé"),
      ("text/plain; charset=utf-8", [0xC3, 0xA9], "é"), ("text/plain", [0xC3, 0xA9], "é"),
      ("text/plain; charset=utf-8", [0xE9], nil), ("text/plain; charset=utf-16", [0x61], nil),
    ] as [(String, [UInt8], String?)])
  func characterSets(type: String, bytes: [UInt8], text: String?) throws {
    let head = HTTPResponseHead(
      status: 200, headers: try HTTPHeaders([("Content-Type", type)]), url: "http://a/")
    #expect(HTTPResponse(head: head, body: bytes).text == text)
  }

  @Test("JSON is formatted, text is shown unchanged, and other data by its size")
  func results() throws {
    let fixture = try ShellFixture()
    #expect(
      JSONLayout.spread(Array(#"{"a":[1,{"b":"x, {\"y\"}"}],"c":{},"d":[],"e":1.50}"#.utf8))
        == """
        {
          "a": [
            1,
            {
              "b": "x, {\\"y\\"}"
            }
          ],
          "c": {},
          "d": [],
          "e": 1.50
        }
        """)
    try fixture.run("get '/2.3/info?site=stackoverflow'; wait")
    let lines = try fixture.shown(by: "result get-1")
    #expect(lines.first == "{" && lines.count > 5)
    try fixture.run("head '/2.3/info?site=stackoverflow'; wait")
    #expect(try fixture.output(of: "result head-1").first == "status 200, no body")
  }

  @Test("Output about a request contains none of its secrets")
  func secrets() throws {
    let fixture = try ShellFixture(
      """
      get '/2.3/info?site=stackoverflow&key=SECRET' --header 'Authorization: Bearer SECRET' \\
        --header 'Cookie: id=SECRET' \(Self.keys)
      wait
      """)
    let shown = try fixture.output(of: "show get-1")
    #expect(shown.contains { $0.contains("key=***") })
    #expect(shown.contains { $0.contains("Authorization: ***") })
    #expect(!shown.joined().contains("SECRET"))
    #expect(try !fixture.output(of: "log get-1").joined().contains("SECRET"))
    let run = try Opsh.run("get /2.3/none --header 'Authorization: Bearer SECRET'", options: [])
    #expect(run.status == 1)
    #expect(!run.errors.contains("SECRET") && run.errors.contains("Authorization: ****"))
  }

  @Test(
    "A typed line with a secret is detected",
    arguments: [
      (
        "get /x --header 'Authorization: Bearer abc'", "get /x --header 'Authorization: **********'"
      ),
      ("endpoint live --key abc; ops", "endpoint live --key ***; ops"),
      ("get '/x?a=1&key=abc&b=2'", "get '/x?a=1&key=***&b=2'"),
      ("let k = \"X-Parse-REST-API-Key: abc\"", "let k = \"X-Parse-REST-API-Key: ***\""),
      ("post /x --json '{\"key\":1}'", "post /x --json '{\"key\":*}'"),
      ("echo monkey", "echo monkey"),
      ("get http://me:pass@host/x?a=b", "get http://*******@host/x?a=b"),
      ("get http://host/me@home", "get http://host/me@home"),
      ("its options: --key --json", "its options: --key --json"),
      ("endpoint live --key=--abc", "endpoint live --key=*****"),
    ])
  func masking(line: String, masked: String) {
    #expect(SecretMask().mask(line) == masked)
    #expect(SecretMask().holdsSecret(line) == (line != masked))
  }

  @Test("An error contains no part of a secret, wherever a long line is truncated")
  func secretsInLongLines() throws {
    let fixture = try ShellFixture()
    for padding in 0..<80 {
      let line =
        "let _h = 'Authorization: Bearer SECRETSECRET'; \(String(repeating: "x", count: padding))"
        + " ; nocmd; \(String(repeating: "c", count: 150))"
      let script = Parser.parse(SourceText(name: "test", text: line))
      let found = Checker.check(script, catalog: fixture.session.run.catalog)
      let shown = found.flatMap { fixture.session.screen.renderer.render($0) }.joined(
        separator: "\n")
      #expect(shown.contains("nocmd;") && !shown.contains("SECRET"), "\(padding)")
    }
  }

  @Test("Size, speed and timings of a response are properties")
  func metrics() throws {
    let fixture = try ShellFixture("get '/2.3/info?site=stackoverflow'; wait")
    let shown = try fixture.output(of: "show get-1").joined(separator: "\n")
    for part in ["received", "bandwidth", "timings", "lookup", "connect", "first byte", "total"] {
      #expect(shown.contains(part), "\(part)")
    }
    try fixture.run(
      """
      expect (get-1.timings.total > 0s)
      expect (get-1.timings.first_byte <= get-1.timings.total)
      expect (get-1.bandwidth > 0)
      expect (get-1.bytes > 0)
      """)
  }

  @Test("A redirect with following off and a too long response are failures")
  func limits() throws {
    let fixture = try ShellFixture(
      "get '/2.3/info?site=stackoverflow' --max-size 10B; wait --any-outcome")
    #expect(try fixture.operation("get-1").outcome?.failure?.code == "too-large")
    try fixture.run("server latency 60s; get /2.3/info --timeout 50ms; wait --any-outcome")
    #expect(try fixture.operation("get-2").outcome?.failure?.code == "timed-out")
    try fixture.run("get /2.3/info --idle-timeout 50ms; wait --any-outcome")
    #expect(try fixture.operation("get-3").outcome?.failure?.code == "timed-out")
  }

  @Test(
    "A status that is an error counts before a body that is too large, by both clocks",
    arguments: ["set clock virtual; ", ""])
  func statusOfLargeBody(clock: String) throws {
    let fixture = try ShellFixture(
      "\(clock)get '/2.3/info?site=nowhere' --max-size 4B; wait --any-outcome")
    let operation = try fixture.operation("get-1")
    #expect(operation.outcome?.failure?.code == "invalid-status-code(400)")
    #expect(operation.networkMetrics?.statusCode == 400)
    let run = try Opsh.run(
      "\(clock)get '/2.3/info?site=nowhere' --max-size 4B; wait --any-outcome; result get-1")
    #expect(run.output.hasPrefix("status 400, its body was not kept\n"), "\(run.output)")
  }

  @Test("A status is retried where the command names it")
  func retryOn() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; server fault status-404; server fault status-410 --route /b
      get /a --retry 2 --name usual; get /a --retry 2 --retry-on 404,410 --name named
      fetch questions --retry 1 --retry-on 404 --name api
      post /a --body x --retry 2 --retry-unsafe --retry-on 404 --name unsafe
      wait --any-outcome
      """)
    #expect(try fixture.operation("usual").attempts == 1)
    #expect(try fixture.operation("named").attempts == 3)
    #expect(try fixture.operation("api").attempts == 2)
    #expect(try fixture.operation("unsafe").attempts == 3)
    #expect(throws: Diagnostic.self) { try fixture.run("get /a --retry-on 404") }
    #expect(throws: Diagnostic.self) { try fixture.run("get /a --retry 1 --retry-on 200") }
  }

  @Test("The time limits of the session are for each request without its own")
  func sessionLimits() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; server fault stall
      get /2.3/info --name first; wait --any-outcome
      set idle-timeout 20ms; get /2.3/info --name second; wait --any-outcome
      get /2.3/info --idle-timeout 5s --name own; wait --any-outcome
      get /2.3/info --idle-timeout off --timeout 90s --name none; wait --any-outcome
      """)
    func end(_ name: String) throws -> String? {
      try fixture.operation(name).outcome?.failure?.message
    }
    #expect(try end("first") == "the server sent nothing for 1 min 0 s (idle-timeout)")
    #expect(try end("second") == "the server sent nothing for 20 ms (idle-timeout)")
    #expect(try end("own") == "the server sent nothing for 5 s (idle-timeout)")
    #expect(try end("none") == "the request took longer than its limit of 1 min 30 s (--timeout)")
    #expect(try fixture.output(of: "set idle-timeout off; set idle-timeout") == ["off"])
    try fixture.run("server fault off; get '/2.3/info?site=stackoverflow' --name later; wait later")
    let defaults = fixture.session.outside.network.requestDefaults.withLock { $0 }
    #expect(defaults.transfer.idleTimeout == nil)
    #expect(defaults.transfer.connectTimeout == .seconds(30))
    #expect(try fixture.output(of: "set connect-timeout 5s; set connect-timeout") == ["5s"])
    #expect(
      fixture.session.outside.network.requestDefaults.withLock(\.transfer.connectTimeout)
        == .seconds(5))
    #expect(try fixture.output(of: "set connect-timeout off; set connect-timeout") == ["off"])
    #expect(
      fixture.session.outside.network.requestDefaults.withLock(\.transfer.connectTimeout) == nil)
    try fixture.run("set connect-timeout 0s; get /2.3/info --name no; wait --any-outcome")
    #expect(try fixture.operation("no").outcome?.failure?.code == "timed-out")
  }

  @Test("'help network' has every limit of a request, as it is in force")
  func documentedLimits() throws {
    let fixture = try ShellFixture()
    let text = try fixture.output(of: "help network").joined(separator: " ")
      .split(separator: " ").joined(separator: " ")
    let limits = [
      ByteCount(HTTPResponseHead.maximumSize).description + " for all lines together",
      ByteCount(HTTPResponseHead.longestLine).description + " for each",
      "body of a response \(Value.size(Int64(TransferOptions.usualMaximumBodySize)).text)",
    ]
    for limit in limits { #expect(text.contains(limit), "\(limit)") }
    let options = RequestOptions()
    #expect(options.transfer.connectTimeout == .seconds(30) && text.contains("30 s for lookup"))
    #expect(options.transfer.idleTimeout == .seconds(60) && text.contains("60 s without a byte"))
    for setting in ["set connect-timeout", "set idle-timeout", "SSL_CERT_FILE", "no_proxy"] {
      #expect(text.contains(setting), "\(setting)")
    }
  }

  @Test("A download writes a file and reports it")
  func download() throws {
    let folder = try ScratchFolder()
    let path = "\(folder.path)/page.json"
    let fixture = try ShellFixture("download '/2.3/info?site=stackoverflow' '\(path)'; wait")
    #expect(folder.read("page.json")?.hasPrefix("{") == true)
    #expect(folder.names == ["page.json"])
    #expect(try fixture.output(of: "result last").first?.hasSuffix("in '\(path)'") == true)
    try fixture.run("expect (download-1.result.bytes > 0 and download-1.bytes > 0)")
    try fixture.run("download /2.3/none '\(path)'; wait --any-outcome")
    #expect(folder.read("page.json")?.hasPrefix("{") == true)
    #expect(folder.names == ["page.json"])
  }

  // The sanitizer itself ends a process that can't write.
  @Test(
    "The system's limit on file sizes ends a download with its error number",
    .disabled(if: TestScale.isSanitized))
  func fileLimit() throws {
    let folder = try ScratchFolder()
    let outcome = try ChildProcess.run(
      "/bin/bash",
      arguments: [
        "-c",
        "ulimit -f 4; \"$OPSH\" --no-rc --no-history --events off -c "
          + "\"download '/2.3/questions?site=stackoverflow&pagesize=100' page; wait\"",
      ],
      environment: [
        "PATH": "/usr/bin:/bin", "OPSH": try BuiltProducts.executable("opsh"),
        "HOME": "/nonexistent", "LANG": "C.UTF-8",
      ], directory: folder.path)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("file(\(EFBIG))"), "\(outcome.errors)")
    #expect(folder.names.isEmpty)
  }
}
