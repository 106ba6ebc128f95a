import Foundation
import OpshLocking
import Operations
import PracticeServer
import OpshSupport
import TestSupport
import Testing

@testable import OpshNetworking

/// Downloads that request the rest of a file after an attempt that broke off (RFC 9110, 13.1.5, 14).
@Suite("Resumed downloads", .timeLimit(.minutes(15)))
final class ResumedDownloadTests {
  private let temporaryFolder: TemporaryFolder
  private let workplace = Workplace()

  init() throws {
    temporaryFolder = try TemporaryFolder()
  }

  private typealias File = BrokenDownloads
  typealias Answer = BrokenDownloads.Answer

  private func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: temporaryFolder.path + "/" + name).map { Array($0) }
  }

  private func download(
    _ url: String, _ options: RequestOptions? = nil
  ) async throws -> DownloadOperation {
    var standard = RequestOptions()
    standard.retryPolicy = RetryPolicy(limit: 3, backoff: .milliseconds(1))
    let operation = DownloadOperation(
      engine: workplace.engine, request: try HTTPRequest(url: url),
      path: temporaryFolder.path + "/file", transport: workplace.transport,
      options: options ?? standard)
    try workplace.queue.addOperation(operation)
    try await workplace.finish(operation)
    return operation
  }

  @Test("The second attempt requests the rest only, and the file is whole")
  func resumed() async throws {
    let (server, requests) = try File.server([.broken(), .part()])
    defer { server.stop() }
    let operation = try await download(server.url)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(read("file") == File.old)
    #expect(try operation.result?.get().size == File.old.count)
    #expect(operation.resumedAt == File.half && operation.bytesReceived == File.rest.count)
    #expect(workplace.reasons(of: operation).contains("resumes at byte 100000 of 200000"))
    #expect(operation.outcomeSummary?.hasPrefix("file, resumed at byte 100000, ") == true)
    let sent = requests.withLock { $0 }
    #expect(sent.map { $0.values("Range") } == [[], ["bytes=100000-"]])
    #expect(sent.map { $0.values("If-Range") } == [[], ["\"v1\""]])
    #expect(sent.allSatisfy { $0.values("Accept-Encoding") == ["identity"] })
    #expect(temporaryFolder.names == ["file"])
  }

  @Test("Each of several attempts goes on where the one before ended")
  func severalTimes() async throws {
    let second = Answer(
      status: "206 Partial Content", headers: [File.tag, File.range], body: File.rest, sent: 60_000)
    let third = Answer.part(
      [File.tag, "Content-Range: bytes 160000-199999/*"], body: Array(File.old[160_000...]))
    let (server, requests) = try File.server([.broken(), second, third])
    defer { server.stop() }
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read("file") == File.old)
    #expect(requests.withLock { $0.last?.values("Range") } == ["bytes=160000-"])
  }

  @Test("The whole file in place of the rest replaces what there was")
  func changedFile() async throws {
    let (server, requests) = try File.server([.broken(), .changed])
    defer { server.stop() }
    let operation = try await download(server.url)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(read("file") == File.new)
    #expect(operation.resumedAt == nil && operation.attempts == 2)
    #expect(
      workplace.reasons(of: operation).contains("begins again: the server sends the whole file"))
    #expect(requests.withLock { $0.count } == 2)
  }

  @Test(
    "A part that is not the requested rest of the same version is dropped, and all requested",
    arguments: [
      (.part(["ETag: \"v2\"", File.range]), "it has changed"),
      (.part(["ETag: W/\"v1\"", File.range]), "it has changed"),
      (.part([File.range]), "it has changed"),
      (.part([File.tag]), "does not say which part"),
      (.part([File.tag, "Content-Range: bytes 0-99999/200000"]), "from byte 0"),
      (.part([File.tag, "Content-Range: bytes 100000-199999/200001"]), "another length"),
      (.part([File.tag, "Content-Range: bytes 100000-149999/200000"]), "less than the rest"),
      (.part(body: File.new), "the part has another length"),
      (.part([File.tag, File.range, "Content-Encoding: gzip"]), "encoded"),
      (
        .part([
          File.tag, File.range, "Content-Type: multipart/byteranges; boundary=a", File.range,
        ]), nil
      ),
      (
        .part(["Content-Range: bytes */150000"], body: [], status: "416 No"),
        "does not have the rest"
      ),
    ] as [(Answer, String?)])
  func mistakes(answer: Answer, reason: String?) async throws {
    let (server, requests) = try File.server([.broken(), answer, .changed])
    defer { server.stop() }
    let operation = try await download(server.url)
    #expect(outcomeCode(operation) == "succeeded")
    guard let reason else {
      // A second field of the same value is no mistake.
      #expect(read("file") == File.old)
      return
    }
    #expect(read("file") == File.new)
    #expect(workplace.reasons(of: operation).contains("begins again: "))
    #expect(workplace.reasons(of: operation).contains(reason))
    let sent = requests.withLock { $0 }
    #expect(sent.map { $0.values("Range").isEmpty } == [true, false, true])
    // The third request is no attempt of its own: what came was of no use, and not a failure.
    #expect(operation.attempts == 2)
  }

  @Test(
    "Without a validator that identifies one version, all is requested again",
    arguments: [
      [], ["ETag: W/\"v1\""], ["ETag: v1"], ["ETag: \"a\"", "ETag: \"b\""],
      ["ETag: \"v1\"", "Accept-Ranges: none"],
      // A weak tag excludes the date, which otherwise would do (RFC 9110, 13.1.5).
      ["ETag: W/\"v1\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", date],
      ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"],
      ["Last-Modified: Tue, 15 Nov 1994 08:12:00 GMT", date],
    ])
  func unidentified(headers: [String]) async throws {
    let (server, requests) = try File.server([.broken(headers), .changed])
    defer { server.stop() }
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read("file") == File.new)
    #expect(requests.withLock { $0.last?.values("Range") } == [])
  }

  private static let date = "Date: Tue, 15 Nov 1994 08:12:31 GMT"

  @Test("A date that is old enough is a validator")
  func date() async throws {
    let headers = ["Last-Modified: Tue, 15 Nov 1994 08:11:31 GMT", Self.date]
    let (server, requests) = try File.server([.broken(headers), .part([File.range])])
    defer { server.stop() }
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read("file") == File.old)
    #expect(
      requests.withLock { $0.last?.values("If-Range") } == ["Tue, 15 Nov 1994 08:11:31 GMT"])
  }

  @Test("A date is not a validator for another address")
  func dateElsewhere() async throws {
    let headers = ["Last-Modified: Tue, 15 Nov 1994 08:11:31 GMT", Self.date]
    let moved = Answer(status: "302 Found", headers: ["Location: /other"], body: [])
    let (server, requests) = try File.server([
      .broken(headers), moved, .part([File.range]), .changed,
    ])
    defer { server.stop() }
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read("file") == File.new)
    #expect(requests.withLock { $0.map(\.target) } == ["/", "/", "/other", "/"])
  }

  @Test("A body that is too large leaves no part")
  func tooLarge() async throws {
    var options = RequestOptions()
    options.transfer.maximumBodySize = 150_000
    let beginning = Array(File.old.prefix(File.half))
    let chunk =
      Array("\(String(beginning.count, radix: 16))\r\n".utf8) + beginning + Array("\r\n".utf8)
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\n\(File.tag)\r\nTransfer-Encoding: chunked\r\n\r\n")
      connection.send(chunk + chunk)
    }
    defer { server.stop() }
    #expect(outcomeCode(try await download(server.url, options)) == "too-large")
    #expect(temporaryFolder.names.isEmpty)
  }

  @Test("A compressed body is not resumed, and a part that was not requested is an error")
  func encoded() async throws {
    let packed = Answer(
      headers: [File.tag, "Content-Encoding: gzip"],
      body: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3], sent: 10)
    var cut = packed
    cut.body += [1, 2, 3]
    let (first, requests) = try File.server([cut, .changed])
    defer { first.stop() }
    #expect(outcomeCode(try await download(first.url)) == "succeeded")
    #expect(requests.withLock { $0.last?.values("Range") } == [])
    let (second, _) = try File.server([.part()])
    defer { second.stop() }
    #expect(outcomeCode(try await download(second.url)) == "bad-response")
    #expect(read("file") == File.new)
  }

  @Test("A range of the request's own is kept, and its download not resumed")
  func ownRange() async throws {
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 3, backoff: .milliseconds(1))
    try options.headers.append("Range", "bytes=100000-")
    let cut = Answer(
      status: "206 Partial Content", headers: [File.tag, File.range], body: File.rest, sent: 5)
    let (server, requests) = try File.server([cut, .part()])
    defer { server.stop() }
    #expect(outcomeCode(try await download(server.url, options)) == "succeeded")
    #expect(read("file") == File.rest)
    #expect(requests.withLock { $0.map { $0.values("If-Range") } } == [[], []])
  }

  @Test("The limit of the body is one for the whole file")
  func limit() async throws {
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 3, backoff: .milliseconds(1))
    options.transfer.maximumBodySize = 150_000
    let beginning = Array(File.old.prefix(File.half))
    let chunk = Array("\(String(beginning.count, radix: 16))\r\n".utf8) + beginning
    let requests = Locked(0)
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      let number = requests.withLock { count in
        count += 1
        return count
      }
      if number == 1 {
        connection.send("HTTP/1.1 200 OK\r\n\(File.tag)\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.send(chunk)
      } else {
        connection.respond("206 Partial Content", [File.tag, File.range], body: File.rest)
      }
    }
    defer { server.stop() }
    let operation = try await download(server.url, options)
    #expect(outcomeCode(operation) == "too-large")
    #expect(operation.attempts == 2)
    #expect(temporaryFolder.names.isEmpty)
  }

  @Test("After the last attempt, and after a cancellation between two, only the part is left")
  func leftovers() async throws {
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 1, backoff: .milliseconds(1))
    let (broken, _) = try File.server([.broken()])
    defer { broken.stop() }
    #expect(outcomeCode(try await download(broken.url, options)) == "connection-lost")
    #expect(temporaryFolder.names == ["file.opsh-part", "file.opsh-part.version"])
    options.retryPolicy = RetryPolicy(limit: 1, backoff: .seconds(100))
    let operation = DownloadOperation(
      engine: workplace.engine, request: try HTTPRequest(url: broken.url),
      path: temporaryFolder.path + "/file", transport: workplace.transport, options: options)
    try workplace.queue.addOperation(operation)
    #expect(eventually { operation.attemptPause != nil })
    #expect(temporaryFolder.names.count == 2)
    operation.cancel()
    try await workplace.finish(operation)
    #expect(temporaryFolder.names == ["file.opsh-part", "file.opsh-part.version"])
  }

  @Test("A redirect to another origin keeps the range")
  func redirect() async throws {
    let (target, requests) = try File.server([.broken(), .part()])
    defer { target.stop() }
    let url = target.url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
    let server = try LoopbackServer { connection in
      _ = connection.readRequest()
      connection.respond("302 Found", ["Location: \(url)/elsewhere"])
    }
    defer { server.stop() }
    #expect(outcomeCode(try await download(server.url)) == "succeeded")
    #expect(read("file") == File.old)
    #expect(requests.withLock { $0.last?.values("Range") } == ["bytes=100000-"])
  }

  @Test("The practice server sends the rest of what its fault cut off")
  func practiceServer() async throws {
    let client = try PracticeClient()
    defer { client.stop() }
    let url = client.url + "/search.json?q=swift&rpp=100"
    let whole = try await client.place.get(url, options: Self.plain).result?.get().body
    let fault = try Fault("truncated-body")
    client.server.update { $0.set(fault) }
    let operation = DownloadOperation(
      engine: client.place.engine, request: try HTTPRequest(url: url),
      path: temporaryFolder.path + "/file", transport: client.place.transport,
      options: Self.patient)
    // From the third attempt on nothing is wrong.
    let token = operation.observe(\.progress, options: [.new]) { operation, _ in
      if operation.attempts == 3 { client.server.update { $0.remove(named: "truncated-body") } }
    }
    defer { token.invalidate() }
    try client.place.queue.addOperation(operation)
    try await client.place.finish(operation)
    #expect(outcomeCode(operation) == "succeeded")
    #expect(read("file") == whole)
    #expect((operation.resumedAt ?? 0) > 0)
    #expect(SHA256.digest(of: read("file") ?? []) == SHA256.digest(of: whole ?? [0]))
  }

  private static var plain: RequestOptions {
    get throws {
      var options = RequestOptions()
      try options.headers.append("Accept-Encoding", "identity")
      return options
    }
  }

  private static var patient: RequestOptions {
    var options = RequestOptions()
    options.retryPolicy = RetryPolicy(limit: 40, backoff: .milliseconds(1))
    return options
  }

  @Test(
    "Content-Range is read strictly",
    arguments: [
      ("bytes 5-9/10", [5, 9, 10]), ("bytes 0-0/*", [0, 0]), ("Bytes 5-9/10", [5, 9, 10]),
      ("bytes */10", nil), ("bytes 9-5/10", nil), ("bytes 5-10/10", nil), ("bytes 5-/10", nil),
      ("bytes 5-9", nil), ("bytes=5-9/10", nil), ("bytes 5 -9/10", nil), ("items 5-9/10", nil),
      ("bytes -5-9/10", nil), ("bytes 5-9/+10", nil), ("", nil),
      ("bytes 5-99999999999999999999/999999999999999999999", nil),
    ] as [(String, [Int]?)])
  func contentRange(text: String, numbers: [Int]?) {
    let range = ContentRange(text)
    #expect(range.map { [$0.first, $0.last] + ($0.length.map { [$0] } ?? []) } == numbers)
  }
}
