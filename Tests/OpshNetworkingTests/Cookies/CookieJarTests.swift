import Foundation
import OpshLocking
import Operations
import TestSupport
import Testing

@testable import OpshNetworking

@Suite("Files of cookies", .timeLimit(.minutes(15)))
struct CookieJarTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func mode(of path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func take(_ fields: [String], into jar: CookieJar, from url: String) throws {
    let head = HTTPResponseHead(
      status: 200, headers: HTTPHeaders(received: fields.map { ("Set-Cookie", $0) }), url: url)
    jar.take(head, from: try WebAddress(parsing: url), now: Self.now)
  }

  @Test(
    "A missing file is created, cookies are written and read again, and only its owner reads it")
  func round() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    let jar = try CookieJar(path: path)
    #expect(FileManager.default.fileExists(atPath: path) && mode(of: path) == 0o600)
    chmod(path, 0o644)
    try take(
      [
        "a=1; Path=/", "b=2; Path=/x; Domain=example.com; HttpOnly", "c=3; Max-Age=60; Secure",
        "d=; Path=/",
      ], into: jar, from: "https://www.example.com/")
    try jar.save(now: Self.now)
    #expect(mode(of: path) == 0o600)
    let again = try CookieJar(path: path)
    #expect(again.cookies == jar.cookies && again.cookies.count == 4)
    // The longest path first.
    let address = try WebAddress(parsing: "https://www.example.com/x")
    #expect(again.field(for: address, now: Self.now) == "b=2; a=1; c=3; d=")
    #expect(again.field(for: address, now: Self.now + 61) == "b=2; a=1; d=")
    try take(
      ["a=4; Path=/", "d=; Path=/; Max-Age=0"], into: again, from: "https://www.example.com/")
    try again.save(now: Self.now + 61)
    #expect(try CookieJar(path: path).cookies.map(\.value) == ["4", "2"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["jar"])
  }

  @Test("Cookies are written while another program keeps the lock of the folder")
  func locked() throws {
    let folder = try TemporaryFolder()
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    let jar = try CookieJar(path: folder.path + "/jar")
    try take(["a=1; Path=/"], into: jar, from: "https://example.com/")
    try jar.save(now: Self.now)
    #expect(try CookieJar(path: folder.path + "/jar").cookies.map(\.value) == ["1"])
  }

  @Test(
    "A file that is not a file of cookies is an error, and stays as it is",
    arguments: [
      ("text", "line 1"), ("# a\n\n{\"a\": 1}\ntext", "line 3"),
      ("a\tb\tc\td\te\tf\tg\n", "line 1"), ("a\tYES\t/\tFALSE\t0\tn\tv", "line 1"),
    ])
  func broken(text: String, place: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: CookieFileError.self) { try CookieJar(path: path) }
    #expect(error?.message.hasPrefix(place) == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  struct BadLine: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let reason: String
    var testDescription: String { reason }

    init(_ rest: String, _ reason: String, end: [UInt8] = []) {
      bytes = Array("127.0.0.1\t\(rest)".utf8) + end
      self.reason = reason
    }
  }

  static let badLines = [
    BadLine("FALSE\t/\tFALSE\t\tn\tv", "its fifth field must be a number of seconds since 1970"),
    BadLine("FALSE\t/\tFALSE\t-1\tn\tv", "its fifth field must be a number of seconds since 1970"),
    BadLine("FALSE\t/\tFALSE\tx\tn\tv", "its fifth field must be a number of seconds since 1970"),
    BadLine("FALSE\t/\tFALSE\t0\tn\tv\tw", "expected 7 fields separated by tabs, found 8"),
    BadLine("FALSE\t/\tFALSE\t0", "expected 7 fields separated by tabs, found 5"),
    BadLine("FALSE\t/\tFALSE\t0\tn\tv", "it is not UTF-8", end: [0xE9]),
    BadLine("FALSE\t/\tFALSE\t0\t\tv", "it needs a domain and a name"),
    BadLine("YES\t/\tFALSE\t0\tn\tv", "its second and fourth field must be TRUE or FALSE"),
  ]

  @Test("A line that is not a cookie is skipped, named once, and kept", arguments: badLines)
  func skipped(bad: BadLine) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    let good = "127.0.0.1\tFALSE\t/\tFALSE\t0\tgood\t1\n"
    try Data(good.utf8 + bad.bytes + Array("\r\n\(good)".utf8)).write(
      to: URL(fileURLWithPath: path))
    let jar = try CookieJar(path: path)
    #expect(jar.cookies.map(\.name) == ["good", "good"])
    #expect(
      jar.takeFaults().map(\.message) == ["line 2 of '\(path)' is not a cookie: \(bad.reason)"])
    try take(["new=2"], into: jar, from: "http://127.0.0.1/")
    try jar.save(now: Self.now)
    try jar.reload()
    #expect(jar.takeFaults().isEmpty)
    let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A)
    #expect(lines.last.map { Array($0) } == bad.bytes)
    #expect(try CookieJar(path: path).cookies.map(\.name) == ["good", "good", "new"])
  }

  @Test(
    "curl skips the same lines",
    arguments: badLines.filter { !["it is not UTF-8", badLines[7].reason].contains($0.reason) })
  func skippedByCurl(bad: BadLine) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    try Data(bad.bytes + Array("\n127.0.0.1\tFALSE\t/\tFALSE\t0\tgood\t1\n".utf8)).write(
      to: URL(fileURLWithPath: path))
    let client = try PracticeClient()
    defer { client.stop() }
    let sent = try ChildProcess.run(
      CurlCommandTests.curl, arguments: ["--silent", "--cookie", path, client.url + "/cookies"])
    #expect(!sent.output.contains(#""n":"#) && sent.output.contains(#""good":"1""#))
  }

  @Test("A file in which every line is bad is one of cookies if it looks like one")
  func allSkipped() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    for text in ["a\tTRUE\t/\tFALSE\t-1\tn\tv\n", "# Netscape HTTP Cookie File\ntext\n"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let jar = try CookieJar(path: path)
      #expect(jar.cookies.isEmpty && jar.takeFaults().count == 1, "\(text)")
    }
  }

  @Test("Fractions of a second and a byte order mark are read")
  func lenient() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    let line = "\u{FEFF}a\tTRUE\t/\tFALSE\t2000000000.5\tn\tv"
    try Data(line.utf8).write(to: URL(fileURLWithPath: path))
    let cookie = try #require(try CookieJar(path: path).cookies.first)
    #expect(cookie.domain == "a" && cookie.expires == Date(timeIntervalSince1970: 2_000_000_000.5))
  }

  @Test("Lines that end as on Windows, or lack their last field, are read as curl reads them")
  func foreignLines() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    let lines = "a\tTRUE\t/\tFALSE\t0\tn\tv\r\nb\tTRUE\t/\tFALSE\t0\tn\n"
    try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
    #expect(try CookieJar(path: path).cookies.map(\.value) == ["v", ""])
  }

  @Test("The file tells cookies of a domain by a point, and those of a session by a time of 0")
  func written() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    let jar = try CookieJar(path: path)
    try take(
      ["a=1; Domain=example.com; Max-Age=60", "b=2; HttpOnly"], into: jar,
      from: "http://www.example.com/")
    try jar.save(now: Self.now)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").suffix(2)
    #expect(
      lines == [
        ".example.com\tTRUE\t/\tFALSE\t1800000060\ta\t1",
        "#HttpOnly_www.example.com\tFALSE\t/\tFALSE\t0\tb\t2",
      ])
  }

  @Test("A response without TLS does not replace a cookie that is for TLS alone")
  func protected() throws {
    let folder = try TemporaryFolder()
    let jar = try CookieJar(path: folder.path + "/jar")
    try take(
      ["sid=good; Secure; Path=/x; Domain=example.com"], into: jar,
      from: "https://www.example.com/")
    for field in [
      "sid=bad; Path=/x; Domain=example.com", "sid=bad; Path=/x/y", "sid=bad; Path=/x; Max-Age=0",
    ] {
      try take([field], into: jar, from: "http://www.example.com/x/y")
      #expect(jar.cookies.map(\.value) == ["good"], "\(field)")
    }
    // One of another path or name is not in its way, and TLS may replace it.
    try take(["sid=other; Path=/", "id=new"], into: jar, from: "http://www.example.com/x/y")
    #expect(jar.cookies.map(\.value) == ["good", "other", "new"])
    try take(
      ["sid=better; Secure; Path=/x; Domain=example.com"], into: jar,
      from: "https://www.example.com/")
    #expect(jar.cookies.map(\.value) == ["better", "other", "new"])
  }

  @Test("Folders, devices, bytes that are no text and places that can't be written are errors")
  func unusable() throws {
    let folder = try TemporaryFolder()
    try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: folder.path + "/bytes"))
    for (path, code) in [
      (folder.path, "file(21)"), ("/dev/null", "file(22)"), (folder.path + "/no/jar", "file(2)"),
      (folder.path + "/bytes", "bad-cookie-file"),
    ] {
      let error = #expect(throws: (any Error).self) { try CookieJar(path: path) }
      #expect((error as? any CodedError)?.code == code, "\(path)")
    }
  }

  @Test("The file of a symbolic link is replaced, not the link")
  func links() throws {
    let folder = try TemporaryFolder()
    let (link, path) = (folder.path + "/link", folder.path + "/jar")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    _ = try CookieJar(path: path)
    let jar = try CookieJar(path: link)
    try take(["a=b"], into: jar, from: "http://a.example/")
    try jar.save(now: Self.now)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try CookieJar(path: path).cookies.count == 1)
  }

  @Test("A failed write loses nothing")
  func failing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    let jar = try CookieJar(path: path)
    try take(["a=b"], into: jar, from: "http://a.example/")
    try Data("broken".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: CookieFileError.self) { try jar.save(now: Self.now) }
    try FileManager.default.removeItem(atPath: path)
    try jar.save(now: Self.now)
    #expect(try CookieJar(path: path).cookies.map(\.name) == ["a"])
  }

  @Test("A cookie that is not saved yet is kept when the file is read again")
  func reloading() throws {
    let folder = try TemporaryFolder()
    let jar = try CookieJar(path: folder.path + "/jar")
    try take(["a=b"], into: jar, from: "http://a.example/")
    try jar.reload()
    #expect(jar.cookies.map(\.name) == ["a"])
  }

  @Test("Writers of several processes lose nothing to each other")
  func merging() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    // Objects of their own share nothing but the file, as processes do.
    let jars = try (0..<8).map { _ in try CookieJar(path: path) }
    let failures = Locked(0)
    DispatchQueue.concurrentPerform(iterations: jars.count) { index in
      do {
        for number in 0..<20 {
          try take(["c\(index)-\(number)=x"], into: jars[index], from: "http://a\(index).example/")
          try jars[index].save(now: Self.now)
        }
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    #expect(try CookieJar(path: path).cookies.count == 160)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["jar"])
  }

  @Test("A cookie of a host and one of its domain are two, also if their names are equal")
  func hostAndDomain() throws {
    let folder = try TemporaryFolder()
    let jar = try CookieJar(path: folder.path + "/jar")
    try take(["a=1", "a=2; Domain=h.example"], into: jar, from: "http://h.example/")
    #expect(jar.cookies.map(\.value) == ["1", "2"])
    #expect(jar.cookies.map(\.isHostOnly) == [true, false])
  }

  @Test("No server fills the file")
  func bounded() throws {
    let folder = try TemporaryFolder()
    let jar = try CookieJar(path: folder.path + "/jar")
    try take((0..<500).map { "c\($0)=x" }, into: jar, from: "http://a.example/")
    try take(["other=x"], into: jar, from: "http://b.example/")
    #expect(jar.cookies.count == CookieJar.limitForDomain + 1)
    #expect(jar.cookies.first?.name == "c320")
  }

  @Test("Parallel requests with one file keep all cookies, and send them back")
  func parallel() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/jar"
    let client = try PracticeClient(width: 16)
    defer { client.stop() }
    let jar = try CookieJar(path: path)
    var options = RequestOptions()
    options.transfer.cookies = jar
    let operations = try (0..<100).map { number in
      HTTPOperation(
        engine: client.place.engine,
        request: try HTTPRequest(url: client.url + "/cookies/set?c\(number)=v\(number)"),
        transport: client.place.transport, options: options)
    }
    try client.place.queue.addOperations(operations, waitUntilFinished: false)
    for operation in operations { try await client.place.finish(operation) }
    let written = try #require(try CookieFile.read(path)).cookies
    #expect(Set(written.map(\.name)) == Set((0..<100).map { "c\($0)" }))
    let last = try await client.place.get(client.url + "/cookies", options: options)
    let body = String(decoding: try await last.value.body, as: UTF8.self)
    for number in 0..<100 { #expect(body.contains("\"c\(number)\":\"v\(number)\"")) }
  }

  @Test("curl reads the file, and its own file is read here")
  func curl() async throws {
    let folder = try TemporaryFolder()
    let (own, other) = (folder.path + "/own", folder.path + "/other")
    let client = try PracticeClient()
    defer { client.stop() }
    var options = RequestOptions()
    options.transfer.cookies = try CookieJar(path: own)
    _ = try await client.place.get(
      client.url + "/cookies/set?flavour=oat&max-age=3600", options: options)
    let sent = try ChildProcess.run(
      CurlCommandTests.curl,
      arguments: ["--silent", "--cookie", own, "--cookie-jar", other, client.url + "/cookies"])
    #expect(sent.output == #"{"flavour":"oat"}"#, "\(sent.output)")
    options.transfer.cookies = try CookieJar(path: other)
    #expect(options.transfer.cookies?.cookies == (try CookieJar(path: own)).cookies)
    let operation = try await client.place.get(client.url + "/cookies", options: options)
    #expect(String(decoding: try await operation.value.body, as: UTF8.self) == sent.output)
  }

  @Test("Cookies of a redirect are kept, and other hosts get none")
  func redirects() async throws {
    let folder = try TemporaryFolder()
    let received = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        received.withLock { $0.append(request) }
        let port = request.values("Host").first?.split(separator: ":").last ?? ""
        switch request.target {
        case "/1": connection.respond("302 Found", ["Location: /2", "Set-Cookie: a=1; Path=/"])
        case "/2": connection.respond("302 Found", ["Location: http://localhost:\(port)/3"])
        default: connection.respond("500 No", ["Set-Cookie: b=2"])
        }
      }
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    var options = RequestOptions()
    let jar = try CookieJar(path: folder.path + "/jar")
    options.transfer.cookies = jar
    let operation = try await place.get(server.url + "/1", options: options)
    #expect(received.withLock { $0 }.map { $0.values("Cookie") } == [[], ["a=1"], []])
    #expect(jar.cookies.map(\.domain) == ["127.0.0.1", "localhost"])
    #expect(try CookieFile.read(jar.path)?.cookies == jar.cookies)
    // Secrets are masked in what is shown.
    let headers = operation.requestAttempts.flatMap(\.exchanges).flatMap {
      $0.sentHeaders + $0.receivedHeaders
    }
    #expect(headers.filter { $0.name.contains("Cookie") }.map(\.value) == ["***", "***", "***"])
  }

  @Test("A redirect to a path that a cookie is not for sends none")
  func redirectOutOfPath() async throws {
    let folder = try TemporaryFolder()
    let received = Locked<[ReceivedRequest]>([])
    let server = try LoopbackServer { connection in
      while let request = connection.readRequest() {
        received.withLock { $0.append(request) }
        let isFirst = request.target == "/a/1"
        connection.respond(isFirst ? "302 Found" : "200 OK", isFirst ? ["Location: /b/2"] : [])
      }
    }
    defer { server.stop() }
    let place = Workplace()
    defer { place.transport.shutdown() }
    var options = RequestOptions()
    let jar = try CookieJar(path: folder.path + "/jar")
    try take(["s=1; Path=/a"], into: jar, from: server.url + "/a/")
    options.transfer.cookies = jar
    _ = try await place.get(server.url + "/a/1", options: options)
    #expect(received.withLock { $0 }.map { $0.values("Cookie") } == [["s=1"], []])
  }
}
